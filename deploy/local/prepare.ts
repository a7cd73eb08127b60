import { spawn } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync } from 'node:fs'
import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { root } from './paths.ts'

interface Step {
  name: string
  /** Files and folders that the result is made from. */
  inputs: string[]
  /** What must exist afterwards. */
  output: string
  command: string[]
}

const services = ['auth', 'media', 'folders']

const prismaSteps: Step[] = services.map((service) => ({
  name: `database client of ${service}`,
  inputs: [`services/${service}/prisma/schema.prisma`, 'node_modules/prisma/package.json'],
  output: `services/${service}/src/generated/client.ts`,
  command: ['prisma', 'generate', '--schema', `services/${service}/prisma/schema.prisma`],
}))

const placesStep: Step = {
  name: 'place data',
  inputs: ['services/media/scripts', 'services/media/src/places', 'services/media/package.json'],
  output: 'services/media/data/places.bin',
  command: ['npm', 'run', '--silent', 'places:build', '-w', '@skyfolio/media'],
}

const webStep: Step = {
  name: 'web application',
  inputs: ['web/src', 'web/public', 'web/index.html', 'web/vite.config.ts', 'web/package.json', 'package-lock.json'],
  output: 'web/dist/index.html',
  command: ['npm', 'run', '--silent', 'build', '-w', '@skyfolio/web'],
}

/**
 * Makes what the code needs and the repository does not hold: Prisma clients, the place data and, for a start, the SPA.
 * Each is made again only when what it is made from has changed.
 */
export async function prepare(options: { web: boolean }): Promise<void> {
  for (const step of [...prismaSteps, placesStep, ...(options.web ? [webStep] : [])]) await runStep(step)
}

async function runStep(step: Step): Promise<void> {
  const stamp = join(root, 'node_modules/.skyfolio-stamps', step.name.replaceAll(' ', '-'))
  const hash = await hashOf(step.inputs)
  const current = existsSync(stamp) ? await readFile(stamp, 'utf8') : ''
  if (current === hash && existsSync(join(root, step.output))) return
  console.log(`Making the ${step.name} …`)
  await runCommand(step.command)
  await mkdir(join(stamp, '..'), { recursive: true })
  await writeFile(stamp, hash)
}

/** Runs a command in the checkout; what it prints is shown only when it fails. */
async function runCommand([command = '', ...args]: string[]): Promise<void> {
  // Prisma asks for a native engine that `generate` never runs: any executable satisfies it, and nothing is downloaded.
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
