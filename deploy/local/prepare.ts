import { spawn } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync } from 'node:fs'
import { copyFile, mkdir, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { cacheDirectory } from '@skyfolio/testkit/servers'
import { databases } from '../components.ts'
import { root } from './paths.ts'

interface Step {
  name: string
  /** Files and folders that the result is built from. */
  inputs: string[]
  /** A file that exists afterwards. */
  output: string
  command: string[]
  /** The output is all that the step makes, and is kept outside the checkout for the next one with the same inputs. */
  isKept?: true
}

const PLACES_STEP: Step = {
  name: 'place data',
  inputs: ['services/media/scripts', 'services/media/src/places', 'services/media/package.json'],
  output: 'services/media/data/places.bin',
  command: ['npm', 'run', '--silent', 'places:build', '-w', '@skyfolio/media'],
  isKept: true,
}

const MAP_STEP: Step = {
  name: 'base map',
  inputs: [
    'services/media/scripts',
    'services/media/src/base-map',
    'services/media/src/places',
    'services/media/package.json',
  ],
  output: 'services/media/data/world.pmtiles',
  command: ['npm', 'run', '--silent', 'map:build', '-w', '@skyfolio/media'],
  isKept: true,
}

const WEB_STEP: Step = {
  name: 'web application',
  inputs: [
    'web/src',
    'web/scripts',
    'web/public',
    'web/index.html',
    'web/vite.config.ts',
    'web/package.json',
    'package-lock.json',
  ],
  output: 'web/dist/index.html',
  command: ['npm', 'run', '--silent', 'build', '-w', '@skyfolio/web'],
}

/**
 * Builds what the code needs and the repository does not contain: Prisma clients, the place data, the base map and, for a start,
 * the web application. Each is built again only when its inputs have changed.
 */
export async function prepare(options: { web: boolean }): Promise<void> {
  await prepareDatabaseClients()
  for (const step of [PLACES_STEP, MAP_STEP, ...(options.web ? [WEB_STEP] : [])]) await runStep(step)
}

/** Builds the database clients again where a schema has changed. */
export async function prepareDatabaseClients(): Promise<void> {
  await Promise.all(databases().map((service) => runStep(prismaStep(service))))
}

function prismaStep(service: string): Step {
  const schema = `services/${service}/prisma/schema.prisma`
  return {
    name: `database client of ${service}`,
    inputs: [schema, 'node_modules/prisma/package.json'],
    output: `services/${service}/src/generated/client.ts`,
    command: ['prisma', 'generate', '--schema', schema],
  }
}

async function runStep(step: Step): Promise<void> {
  const stamp = join(root, 'node_modules/.skyfolio-stamps', step.name.replaceAll(' ', '-'))
  const hash = await hashOf(step.inputs)
  const current = existsSync(stamp) ? await readFile(stamp, 'utf8') : ''
  if (current === hash && existsSync(join(root, step.output))) return
  if (step.isKept) await buildOrCopy(step, hash)
  else await build(step)
  await mkdir(join(stamp, '..'), { recursive: true })
  await writeFile(stamp, hash)
}

async function build({ name, command }: Step): Promise<void> {
  console.log(`Building the ${name} …`)
  await runCommand(command)
}

async function buildOrCopy(step: Step, hash: string): Promise<void> {
  const output = join(root, step.output)
  const kept = join(cacheDirectory(), `${basename(output)}-${hash.slice(0, 16)}`)
  await mkdir(dirname(output), { recursive: true })
  if (
    await copyFile(kept, output).then(
      () => true,
      () => false,
    )
  )
    return
  await build(step)
  const unfinished = `${kept}.${process.pid}`
  try {
    await mkdir(dirname(kept), { recursive: true })
    await copyFile(output, unfinished)
    await rename(unfinished, kept)
    const others = (await readdir(dirname(kept))).filter((name) => name.startsWith(`${basename(output)}-`))
    for (const name of others) if (name !== basename(kept)) await rm(join(dirname(kept), name), { force: true })
  } catch (error) {
    console.log(`The ${step.name} could not be kept for other checkouts: ${(error as Error).message}`)
  }
}

/** Runs a command in the checkout. Its output is printed only when it fails. */
async function runCommand([command = '', ...args]: string[]): Promise<void> {
  // Prisma requires a native engine that `generate` never runs: any executable will do, and nothing is downloaded.
  const env = { ...process.env, PRISMA_SCHEMA_ENGINE_BINARY: process.execPath, PRISMA_HIDE_UPDATE_MESSAGE: '1' }
  const child = spawn(command, args, { cwd: root, env, stdio: ['ignore', 'pipe', 'pipe'] })
  const output: Buffer[] = []
  child.stdout.on('data', (chunk: Buffer) => output.push(chunk))
  child.stderr.on('data', (chunk: Buffer) => output.push(chunk))
  const code = await new Promise((resolve, reject) => child.once('error', reject).once('close', resolve))
  if (code === 0) return
  throw new Error(`${command} ${args.join(' ')} failed:\n${Buffer.concat(output).toString()}`)
}

async function hashOf(inputs: string[]): Promise<string> {
  const hash = createHash('sha256')
  for (const input of inputs) await addToHash(hash, join(root, input))
  return hash.digest('hex')
}

async function addToHash(hash: ReturnType<typeof createHash>, path: string): Promise<void> {
  if (!existsSync(path)) return
  const entries = await readdir(path, { recursive: true, withFileTypes: true }).catch(() => null)
  if (!entries) {
    hash.update(path.slice(root.length)).update(await readFile(path))
    return
  }
  const files = entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name))
  for (const file of files.sort()) hash.update(file.slice(root.length)).update(await readFile(file))
}

if (import.meta.main) await prepare({ web: process.argv.includes('--web') })
