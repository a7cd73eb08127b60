// `npm run check -- bench:upload [--files 240] [--ways bare,pair,gateway,direct,form] [--part-mib 32] [--no-memory]`: uploads
// photos of 4 to 25 MB to a complete system with MinIO in every way, by turns in each round, and beside them what is the least
// that it could cost: PUTs straight into that MinIO, and two plain Node processes. Then measures the memory of gateway and media
// while files of 4 MB and of 150 MB are uploaded in parts. Digests are computed before. Prints Markdown. Linux only.
import { cpus } from 'node:os'
import { parseArgs } from 'node:util'
import { peakMemory, resetPeakMemory } from '@skyfolio/testkit/servers'
import { runCheck } from '../harness.ts'
import { CONNECTIONS } from './upload-client.ts'
import { createJpeg, createTiff, describeFile, makeUnique } from './upload-files.ts'
import { describeMemory, describeRounds, type Measurement, type Peaks, type Round } from './upload-report.ts'
import { type BenchSystem, type CpuSeconds, startBenchSystem } from './upload-system.ts'
import { WAYS, type Way } from './upload-ways.ts'

const { values: flags } = parseArgs({
  allowNegative: true,
  options: {
    /** Of each way. */
    files: { type: 'string', default: '240' },
    rounds: { type: 'string', default: '5' },
    ways: { type: 'string', default: WAYS.join(',') },
    // What the application chooses on a fast line.
    'part-mib': { type: 'string', default: '32' },
    large: { type: 'string', default: '8' },
    memory: { type: 'boolean', default: true },
  },
})
const ROUNDS = Number(flags.rounds)
const FILES_OF_ROUND = Math.ceil(Number(flags.files) / ROUNDS)
const PART_BYTES = Number(flags['part-mib']) * 1024 * 1024
const SMALL_FILES = 40
/** Strips of 6 MB each: 150 MB in total. */
const LARGE_STRIPS = 25
const PHOTO_BYTES = [4.2e6, 8e6, 12e6, 16e6, 20e6, 24.5e6]
const ways = flags.ways.split(',').map((name): Way => {
  const way = WAYS.find((known) => known === name)
  if (!way) throw new Error(`There is no way "${name}" but ${WAYS.join(', ')}.`)
  return way
})

const newFile = (photo: Buffer) => describeFile(makeUnique(photo), PART_BYTES)

async function measure({ readCpu, ways: upload }: BenchSystem, way: Way, photos: Buffer[]): Promise<Measurement> {
  const files = photos.map(newFile)
  const before = await readCpu()
  const start = performance.now()
  await upload[way](files)
  const seconds = (performance.now() - start) / 1000
  const after = await readCpu()
  const names = Object.keys(after) as (keyof CpuSeconds)[]
  const cpu = Object.fromEntries(names.map((name) => [name, after[name] - before[name]])) as CpuSeconds
  return { way, bytes: files.reduce((sum, { size }) => sum + size, 0), seconds, cpu }
}

/** Every way once, each round beginning with another one. */
async function measureRound(system: BenchSystem, photos: Buffer[], index: number): Promise<Round> {
  const chosen = Array.from({ length: FILES_OF_ROUND }, (_, at) => photos[(at + index) % photos.length] as Buffer)
  const first = index % ways.length
  const round: Round = new Map()
  for (const way of [...ways.slice(first), ...ways.slice(0, first)]) {
    round.set(way, await measure(system, way, chosen))
  }
  return round
}

/** Peak MB of gateway and media while the files are uploaded in parts through both. */
async function measurePeaks({ pids, ways: upload }: BenchSystem, files: Uint8Array[][], name: string): Promise<Peaks> {
  await resetPeakMemory(pids.gateway)
  await resetPeakMemory(pids.media)
  await upload.gateway(files.map((pieces) => describeFile(pieces, PART_BYTES, name)))
  return { gateway: await peakMemory(pids.gateway), media: await peakMemory(pids.media) }
}

await runCheck(3_600_000, async (folder) => {
  const photos = await Promise.all(PHOTO_BYTES.map(createJpeg))
  const [photo = Buffer.alloc(0)] = photos
  const system = await startBenchSystem(folder)
  // Warm-up.
  for (const way of ways) await system.ways[way](photos.map(newFile))
  const rounds: Round[] = []
  for (let index = 0; index < ROUNDS; index += 1) rounds.push(await measureRound(system, photos, index))
  const sizes = photos.map(({ length }) => length / 1e6)
  const range = `${Math.min(...sizes).toFixed(1)} to ${Math.max(...sizes).toFixed(1)} MB`
  const machine = `${cpus().length} × ${cpus()[0]?.model.trim()}`
  const files = `${FILES_OF_ROUND * ROUNDS} JPEGs of ${range} each way, ${CONNECTIONS} at a time, ${ROUNDS} rounds`
  console.log(`${files}, parts of ${flags['part-mib']} MiB; ${machine}\n\n${describeRounds(rounds, ways)}`)
  if (!flags.memory) return
  const small = Array.from({ length: SMALL_FILES }, () => makeUnique(photo))
  const large = Array.from({ length: Number(flags.large) }, () => createTiff(LARGE_STRIPS))
  const ofSmall = await measurePeaks(system, small, 'photo.jpg')
  console.log(`\n${describeMemory(ofSmall, await measurePeaks(system, large, 'photo.tif'))}`)
})
