// `npm run check -- bench:upload [--files 40]`: uploads photos of 4 to 25 MB through the gateway of a complete system with
// MinIO, and in alternating rounds puts the same bytes directly into that MinIO; then measures the memory of gateway and
// media while files of 4 MB and of 150 MB are uploaded. Prints Markdown. Linux only, on the loopback interface.
import { cpus } from 'node:os'
import { parseArgs } from 'node:util'
import { peakMemory, resetPeakMemory } from '@skyfolio/testkit/servers'
import { sizeOf } from '../load/multipart.ts'
import { CONNECTIONS, runTimed } from './upload-client.ts'
import { createJpeg, createTiff, makeUnique } from './upload-files.ts'
import { type BenchSystem, type CpuSeconds, startBenchSystem } from './upload-system.ts'

const { values: flags } = parseArgs({
  options: {
    files: { type: 'string', default: '200' },
    large: { type: 'string', default: '8' },
    // Skips the rounds in which the worker processes photos.
    'path-only': { type: 'boolean', default: false },
  },
})
const ROUNDS = 4
const FILES_OF_ROUND = Math.ceil(Number(flags.files) / ROUNDS)
const SMALL_FILES = 40
/** Strips of 6 MB each: 150 MB in total. */
const LARGE_STRIPS = 25
const PHOTO_BYTES = [4.2e6, 8e6, 12e6, 16e6, 20e6, 24.5e6]

interface Sums {
  bytes: number
  /** Seconds of the uploads, of the puts, and from the start of the uploads until all photos were processed. */
  through: number
  direct: number
  processed: number
  cpu: Partial<CpuSeconds>
  directCpu: Partial<CpuSeconds>
}

function add(sum: Partial<CpuSeconds>, before: CpuSeconds, after: CpuSeconds): void {
  for (const name of Object.keys(after) as (keyof CpuSeconds)[])
    sum[name] = (sum[name] ?? 0) + after[name] - before[name]
}

/** Alternates gateway and store. The store is never measured while the worker runs: it is stopped, or idle. */
async function measure(system: BenchSystem, photos: Buffer[], options: { workerStopped: boolean }): Promise<Sums> {
  const sums: Sums = { bytes: 0, through: 0, direct: 0, processed: 0, cpu: {}, directCpu: {} }
  if (options.workerStopped) process.kill(system.pids['media-worker'], 'SIGSTOP')
  for (let round = 0; round < ROUNDS; round += 1) {
    const photoAt = (index: number) => photos[(index + round) % photos.length] as Buffer
    const files = Array.from({ length: FILES_OF_ROUND }, (_, index) => makeUnique(photoAt(index)))
    sums.bytes += files.reduce((sum, file) => sum + sizeOf(file), 0)
    const start = performance.now()
    const before = await system.readCpu()
    sums.through += await runTimed(files, system.uploadThroughGateway)
    add(sums.cpu, before, await system.readCpu())
    if (!options.workerStopped) await system.waitUntilProcessed()
    sums.processed += (performance.now() - start) / 1000
    const between = await system.readCpu()
    sums.direct += await runTimed(files, system.putIntoMinio)
    add(sums.directCpu, between, await system.readCpu())
  }
  if (options.workerStopped) process.kill(system.pids['media-worker'], 'SIGCONT')
  await system.waitUntilProcessed()
  return sums
}

/** Peak MB of gateway and media while the files are uploaded. */
async function measurePeaks({ pids, uploadThroughGateway }: BenchSystem, files: Uint8Array[][]) {
  await resetPeakMemory(pids.gateway)
  await resetPeakMemory(pids.media)
  await runTimed(files, uploadThroughGateway)
  return { gateway: await peakMemory(pids.gateway), media: await peakMemory(pids.media) }
}

const speed = (bytes: number, seconds: number) => (bytes / 1e6 / seconds).toFixed(0)

function throughputRow(what: string, { bytes, through, direct }: Sums): string {
  return `| ${what} | ${speed(bytes, through)} | ${speed(bytes, direct)} | ${(direct / through).toFixed(2)} |`
}

function describeCost(cpu: Partial<CpuSeconds>, bytes: number): string {
  const costs = Object.entries(cpu).map(([name, seconds]) => [name, (seconds * 1e9) / bytes] as const)
  return costs
    .filter(([, cost]) => cost >= 0.05)
    .map(([name, cost]) => `${name} ${cost.toFixed(1)}`)
    .join(', ')
}

function describeThroughput(photos: Buffer[], path: Sums, shipped: Sums | null): string {
  const sizes = photos.map(({ length }) => length / 1e6)
  const range = `${Math.min(...sizes).toFixed(1)} to ${Math.max(...sizes).toFixed(1)} MB`
  const files = FILES_OF_ROUND * ROUNDS
  const lines = [
    `${files} JPEGs of ${range}, ${CONNECTIONS} at a time, ${ROUNDS} rounds; ${cpus().length} × ${cpus()[0]?.model.trim()}`,
    '',
    '| upload | through the gateway, MB/s | directly into MinIO, MB/s | ratio (budget 0.6) |',
    '| --- | ---: | ---: | ---: |',
    throughputRow('worker stopped', path),
    ...(shipped ? [throughputRow('as shipped, the worker processes photos meanwhile', shipped)] : []),
    '',
    `CPU seconds per GB: ${describeCost(path.cpu, path.bytes)}; directly into MinIO: ${describeCost(path.directCpu, path.bytes)}.`,
  ]
  if (!shipped) return lines.join('\n')
  return [
    ...lines,
    `As shipped, during the uploads: ${describeCost(shipped.cpu, shipped.bytes)}. All photos of a round are processed ${(shipped.processed / ROUNDS).toFixed(1)} s after its start: ${(files / shipped.processed).toFixed(1)} per second.`,
  ].join('\n')
}

async function describeMemory(system: BenchSystem, photo: Buffer): Promise<string> {
  const small = await measurePeaks(
    system,
    Array.from({ length: SMALL_FILES }, () => makeUnique(photo)),
  )
  const large = await measurePeaks(
    system,
    Array.from({ length: Number(flags.large) }, () => createTiff(LARGE_STRIPS)),
  )
  const row = (part: 'gateway' | 'media') =>
    `| ${part} | ${small[part].toFixed(0)} | ${large[part].toFixed(0)} | ${(large[part] - small[part]).toFixed(0)} |`
  return [
    '| peak resident, MB | 4 MB files | 150 MB files | difference (budget 50) |',
    '| --- | ---: | ---: | ---: |',
    row('gateway'),
    row('media'),
  ].join('\n')
}

const photos = await Promise.all(PHOTO_BYTES.map(createJpeg))
const system = await startBenchSystem()
const close = async () => {
  // A stopped process does not receive SIGTERM.
  process.kill(system.pids['media-worker'], 'SIGCONT')
  await system.close()
}
for (const signal of ['SIGINT', 'SIGTERM']) process.once(signal, () => close().finally(() => process.exit(1)))
try {
  // Warm-up.
  await runTimed(photos.map(makeUnique), system.uploadThroughGateway)
  await system.waitUntilProcessed()
  const path = await measure(system, photos, { workerStopped: true })
  const shipped = flags['path-only'] ? null : await measure(system, photos, { workerStopped: false })
  console.log(describeThroughput(photos, path, shipped))
  console.log(`\n${await describeMemory(system, photos[0] as Buffer)}`)
} finally {
  await close()
}
