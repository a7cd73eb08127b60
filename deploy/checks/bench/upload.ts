// `npm run check -- bench:upload [--files 40]`: photos of 4 to 25 MB through the gateway of a whole system on MinIO, beside
// the same bytes put straight into that MinIO, in alternating rounds; then the memory of gateway and media while files
// of 4 MB and of 150 MB go through. Prints Markdown. On Linux, on this machine's loopback only.
import { cpus } from 'node:os'
import { parseArgs } from 'node:util'
import { peakMemory, resetPeakMemory } from '@skyfolio/testkit/servers'
import { sizeOf } from '../load/files.ts'
import { fresh, freshTiff, pictureOf } from './pictures.ts'
import { CONNECTIONS, timed } from './send.ts'
import { type Cpu, openWorld, type World } from './upload-world.ts'

const { values: flags } = parseArgs({
  options: {
    files: { type: 'string', default: '200' },
    large: { type: 'string', default: '8' },
    // Without the rounds in which the worker makes renditions.
    'path-only': { type: 'boolean', default: false },
  },
})
const ROUNDS = 4
const FILES_OF_ROUND = Math.ceil(Number(flags.files) / ROUNDS)
const SMALL_FILES = 40
/** Of 6 MB each: together 150 MB. */
const LARGE_STRIPS = 25
const PICTURE_BYTES = [4.2e6, 8e6, 12e6, 16e6, 20e6, 24.5e6]

interface Sums {
  bytes: number
  /** Seconds of the uploads, of the puts, and from the begin of the uploads until all photos were processed. */
  through: number
  direct: number
  processed: number
  cpu: Partial<Cpu>
  directCpu: Partial<Cpu>
}

function add(sum: Partial<Cpu>, before: Cpu, after: Cpu): void {
  for (const name of Object.keys(after) as (keyof Cpu)[]) sum[name] = (sum[name] ?? 0) + after[name] - before[name]
}

/** Alternates gateway and store. The store is never measured while the worker works: it is held, or is waited for. */
async function measure(world: World, pictures: Buffer[], o: { workerHeld: boolean }): Promise<Sums> {
  const sums: Sums = { bytes: 0, through: 0, direct: 0, processed: 0, cpu: {}, directCpu: {} }
  if (o.workerHeld) process.kill(world.pids['media-worker'], 'SIGSTOP')
  for (let round = 0; round < ROUNDS; round += 1) {
    const pictureAt = (index: number) => pictures[(index + round) % pictures.length] as Buffer
    const files = Array.from({ length: FILES_OF_ROUND }, (_, index) => fresh(pictureAt(index)))
    sums.bytes += files.reduce((sum, file) => sum + sizeOf(file), 0)
    const begun = performance.now()
    const before = await world.cpu()
    sums.through += await timed(files, world.through)
    add(sums.cpu, before, await world.cpu())
    if (!o.workerHeld) await world.untilProcessed()
    sums.processed += (performance.now() - begun) / 1000
    const between = await world.cpu()
    sums.direct += await timed(files, world.direct)
    add(sums.directCpu, between, await world.cpu())
  }
  if (o.workerHeld) process.kill(world.pids['media-worker'], 'SIGCONT')
  await world.untilProcessed()
  return sums
}

/** Most MB that gateway and media hold while the files go through. */
async function peaks({ pids, through }: World, files: Uint8Array[][]) {
  await resetPeakMemory(pids.gateway)
  await resetPeakMemory(pids.media)
  await timed(files, through)
  return { gateway: await peakMemory(pids.gateway), media: await peakMemory(pids.media) }
}

const speed = (bytes: number, seconds: number) => (bytes / 1e6 / seconds).toFixed(0)

function throughputRow(what: string, { bytes, through, direct }: Sums): string {
  return `| ${what} | ${speed(bytes, through)} | ${speed(bytes, direct)} | ${(direct / through).toFixed(2)} |`
}

function costOf(cpu: Partial<Cpu>, bytes: number): string {
  const costs = Object.entries(cpu).map(([name, seconds]) => [name, (seconds * 1e9) / bytes] as const)
  return costs
    .filter(([, cost]) => cost >= 0.05)
    .map(([name, cost]) => `${name} ${cost.toFixed(1)}`)
    .join(', ')
}

function throughput(pictures: Buffer[], path: Sums, shipped: Sums | null): string {
  const sizes = pictures.map(({ length }) => length / 1e6)
  const range = `${Math.min(...sizes).toFixed(1)} to ${Math.max(...sizes).toFixed(1)} MB`
  const files = FILES_OF_ROUND * ROUNDS
  const lines = [
    `${files} JPEGs of ${range}, ${CONNECTIONS} at the same time, ${ROUNDS} rounds; ${cpus().length} × ${cpus()[0]?.model.trim()}`,
    '',
    '| upload | through the gateway, MB/s | straight into MinIO, MB/s | ratio (budget 0.6) |',
    '| --- | ---: | ---: | ---: |',
    throughputRow('the path alone, the worker held', path),
    ...(shipped ? [throughputRow('as shipped, the worker makes renditions meanwhile', shipped)] : []),
    '',
    `CPU seconds for a GB: ${costOf(path.cpu, path.bytes)}; straight into MinIO: ${costOf(path.directCpu, path.bytes)}.`,
  ]
  if (!shipped) return lines.join('\n')
  return [
    ...lines,
    `As shipped, while the uploads last: ${costOf(shipped.cpu, shipped.bytes)}. All photos of a round are processed ${(shipped.processed / ROUNDS).toFixed(1)} s after its begin: ${(files / shipped.processed).toFixed(1)} a second.`,
  ].join('\n')
}

async function memory(world: World, picture: Buffer): Promise<string> {
  const small = await peaks(
    world,
    Array.from({ length: SMALL_FILES }, () => fresh(picture)),
  )
  const large = await peaks(
    world,
    Array.from({ length: Number(flags.large) }, () => freshTiff(LARGE_STRIPS)),
  )
  const row = (part: 'gateway' | 'media') =>
    `| ${part} | ${small[part].toFixed(0)} | ${large[part].toFixed(0)} | ${(large[part] - small[part]).toFixed(0)} |`
  return [
    '| most resident, MB | 4 MB files | 150 MB files | more (budget 50) |',
    '| --- | ---: | ---: | ---: |',
    row('gateway'),
    row('media'),
  ].join('\n')
}

const pictures = await Promise.all(PICTURE_BYTES.map(pictureOf))
const world = await openWorld()
const close = async () => {
  // A process that is held does not hear that it shall end.
  process.kill(world.pids['media-worker'], 'SIGCONT')
  await world.close()
}
for (const signal of ['SIGINT', 'SIGTERM']) process.once(signal, () => close().finally(() => process.exit(1)))
try {
  // Before the first round everything has run once.
  await timed(pictures.map(fresh), world.through)
  await world.untilProcessed()
  const path = await measure(world, pictures, { workerHeld: true })
  const shipped = flags['path-only'] ? null : await measure(world, pictures, { workerHeld: false })
  console.log(throughput(pictures, path, shipped))
  console.log(`\n${await memory(world, pictures[0] as Buffer)}`)
} finally {
  await close()
}
