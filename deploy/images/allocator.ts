import { spawnSync } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { fileURLToPath } from 'node:url'

// `npm run check -- bench:allocator [tag] [photos]`: renders the same photos in the image of the media worker, with jemalloc and
// with glibc's allocator. Needs Docker and the image. Prints Markdown.
const [tag = 'dev', photos = '120'] = process.argv.slice(2)
const IMAGE = `skyfolio/media-worker:${tag}`
const SCRIPT = '/app/deploy/images/allocator-load.ts'
const VOLUME = `skyfolio-allocator-${randomBytes(4).toString('hex')}`

const VARIANTS: [string, string[]][] = [
  ['glibc', ['--env', 'LD_PRELOAD=']],
  ['jemalloc, as in the image', []],
]

interface Figures {
  peak: number
  atEnd: number
  atRest: number
  seconds: number
  cpuMs: number
}

function docker(...args: string[]): string {
  const done = spawnSync('docker', args, { encoding: 'utf8' })
  if (done.error) throw new Error(`docker could not be started: ${done.error.message}`)
  if (done.status !== 0) throw new Error(`docker ${args.join(' ')} failed:\n${done.stdout}${done.stderr}`)
  return done.stdout
}

function runScript(options: string[], ...args: string[]): string {
  const mounted = fileURLToPath(new URL('./allocator-load.ts', import.meta.url))
  const mounts = ['--volume', `${mounted}:${SCRIPT}:ro`, '--volume', `${VOLUME}:/photos`]
  return docker('run', '--rm', '--user', '0', '--memory', '2g', ...mounts, ...options, IMAGE, 'node', SCRIPT, ...args)
}

try {
  runScript([], 'make', '/photos')
  console.log(
    `${photos} JPEGs of 3 to 48 megapixels, two at a time, in a container of 2 GB; resident memory of the process in MB:\n`,
  )
  console.log('| allocator | peak | after the last photo | 15 s later | CPU ms a photo | seconds |')
  console.log('| --- | --- | --- | --- | --- | --- |')
  for (const [name, options] of VARIANTS) {
    const figures: Figures = JSON.parse(runScript(options, 'render', '/photos', photos))
    const { peak, atEnd, atRest, cpuMs, seconds } = figures
    console.log(`| ${name} | ${peak} | ${atEnd} | ${atRest} | ${cpuMs} | ${seconds} |`)
  }
} finally {
  docker('volume', 'rm', '--force', VOLUME)
}
