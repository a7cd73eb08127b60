// `npm run check -- bench:pictures [pictures] [owner] [cold]`: pictures through the gateway of a complete system
// with MinIO, beside @fastify/static with the same files behind @fastify/http-proxy, in alternating rounds of one run on the
// loopback interface; without an argument all three parts. Prints Markdown. Exits with 1 only for a wrong response: the
// budgets are printed. Linux only.
import { cpus } from 'node:os'
import { parseArgs } from 'node:util'
import { peakMemory, resetPeakMemory } from '@skyfolio/testkit/servers'
import type { ListedRequest } from '../../../services/folders/bench/load.ts'
import { runCheck } from '../harness.ts'
import {
  createColdFolder,
  objectKey,
  type Picture,
  type Pictures,
  readPictures,
  writeReferenceFiles,
} from './picture-files.ts'
import {
  CONNECTIONS,
  type Comparison,
  compare,
  fail,
  loadPictures,
  perSecond,
  type Side,
  wrongResults,
} from './picture-loads.ts'
import { type BenchSystem, BUCKET, startBenchSystem } from './picture-system.ts'

const { values: flags, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    seconds: { type: 'string', default: '5' },
    rounds: { type: 'string', default: '3' },
    // Photos whose objects are requested once; the rounds and their warm-up share them.
    cold: { type: 'string', default: '4000' },
  },
})
const SECONDS = Number(flags.seconds)
const ROUNDS = Number(flags.rounds)
const COLD_PHOTOS = Number(flags.cold)
const PHOTOS = 30
const WARM_UP_SECONDS = 2
const BUDGETS = { visitor: 0.8, owner: 0.6, cold: 0.6, p99: 50 }

interface Prepared {
  system: BenchSystem
  pictures: Pictures
}

const whole = (value: number) => Math.round(value).toLocaleString('en')
const verdict = (isMet: boolean) => (isMet ? 'met' : 'missed')
const average = (values: number[]) => values.reduce((sum, value) => sum + value, 0) / values.length

/** Requests each picture once and compares its bytes. Returns the same requests with If-None-Match. */
async function checkBytes(port: number, requests: ListedRequest[], pictures: Picture[]): Promise<ListedRequest[]> {
  const conditional: ListedRequest[] = []
  for (const [index, { path, headers }] of requests.entries()) {
    const response = await fetch(`http://127.0.0.1:${port}${path}`, { headers: headers ?? {} })
    const bytes = Buffer.from(await response.arrayBuffer())
    if (!response.ok || !bytes.equals(pictures[index]?.bytes as Buffer))
      fail(`${path} returned ${response.status} with ${bytes.length} bytes, which are not the stored ones`)
    const etag = response.headers.get('etag') ?? ''
    conditional.push({ path, headers: { ...headers, 'if-none-match': etag }, status: 304, bytes: 0 })
  }
  return conditional
}

const asVisitor = (pictures: Picture[]): ListedRequest[] =>
  pictures.map(({ publicPath: path, bytes }) => ({ path, status: 200, bytes: bytes.length }))
const asOwner = (pictures: Picture[], headers?: Record<string, string>): ListedRequest[] =>
  pictures.map(({ ownPath: path, bytes }) => ({ path, status: 200, bytes: bytes.length, ...(headers && { headers }) }))

/** Ours and the reference at their peaks. */
async function comparePeaks(system: BenchSystem, ours: ListedRequest[], reference: ListedRequest[]) {
  const sides = [
    { port: system.port, requests: ours },
    { port: system.reference.port, requests: reference },
  ] as const
  for (const side of sides) await loadPictures(system, side, { seconds: WARM_UP_SECONDS })
  return compare(
    system,
    ROUNDS,
    () => loadPictures(system, sides[0], { seconds: SECONDS }),
    () => loadPictures(system, sides[1], { seconds: SECONDS }),
  )
}

