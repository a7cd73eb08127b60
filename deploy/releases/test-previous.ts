// `npm run test:previous-release [-- --ref v1.2.3] [-- services/folders]`: the previous release's own tests of its services, run
// by its own code against databases with this checkout's migrations. While an upgrade rolls out both run side by side, and a
// rollback leaves the new schema behind: what fails here would fail then. Ends with 1 when a test fails.
import { spawn } from 'node:child_process'
import { cp, mkdtemp, readdir, readFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { root } from '../local/paths.ts'
import { checkOut, git, previousRelease, removeCheckout } from './checkout.ts'

const services = ['auth', 'media', 'folders']
const { values: flags, positionals } = parseArgs({ options: { ref: { type: 'string' } }, allowPositionals: true })
const patterns = positionals.length > 0 ? positionals : services.map((name) => `services/${name}/test`)

/**
 * Puts this checkout's migrations over those of the release; answers how many are new.
 * @throws Error when one that was released has changed or is gone: databases have it as it was
 */
async function putMigrations(folder: string): Promise<number> {
  let added = 0
  for (const service of services) {
    const path = `services/${service}/prisma/migrations`
    const [released, current] = await Promise.all([folder, root].map((at) => readdir(join(at, path))))
    for (const name of released ?? []) {
      const [before, now] = await Promise.all(
        [folder, root].map((at) => readFile(join(at, path, name), 'utf8').catch(() => null)),
      )
      if (before !== now)
        throw new Error(`${path}/${name} was released and may not change: databases have it as it was.`)
    }
    const fresh = (current ?? []).filter((name) => !released?.includes(name))
    for (const name of fresh) await cp(join(root, path, name), join(folder, path, name))
    added += fresh.length
  }
  return added
}

/** Test files that compare schema.prisma with the database: the new schema has more than the release knows, as it should. */
async function comparingSchemas(folder: string): Promise<string[]> {
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

/** Runs the release's tests in its folder with its own runner; gives the exit code. */
async function runTests(folder: string): Promise<number> {
  const exclude = (await comparingSchemas(folder)).flatMap((file) => ['--exclude', file])
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
  const added = await putMigrations(folder)
  console.log(`The tests of ${ref} (${commit}) on a schema with ${added} further migrations: ${patterns.join(' ')}`)
  process.exitCode = await runTests(folder)
  const verdict = process.exitCode ? 'FAILS on this schema, or was broken off' : 'works on this schema'
  console.log(`The previous release ${verdict}.`)
} finally {
  await removeCheckout(folder)
}
