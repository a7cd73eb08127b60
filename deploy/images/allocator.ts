import { spawnSync } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { fileURLToPath } from 'node:url'

// `npm run bench:allocator -- [tag] [photos]`: the same photos drawn in the media worker's image, with jemalloc and with glibc's
// own allocator, side by side. Needs Docker and the image. Prints Markdown.
const [tag = 'dev', photos = '120'] = process.argv.slice(2)
const image = `skyfolio/media-worker:${tag}`
const script = '/app/deploy/images/allocator-load.ts'
const volume = `skyfolio-allocator-${randomBytes(4).toString('hex')}`

const variants: [string, string[]][] = [
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
  const mounts = ['--volume', `${mounted}:${script}:ro`, '--volume', `${volume}:/pictures`]
  return docker('run', '--rm', '--user', '0', '--memory', '2g', ...mounts, ...options, image, 'node', script, ...args)
}

try {
  runScript([], 'make', '/pictures')
  console.log(
    `${photos} JPEGs of 3 to 48 megapixels, two at a time, in a container of 2 GB; resident memory of the process in MB:\n`,
  )
  console.log('| allocator | peak | after the last photo | 15 s later | CPU ms a photo | seconds |')
  console.log('| --- | --- | --- | --- | --- | --- |')
  for (const [name, options] of variants) {
    const f: Figures = JSON.parse(runScript(options, 'draw', '/pictures', photos))
    console.log(`| ${name} | ${f.peak} | ${f.atEnd} | ${f.atRest} | ${f.cpuMs} | ${f.seconds} |`)
  }
} finally {
  docker('volume', 'rm', '--force', volume)
}