const PEAKS_HEAD = [
  '| what | KB | a second | reference | ratio | rounds | budget | |',
  '| --- | ---: | ---: | ---: | ---: | ---: | ---: | --- |',
]

function peakRow(what: string, pictures: Picture[], { ours, reference, ratio, ratios }: Comparison, budget: number) {
  const kilobytes = pictures.length > 0 ? average(pictures.map(({ bytes }) => bytes.length)) / 1000 : 0
  const rounds = ratios.map((one) => one.toFixed(2)).join(', ')
  const figures = [kilobytes.toFixed(1), whole(perSecond(ours)), whole(perSecond(reference)), ratio.toFixed(2), rounds]
  return `| ${what} | ${figures.join(' | ')} | ${budget} | ${verdict(ratio >= budget)} |`
}

/** CPU milliseconds per picture of the processes that take part. */
function costs(what: string, side: Side, takesPart: (name: string) => boolean): string {
  const parts = Object.entries(side.cpu).filter(([name, cost]) => takesPart(name) && cost >= 0.001)
  const all = [...parts, ['generator', average(side.results.map(({ cpu }) => cpu))] as const]
  return `- ${what}: ${all.map(([name, cost]) => `${name} ${cost.toFixed(3)}`).join(', ')}`
}

const REFERENCE_PROCESSES = ['proxy', 'static']
const isOurs = (name: string) => !REFERENCE_PROCESSES.includes(name)

const costsOf = (what: string, { ours, reference }: Comparison) => [
  costs(what, ours, isOurs),
  costs(`${what}, reference`, reference, (name) => !isOurs(name)),
]

async function describeVisitor({ system, pictures }: Prepared): Promise<string[]> {
  const { port, reference } = system
  const [thumbnails, previews] = [asVisitor(pictures.thumbnail), asVisitor(pictures.preview)]
  const [files, largeFiles] = [asOwner(pictures.thumbnail), asOwner(pictures.preview)]
  const unchanged = await checkBytes(port, thumbnails, pictures.thumbnail)
  const unchangedFiles = await checkBytes(reference.port, files, pictures.thumbnail)
  await checkBytes(port, previews, pictures.preview)
  await checkBytes(reference.port, largeFiles, pictures.preview)
  const thumbnail = await comparePeaks(system, thumbnails, files)
  const notModified = await comparePeaks(system, unchanged, unchangedFiles)
  const preview = await comparePeaks(system, previews, largeFiles)
  const rate = perSecond(thumbnail.ours) / 2
  const half = await loadPictures(system, { port, requests: thumbnails }, { seconds: SECONDS, rate })
  return [
    ...PEAKS_HEAD,
    peakRow('thumbnails', pictures.thumbnail, thumbnail, BUDGETS.visitor),
    peakRow('thumbnails, 304', [], notModified, BUDGETS.visitor),
    peakRow('previews', pictures.preview, preview, BUDGETS.visitor),
    '',
    `Thumbnails at half of the peak (${whole(half.perSecond)} a second): p50 ${half.p50.toFixed(1)} ms, p99 ${half.p99.toFixed(1)} ms (budget ${BUDGETS.p99}: ${verdict(half.p99 < BUDGETS.p99)}).`,
    '',
    'CPU milliseconds per picture:',
    ...costsOf('thumbnails', thumbnail),
    ...costsOf('304', notModified),
    ...costsOf('previews', preview),
  ]
}

async function describeOwner({ system, pictures }: Prepared): Promise<string[]> {
  const headers = { cookie: system.owner.cookie }
  const own = asOwner(pictures.thumbnail, headers)
  await checkBytes(system.port, own, pictures.thumbnail)
  const comparison = await comparePeaks(system, own, asOwner(pictures.thumbnail))
  return [
    ...PEAKS_HEAD,
    peakRow("owner's thumbnails", pictures.thumbnail, comparison, BUDGETS.owner),
    '',
    ...costsOf("owner's thumbnails", comparison),
  ]
}

