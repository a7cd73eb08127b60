import { execFileSync, spawnSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { imageSources, withoutCredentials } from './image-sources.ts'

// `npm run ops -- images --tag dev`: builds the images with Docker and prints their sizes.
const { values: flags } = parseArgs({
  options: {
    tag: { type: 'string', default: 'dev' },
    /** Names of images, separated by commas; all when absent. */
    only: { type: 'string' },
    registry: { type: 'string' },
    /** For buildx, such as linux/amd64,linux/arm64; images of several platforms must be pushed. */
    platform: { type: 'string' },
    push: { type: 'boolean', default: false },
    /** Adds SBOM and provenance; requires a builder with the driver docker-container. */
    attest: { type: 'boolean', default: false },
    /** sha256:… of the base image. */
    'node-digest': { type: 'string' },
    /** URL of the repository, for the label. */
    source: { type: 'string', default: '' },
  },
})

const root = fileURLToPath(new URL('../../', import.meta.url))
const dockerfile = fileURLToPath(new URL('../Dockerfile', import.meta.url))

function git(...args: string[]): string {
  return execFileSync('git', args, { cwd: root, encoding: 'utf8' }).trim()
}

/** The commit, marked when the checkout has changes on top of it. */
function revision(): string {
  return git('rev-parse', 'HEAD') + (git('status', '--porcelain') ? '-dirty' : '')
}

function build(target: string): void {
  const name = `${flags.registry ? `${flags.registry}/` : ''}skyfolio/${target}:${flags.tag}`
  const settings: Record<string, string | undefined> = {
    VERSION: flags.tag,
    REVISION: revision(),
    // Of the commit, so that the same commit always has the same labels.
    CREATED: git('log', '-1', '--format=%cI'),
    SOURCE: withoutCredentials(flags.source),
    NODE_DIGEST: flags['node-digest'],
  }
  const args = Object.entries(settings).flatMap(([key, value]) => (value ? ['--build-arg', `${key}=${value}`] : []))
  if (flags.platform) args.push('--platform', flags.platform)
  if (flags.attest) args.push('--sbom=true', '--provenance=mode=max')
  args.push(flags.push ? '--push' : '--load')
  const startedAt = Date.now()
  run('buildx', 'build', '--file', dockerfile, '--target', target, '--tag', name, '--progress', 'plain', ...args, '.')
  const seconds = Math.round((Date.now() - startedAt) / 1000)
  console.log([name.padEnd(40), `${seconds} s`.padStart(6), flags.push ? 'pushed' : sizeOf(name)].join('  '))
}

/** Runs docker. Its output is printed only when it fails. */
function run(...args: string[]): string {
  const done = spawnSync('docker', args, { cwd: root, encoding: 'utf8', maxBuffer: 256 * 1024 * 1024 })
  if (done.error) throw new Error(`docker could not be started: ${done.error.message}`)
  if (done.status === 0) return done.stdout
  throw new Error(`docker ${args.join(' ')} failed:\n${done.stdout}${done.stderr}`)
}

function sizeOf(name: string): string {
  return `${Math.round(Number(run('image', 'inspect', '--format', '{{.Size}}', name)) / 1e6)} MB`.padStart(7)
}

const all = Object.keys(imageSources())
const requested = flags.only?.split(',') ?? all
const unknown = requested.filter((name) => !all.includes(name))
try {
  if (unknown.length > 0) throw new Error(`There is no image ${unknown.join(', ')}; there are ${all.join(', ')}.`)
  for (const target of requested) build(target)
} catch (error) {
  console.error((error as Error).message)
  process.exitCode = 1
}
