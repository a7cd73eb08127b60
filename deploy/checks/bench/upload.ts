// `npm run check -- bench:upload [--files 240] [--rounds 5] [--no-memory]`: uploads photos of 4 to 25 MB to a complete system with
// MinIO in every way, by turns in each round, and beside them what is the least that it could cost: PUTs straight into that MinIO,
// and two plain Node processes. Then measures the memory of gateway and media while files of 4 MB and of 150 MB are uploaded in
// parts. Digests are computed before, and the worker is suspended: it processes nothing. Prints Markdown. Linux only.
import { randomBytes, randomUUID } from 'node:crypto'
import { parseArgs } from 'node:util'
import { peakMemory, resetPeakMemory } from '@skyfolio/testkit/servers'
import { openSignedInClient } from '../../local/signed-in-client.ts'
import { createBasePhotos } from '../faults/upload-files.ts'
import { cleanups, median, runCheck } from '../harness.ts'
import { withComment } from '../load/multipart.ts'
import { type BenchSystem, readCpu, startBenchSystem } from './system.ts'
import { type BenchFile, createWays, describeFile, type UploadAll } from './upload-ways.ts'

const { values: flags } = parseArgs({
  allowNegative: true,
  options: {
    /** Of each way. */
    files: { type: 'string', default: '240' },
    rounds: { type: 'string', default: '5' },
    memory: { type: 'boolean', default: true },
  },
})
const ROUNDS = Number(flags.rounds)
const FILES_OF_ROUND = Math.ceil(Number(flags.files) / ROUNDS)
const MEGABYTES = [4, 8, 12, 16, 20, 24]
const [SMALL_FILES, LARGE_FILES] = [40, 8]
const BUCKET = 'bare'
const BLOCK = randomBytes(1_000_000)

interface Way {
  name: string
  /** Whose CPU time is the cost of it. */
  processes: string[]
  upload: UploadAll
}

interface Measurement {
  /** MB per second. */
  rate: number
  /** CPU seconds per GB. */
  cpu: number
}

/** Makes a file of so many MB that was never sent before; nothing decodes what is between its beginning and its end. */
function createFile(photo: Buffer, megabytes: number): BenchFile {
  const blocks = Array.from({ length: megabytes }, () => BLOCK)
  return describeFile([...withComment(photo.subarray(0, -2), randomBytes(16)), ...blocks, photo.subarray(-2)])
}

/** Starts a bucket for the references. Returns what signs a URL that puts a new object into it. */
async function openBucket({ store }: BenchSystem): Promise<() => Promise<string>> {
  await store.makeBucket(BUCKET)
  return () => store.presignedPutObject(BUCKET, randomUUID(), 3600)
}

async function openWays(system: BenchSystem): Promise<Way[]> {
  const { cookie } = await openSignedInClient(system.url, { username: 'bench', password: randomUUID() })
  const presignPut = await openBucket(system)
  const ways = createWays({ origin: system.url, cookie, pairUrl: system.referenceUrl, presignPut })
  const own = ['gateway', 'media']
  return [
    { name: 'bare PUTs', processes: [], upload: ways.bare },
    { name: 'the bare pair', processes: ['proxy', 'handler'], upload: ways.pair },
    { name: 'parts through the gateway', processes: own, upload: ways.gateway },
    { name: 'parts straight to the store', processes: own, upload: ways.direct },
    { name: 'the form', processes: own, upload: ways.form },
  ]
}

async function measure(system: BenchSystem, { processes, upload }: Way, photo: Buffer): Promise<Measurement> {
  const files = Array.from({ length: FILES_OF_ROUND }, (_, index) => {
    return createFile(photo, MEGABYTES[index % MEGABYTES.length] ?? 0)
  })
  const megabytes = files.reduce((sum, { size }) => sum + size, 0) / 1e6
  const cpu = await readCpu(system, processes)
  const start = performance.now()
  await upload(files)
  const seconds = (performance.now() - start) / 1000
  return { rate: megabytes / seconds, cpu: ((await readCpu(system, processes)) - cpu) / (megabytes / 1000) }
}

/** Peak MB of a process while the files are uploaded in parts through gateway and media. */
async function measurePeaks({ pids }: BenchSystem, upload: UploadAll, files: BenchFile[]): Promise<number[]> {
  const measured = ['gateway', 'media'].map((name) => pids[name] ?? 0)
  for (const pid of measured) await resetPeakMemory(pid)
  await upload(files)
  return (await Promise.all(measured.map(peakMemory))).map(Math.round)
}

/** The median of the rounds' ratios, each of two measurements of one round. */
function describeRatio(measured: Measurement[], reference: Measurement[] = []): string {
  return median(measured.map(({ rate }, round) => rate / (reference[round]?.rate ?? 0))).toFixed(2)
}

await runCheck(3_600_000, async (folder) => {
  const [photo = Buffer.alloc(0)] = await createBasePhotos()
  // The largest files are JPEGs too.
  const publish = (storeUrl: string) => ({ S3_PUBLIC_ENDPOINT: storeUrl, UPLOAD_MAX_FILE_BYTES: '160000000' })
  const system = await startBenchSystem(folder, { roles: ['handler', 'proxy'] }, publish)
  const worker = system.pids['media-worker'] ?? 0
  process.kill(worker, 'SIGSTOP')
  // A suspended process does not receive SIGTERM.
  cleanups.push(async () => process.kill(worker, 'SIGCONT'))
  const ways = await openWays(system)
  // Warm-up.
  for (const { upload } of ways) await upload(MEGABYTES.map((megabytes) => createFile(photo, megabytes)))

  const measured = ways.map((): Measurement[] => [])
  for (let round = 0; round < ROUNDS; round += 1) {
    // Each round begins with another way.
    for (let turn = 0; turn < ways.length; turn += 1) {
      const index = (round + turn) % ways.length
      measured[index]?.push(await measure(system, ways[index] as Way, photo))
    }
  }
  console.log('| way | MB/s | of bare PUTs | of the bare pair | CPU s/GB |\n| --- | ---: | ---: | ---: | ---: |')
  for (const [index, { name }] of ways.entries()) {
    const own = measured[index] ?? []
    const rate = median(own.map((one) => one.rate)).toFixed(0)
    const cpu = median(own.map((one) => one.cpu)).toFixed(2)
    const ratios = [measured[0], measured[1]].map((reference) => describeRatio(own, reference))
    console.log(`| ${[name, rate, ...ratios, cpu].join(' | ')} |`)
  }
  const through = ways[2]?.upload
  if (!flags.memory || !through) return
  const small = Array.from({ length: SMALL_FILES }, () => createFile(photo, 4))
  const [gateway, media] = await measurePeaks(system, through, small)
  const large = Array.from({ length: LARGE_FILES }, () => createFile(photo, 150))
  const [largeGateway, largeMedia] = await measurePeaks(system, through, large)
  console.log(`\nPeak memory, MB, with files of 4 and of 150 MB (at most 50 more):`)
  console.log(`gateway ${gateway} and ${largeGateway}, media ${media} and ${largeMedia}.`)
})