/** Every object once through the gateway, and once from MinIO by a presigned URL. */
async function describeCold({ system, pictures }: Prepared): Promise<string[]> {
  const cold = await createColdFolder(system, pictures, COLD_PHOTOS)
  await Promise.all([resetPeakMemory(system.pids.gateway), resetPeakMemory(system.pids.media)])
  const thumbnail = await compareCold(system, cold.thumbnail)
  const preview = await compareCold(system, cold.preview)
  const megabytes = [...cold.thumbnail, ...cold.preview].reduce((sum, { bytes }) => sum + bytes.length / 1e6, 0)
  const [gateway, media] = await Promise.all([peakMemory(system.pids.gateway), peakMemory(system.pids.media)])
  const isMinio = (name: string) => name === 'minio'
  return [
    'Every object once; the reference is MinIO itself, by presigned URLs.',
    '',
    ...PEAKS_HEAD,
    peakRow('cold thumbnails', cold.thumbnail, thumbnail, BUDGETS.cold),
    peakRow('cold previews', cold.preview, preview, BUDGETS.cold),
    '',
    costs('cold thumbnails', thumbnail.ours, isOurs),
    costs('cold thumbnails, reference', thumbnail.reference, isMinio),
    costs('cold previews', preview.ours, isOurs),
    costs('cold previews, reference', preview.reference, isMinio),
    '',
    `Peak resident memory after ${whole(megabytes)} MB of different pictures: gateway ${whole(gateway)} MB, media ${whole(media)} MB.`,
  ]
}

/** The first part of the objects warms up the code of all sides. */
async function compareCold(system: BenchSystem, pictures: Picture[]): Promise<Comparison> {
  const size = Math.ceil(pictures.length / (ROUNDS + 1))
  const chunks = Array.from({ length: ROUNDS + 1 }, (_, index) => pictures.slice(index * size, (index + 1) * size))
  const presigned = await Promise.all(chunks.map((chunk) => Promise.all(chunk.map((one) => presign(system, one)))))
  const once = { seconds: 120, once: true }
  const send = (port: number, requests: ListedRequest[] = []) => loadPictures(system, { port, requests }, once)
  const ours = (index: number) => send(system.port, asVisitor(chunks[index] ?? []))
  const direct = (index: number) => send(system.storePort, presigned[index])
  for (const warmUp of [ours, direct]) await warmUp(0)
  return compare(
    system,
    ROUNDS,
    (round) => ours(round + 1),
    (round) => direct(round + 1),
  )
}

async function presign({ store }: BenchSystem, { ownPath, bytes }: Picture): Promise<ListedRequest> {
  const { pathname, search } = new URL(await store.presignedGetObject(BUCKET, objectKey(ownPath), 3600))
  return { path: pathname + search, status: 200, bytes: bytes.length }
}

const PARTS = { pictures: describeVisitor, owner: describeOwner, cold: describeCold }
const unknown = positionals.filter((name) => !(name in PARTS))
if (unknown.length > 0)
  throw new Error(`There is no part ${unknown.join(', ')}; there are ${Object.keys(PARTS).join(', ')}.`)
await runCheck(3_600_000, async (folder) => {
  const system = await startBenchSystem(folder, PHOTOS)
  const prepared = { system, pictures: await readPictures(system) }
  await writeReferenceFiles(system, prepared.pictures)
  console.log(
    `${PHOTOS} photos, ${CONNECTIONS} keep-alive connections, ${ROUNDS} alternating rounds of ${SECONDS} s; ${cpus().length} × ${cpus()[0]?.model.trim()}`,
  )
  for (const [name, describe] of Object.entries(PARTS)) {
    if (positionals.length > 0 && !positionals.includes(name)) continue
    console.log(`\n${(await describe(prepared)).join('\n')}`)
  }
  for (const sentence of wrongResults().slice(0, 20)) console.error(`WRONG: ${sentence}`)
  if (wrongResults().length > 0) process.exitCode = 1
})
