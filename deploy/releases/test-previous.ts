// `npm run check -- test:previous-release [--ref v1.2.3] [services/folders]`: runs the tests of the previous release's services with
// the code of that release on databases with this checkout's migrations. During a rolling upgrade both releases run, and a
// rollback keeps the new schema: what fails here would fail then. Exits with 1 when a test fails.
import { spawn } from 'node:child_process'
import { existsSync } from 'node:fs'
import { cp, mkdtemp, readdir, readFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { databases, migrationsFolder } from '../components.ts'
import { root } from '../local/paths.ts'
import { checkOut, git, previousRelease, removeCheckout } from './checkout.ts'

const { values: flags, positionals } = parseArgs({ options: { ref: { type: 'string' } }, allowPositionals: true })

/** Services with a database that the release has too. */
function servicesOf(folder: string): string[] {
  return databases().filter((service) => existsSync(join(folder, migrationsFolder(service))))
}

/**
 * Adds this checkout's migrations to those of the release; returns how many are new.
 * @throws Error when a released one has changed or is missing: databases have applied it
 */
async function addMigrations(folder: string, services: string[]): Promise<number> {
  let added = 0
  for (const service of services) {
    const path = migrationsFolder(service)
    const [released, current] = await Promise.all([folder, root].map((at) => readdir(join(at, path))))
    for (const name of released ?? []) {
      const [before, now] = await Promise.all(
        [folder, root].map((at) => readFile(join(at, path, name), 'utf8').catch(() => null)),
      )
      if (before !== now)
        throw new Error(`${path}/${name} was released and must not change: databases have applied it.`)
    }
    const fresh = (current ?? []).filter((name) => !released?.includes(name))
    for (const name of fresh) await cp(join(root, path, name), join(folder, path, name))
    added += fresh.length
  }
  return added
}

/** Test files that compare schema.prisma with the database: the new schema rightly has more than the release knows. */
async function schemaTests(folder: string, services: string[]): Promise<string[]> {
  const found = await Promise.all(
    services.map(async (service) => {
      const path = `services/${service}/test`
      const names = (await readdir(join(folder, path))).filter((name) => name.endsWith('.test.ts'))
      const texts = await Promise.all(names.map((name) => readFile(join(folder, path, name), 'utf8')))
      return names.filter((_, index) => texts[index]?.includes('schemaDifferences')).map((name) => `${path}/${name}`)
    }),
  )
  return found.flat()
}

/** Runs the release's tests in its folder with its own runner; returns the exit code. */
async function runTests(folder: string, patterns: string[], excluded: string[]): Promise<number> {
  const exclude = excluded.flatMap((file) => ['--exclude', file])
  const child = spawn(process.execPath, ['deploy/local/test.ts', 'unit', ...patterns, ...exclude], {
    cwd: folder,
    stdio: 'inherit',
    env: { ...process.env, PATH: `${join(folder, 'node_modules/.bin')}:${process.env.PATH}` },
    signal: stopping.signal,
  })
  child.on('error', () => {})
  return new Promise((resolve) => child.once('exit', (code) => resolve(code ?? 1)))
}

const stopping = new AbortController()
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => stopping.abort())
const ref = flags.ref ?? (await previousRelease())
const folder = await mkdtemp(join(tmpdir(), 'skyfolio-previous-'))
try {
  const commit = await git('rev-parse', '--short', `${ref}^{commit}`)
  await checkOut(ref, folder, stopping.signal)
  const services = servicesOf(folder)
  const patterns = positionals.length > 0 ? positionals : services.map((name) => `services/${name}/test`)
  const added = await addMigrations(folder, services)
  console.log(`Tests of ${ref} (${commit}) on a schema with ${added} more migrations: ${patterns.join(' ')}`)
  process.exitCode = await runTests(folder, patterns, await schemaTests(folder, services))
  const verdict = process.exitCode ? 'FAILS on this schema, or was interrupted' : 'works on this schema'
  console.log(`The previous release ${verdict}.`)
} finally {
  await removeCheckout(folder)
}
