// `npm run check -- bench:pictures`: pictures through the gateway of a complete system with MinIO, beside @fastify/static with
// the same files behind @fastify/http-proxy, and pictures that were never requested beside MinIO itself, in alternating rounds of
// one run on the loopback interface. Prints Markdown. Exits with 1 only for a wrong response: the budgets are printed. Linux only.
import { randomUUID } from 'node:crypto'
import { mkdir, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { parseArgs } from 'node:util'
import { peakMemory, resetPeakMemory } from '@skyfolio/testkit/servers'
import type { ListedRequest } from '../../../services/folders/bench/load.ts'
import type { SignedInClient } from '../../local/signed-in-client.ts'
import { median, runCheck } from '../harness.ts'
import { createPhotos } from '../load/large-photos.ts'
import { type ListedPhoto, seedFolders, waitUntilShown } from '../load/seed-folders.ts'
import { createColdPhotos, readObject, signObject } from './cold-photos.ts'
import { runLoad } from './picture-load.ts'
import { type BenchSystem, startBenchSystem } from './system.ts'

const { values: flags } = parseArgs({
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
const COLD_SECONDS = 120
/** One address may send everything; otherwise the system is as shipped. */
const NO_LIMITS = Object.fromEntries(
  ['REQUESTS_PER_MINUTE', 'PAGES_PER_MINUTE_OF_ADDRESS'].map((name) => [name, '1000000000']),
)

type Kind = 'thumbnail' | 'preview'

/** A rendition with its addresses for visitors and for its owner, which is also that in the reference. */
interface Picture {
  publicPath: string
  ownPath: string
  bytes: Buffer
}
type Pictures = Record<Kind, Picture[]>

const pathOf = (photo: ListedPhoto | undefined, kind: Kind) => photo?.[`${kind}Url`] ?? ''
/** An owner's address ends with the stored name. */
const nameOf = (ownPath: string) => ownPath.slice(ownPath.lastIndexOf('/') + 1)

/** Reads both addresses of each photo, with the bytes of the object store. */
async function readPictures(system: BenchSystem, owner: SignedInClient, shown: ListedPhoto[]): Promise<Pictures> {
  const own = (await owner.call('GET', '/api/photos')) as ListedPhoto[]
  const ownPhotos = new Map(own.map((photo) => [photo.id, photo]))
  const read = (kind: Kind) =>
    shown.map(async (photo): Promise<Picture> => {
      const ownPath = pathOf(ownPhotos.get(photo.id), kind)
      return { publicPath: pathOf(photo, kind), ownPath, bytes: await readObject(system, nameOf(ownPath)) }
    })
  return { thumbnail: await Promise.all(read('thumbnail')), preview: await Promise.all(read('preview')) }
}

/** Copies the pictures of the last argument onto photos that were never requested. */
async function createCold(system: BenchSystem, owner: SignedInClient, { thumbnail, preview }: Pictures) {
  const copies = Array.from({ length: COLD_PHOTOS }, (_, index) => {
    const [small, large] = [thumbnail, preview].map((pictures) => pictures[index % pictures.length]?.bytes as Buffer)
    return { thumbnail: small as Buffer, preview: large as Buffer }
  })
  const created = await createColdPhotos(system, owner, copies)
  const cold: Pictures = { thumbnail: [], preview: [] }
  for (const photo of await waitUntilShown(system.url, created.code, COLD_PHOTOS, true)) {
    const names = created.photos.get(photo.id)
    for (const kind of ['thumbnail', 'preview'] as const)
      if (names)
        cold[kind].push({ publicPath: pathOf(photo, kind), ownPath: `/${names[kind]}`, bytes: names.bytes[kind] })
  }
  return cold
}

const failures: string[] = []

/** Requests each picture once and compares its bytes. Returns the same requests with If-None-Match. */
async function checkBytes({ url, requests }: Side, pictures: Picture[]): Promise<Side> {
  const conditional: ListedRequest[] = []
  for (const [index, { path, headers = {} }] of requests.entries()) {
    const response = await fetch(url + path, { headers })
    const bytes = Buffer.from(await response.arrayBuffer())
    if (!response.ok || !bytes.equals(pictures[index]?.bytes as Buffer))
      failures.push(`${path} returned ${response.status} with ${bytes.length} bytes, which are not the stored ones`)
    const etag = response.headers.get('etag') ?? ''
    conditional.push({ path, headers: { ...headers, 'if-none-match': etag }, status: 304, bytes: 0 })
  }
  return { url, requests: conditional }
}

/** Where requests go, and which ones. */
interface Side {
  url: string
  requests: ListedRequest[]
}

const request = (path: string, { bytes }: Picture, headers = {}): ListedRequest => {
  return { path, headers, status: 200, bytes: bytes.length }
}

async function load({ url, requests }: Side, options: { seconds: number; rate?: number; once?: boolean }) {
  const result = await runLoad(Number(new URL(url).port), requests, options)
  if (result.wrong > 0) failures.push(`${result.wrong} responses of ${url} differ: ${JSON.stringify(result.statuses)}`)
  return result
}

/** Measures ours and the reference by turns; which one begins alternates too. Returns the row of the table, and our rate. */
async function compare(
  what: string,
  budget: number,
  ours: (round: number) => ReturnType<typeof load>,
  reference: (round: number) => ReturnType<typeof load>,
): Promise<{ row: string; perSecond: number }> {
  const rounds: { own: number; other: number }[] = []
  for (let round = 0; round < ROUNDS; round += 1) {
    const first = round % 2 === 0 ? await ours(round) : null
    const { perSecond: other } = await reference(round)
    const { perSecond: own } = first ?? (await ours(round))
    rounds.push({ own, other })
  }
  const perSecond = median(rounds.map(({ own }) => own))
  const other = median(rounds.map((rates) => rates.other))
  const ratio = median(rounds.map((rates) => rates.own / rates.other))
  const row = `| ${what} | ${perSecond.toFixed(0)} | ${other.toFixed(0)} | ${ratio.toFixed(2)} (${budget}) |`
  return { row, perSecond }
}

/** Ours and the reference at their peaks. */
async function comparePeaks(what: string, budget: number, ours: Side, reference: Side) {
  for (const side of [ours, reference]) await load(side, { seconds: WARM_UP_SECONDS })
  return compare(
    what,
    budget,
    () => load(ours, { seconds: SECONDS }),
    () => load(reference, { seconds: SECONDS }),
  )
}

/** Every object once through the gateway, and once from MinIO by a presigned URL; the first part of them warms up both. */
async function compareCold(what: string, system: BenchSystem, pictures: Picture[]) {
  const size = Math.ceil(pictures.length / (ROUNDS + 1))
  const chunk = (index: number) => pictures.slice(index * size, (index + 1) * size)
  const once = { seconds: COLD_SECONDS, once: true }
  const ours = (index: number) => {
    const requests = chunk(index).map((picture) => request(picture.publicPath, picture))
    return load({ url: system.url, requests }, once)
  }
  const direct = async (index: number) => {
    const signed = chunk(index).map(async (one) => request(await signObject(system, nameOf(one.ownPath)), one))
    return load({ url: system.storeUrl, requests: await Promise.all(signed) }, once)
  }
  for (const warmUp of [ours, direct]) await warmUp(0)
  const shifted = (send: typeof ours) => (round: number) => send(round + 1)
  return (await compare(what, 0.6, shifted(ours), shifted(direct))).row
}

await runCheck(3_600_000, async (folder) => {
  const files = join(folder, 'files')
  await mkdir(files)
  const system = await startBenchSystem(folder, { roles: ['files', 'file-proxy'], value: files }, () => NO_LIMITS)
  const account = { username: 'bench', password: randomUUID() }
  const size = { folders: 1, photos: PHOTOS, areRendered: true }
  const { owner, folders } = await seedFolders(system.url, account, size, createPhotos(PHOTOS))
  const shown = await waitUntilShown(system.url, folders[0]?.code ?? '', PHOTOS, true)
  const pictures = await readPictures(system, owner, shown)
  for (const { ownPath, bytes } of Object.values(pictures).flat()) {
    await mkdir(dirname(join(files, ownPath)), { recursive: true })
    await writeFile(join(files, ownPath), bytes)
  }

  const { url, referenceUrl } = system
  const visitor = (kind: Kind) => ({ url, requests: pictures[kind].map((one) => request(one.publicPath, one)) })
  const reference = (kind: Kind) => ({
    url: referenceUrl,
    requests: pictures[kind].map((one) => request(one.ownPath, one)),
  })
  const cookie = { cookie: owner.cookie }
  const gallery = { url, requests: pictures.thumbnail.map((one) => request(one.ownPath, one, cookie)) }
  const unchanged = await checkBytes(visitor('thumbnail'), pictures.thumbnail)
  const unchangedFiles = await checkBytes(reference('thumbnail'), pictures.thumbnail)
  await checkBytes(visitor('preview'), pictures.preview)
  await checkBytes(gallery, pictures.thumbnail)

  console.log('| pictures | a second | reference | ratio (budget) |\n| --- | ---: | ---: | ---: |')
  const thumbnails = await comparePeaks('thumbnails', 0.8, visitor('thumbnail'), reference('thumbnail'))
  console.log(thumbnails.row)
  console.log((await comparePeaks('previews', 0.8, visitor('preview'), reference('preview'))).row)
  console.log((await comparePeaks('thumbnails, 304', 0.8, unchanged, unchangedFiles)).row)
  console.log((await comparePeaks("the owner's thumbnails", 0.6, gallery, reference('thumbnail'))).row)
  const half = await load(visitor('thumbnail'), { seconds: SECONDS, rate: thumbnails.perSecond / 2 })

  const cold = await createCold(system, owner, pictures)
  const measured = ['gateway', 'media'].map((name) => system.pids[name] ?? 0)
  for (const pid of measured) await resetPeakMemory(pid)
  console.log(await compareCold('cold thumbnails', system, cold.thumbnail))
  console.log(await compareCold('cold previews', system, cold.preview))
  const [gateway, media] = await Promise.all(measured.map(peakMemory))
  console.log(`\nThumbnails at half of the peak: p99 ${half.p99.toFixed(1)} ms (50).`)
  console.log(`Peak memory with cold pictures: gateway ${gateway?.toFixed(0)} MB, media ${media?.toFixed(0)} MB.`)
  for (const failure of failures.slice(0, 20)) console.error(`WRONG: ${failure}`)
  if (failures.length > 0) process.exitCode = 1
})
