// Photos a second through the worker's own pipeline beside a bare sharp loop that makes the same files, in turn and in
// one run, and the time from an upload's answer to its photo being processed. Prints Markdown.
// `npm run check -- bench:renditions`; takes about two minutes.
import { randomUUID } from 'node:crypto'
import { mkdir, writeFile } from 'node:fs/promises'
import { cpus } from 'node:os'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { createLogger, IDENTITY_HEADER, loadConfig, openObjectStore, openPool, signIdentity } from '@skyfolio/kit'
import { workerSettings } from '../src/config.ts'
import { openDatabase } from '../src/database.ts'
import { newId, originalKey } from '../src/files/objects.ts'
import { startMetadataReader } from '../src/metadata/metadata-reader.ts'
import { openPlaces } from '../src/places/places.ts'
import { PHOTOS_PER_RENDERING, type ProcessingDeps, processNext } from '../src/processing/processing.ts'
import { configureSharp } from '../src/renditions/render-image.ts'
import { createRenderer } from '../src/renditions/renderer.ts'
import { createDronePhotos } from './drone-photos.ts'
import { makeReferenceRenditions } from './reference-renditions.ts'
import { startBenchSystem } from './system.ts'

const PICTURES = 16
const ROUNDS = 4
const WARM_UP_UPLOADS = 5
const UPLOADS = 25
const BUDGET = 0.85
const IDENTITY_KEY = 'a-key-that-signs-the-identities-of-the-benchmark'

interface Rate {
  photosPerSecond: number
  /** Milliseconds of this process's CPU time for a photo; says more than a clock where others use the machine. */
  cpu: number
}

/** Does `work` for all of these, so many at the same time. */
async function rate<T>(items: T[], atOnce: number, work: (item: T) => Promise<void>): Promise<Rate> {
  const begun = performance.now()
  const usage = process.cpuUsage()
  const waiting = items.values()
  const drain = async () => {
    for (const item of waiting) await work(item)
  }
  await Promise.all(Array.from({ length: atOnce }, drain))
  const { user, system } = process.cpuUsage(usage)
  return {
    photosPerSecond: items.length / ((performance.now() - begun) / 1000),
    cpu: (user + system) / 1000 / items.length,
  }
}

const sum = (values: number[]) => values.reduce((all, value) => all + value, 0)
/** Of rates over the same work: the rate over all of it. */
const together = (rates: Rate[]): Rate => ({
  photosPerSecond: rates.length / sum(rates.map((one) => 1 / one.photosPerSecond)),
  cpu: sum(rates.map((one) => one.cpu)) / rates.length,
})
const row = (one: Rate) => `${one.photosPerSecond.toFixed(2)} | ${one.cpu.toFixed(0)}`
const percentile = (values: number[], share: number) =>
  values.toSorted((a, b) => a - b)[Math.ceil(values.length * share) - 1] ?? Number.NaN

const world = await startBenchSystem(IDENTITY_KEY)
const config = loadConfig(workerSettings, { ...world.env, OPS_PORT: '0' })
const pool = openPool(config.databaseUrl)
const db = openDatabase(pool)
const store = await openObjectStore(config)
const metadata = startMetadataReader()
const deps: ProcessingDeps = {
  db,
  store,
  metadata,
  renderer: createRenderer(config.concurrency, config.maxPixels),
  places: openPlaces(config.placesFile),
  logger: createLogger('bench', 'warn'),
  leaseSeconds: config.leaseSeconds,
  maxAttempts: config.attempts,
  settled() {},
}

/** A photo as an upload leaves it. Gives its id. */
async function storePhoto(bytes: Buffer): Promise<number> {
  const filename = `${newId()}.jpg`
  await store.put(originalKey(filename), Readable.from([bytes]), { contentType: 'image/jpeg' })
  const data = { userId: 1, title: 'Bench', filename, originalName: '', filesize: bytes.length, sha256: randomUUID() }
  return (await db.photo.create({ data })).id
}

/** Milliseconds from an upload's answer to the photo being processed, by media's API and worker. */
async function delays(pictures: Buffer[]): Promise<number[]> {
  await world.start('src/worker.ts')
  const url = `http://127.0.0.1:${await world.start('src/main.ts')}/api/upload-photo`
  const found: number[] = []
  for (let upload = 0; upload < UPLOADS; upload += 1) {
    const body = new FormData()
    // Bytes behind a JPEG's end make it another file.
    const picture = Buffer.concat([pictures[upload % pictures.length] as Buffer, Buffer.from(randomUUID())])
    body.append('photo', new Blob([new Uint8Array(picture)]), 'photo.jpg')
    const identity = { userId: 1, username: 'bench', isAdmin: false, sessionHash: 'session', address: '127.0.0.1' }
    const headers = { [IDENTITY_HEADER]: signIdentity(identity, [IDENTITY_KEY]) }
    const answer = await fetch(url, { method: 'POST', headers, body })
    if (answer.status !== 201) throw new Error(`The upload was answered ${answer.status}: ${await answer.text()}`)
    const { id } = (await answer.json()) as { id: number }
    const answered = performance.now()
    for (let status = 'processing'; status !== 'ready'; ) {
      status = (await pool.query('SELECT status FROM photos WHERE id = $1', [id])).rows[0].status
      if (status === 'failed') throw new Error('The photo was not processed.')
    }
    // The first ones also start threads and load code.
    if (upload >= WARM_UP_UPLOADS) found.push(performance.now() - answered)
  }
  return found
}

try {
  configureSharp()
  const pictures = await createDronePhotos(PICTURES)
  const files = join(world.folder, 'files')
  await mkdir(files)
  const paths = pictures.map((_, index) => join(files, `${index}.jpg`))
  await Promise.all(paths.map((path, index) => writeFile(path, pictures[index] as Buffer)))

  async function ours(): Promise<Rate> {
    const ids = await Promise.all(pictures.map(storePhoto))
    const measured = await rate(ids, config.concurrency * PHOTOS_PER_RENDERING, () => processNext(deps))
    const ready = await db.photo.count({ where: { id: { in: ids }, status: 'ready' } })
    if (ready !== ids.length) throw new Error(`${ids.length - ready} photos were not processed.`)
    return measured
  }
  const bare = () => rate(paths, config.concurrency, makeReferenceRenditions)

  await ours()
  await bare()
  const rounds: { ours: Rate; bare: Rate }[] = []
  for (let round = 0; round < ROUNDS; round += 1) {
    // Who begins changes, so that a machine that slows down is unfair to neither.
    const first = round % 2 === 0 ? await ours() : null
    const reference = await bare()
    rounds.push({ ours: first ?? (await ours()), bare: reference })
  }
  const [worker, loop] = [together(rounds.map((one) => one.ours)), together(rounds.map((one) => one.bare))]
  const ratios = rounds.map((one) => one.ours.photosPerSecond / one.bare.photosPerSecond)
  const waits = await delays(pictures)

  const megabytes = sum(pictures.map(({ length }) => length)) / pictures.length / 1_000_000
  const lines = [
    `${PICTURES} JPEGs of 12 and 21 megapixels (${megabytes.toFixed(1)} MB on average), ${config.concurrency} drawn at the same time, ${ROUNDS} rounds in turn; ${cpus().length} × ${cpus()[0]?.model.trim()}`,
    '',
    '| what | photos a second | CPU ms a photo |',
    '| --- | ---: | ---: |',
    `| the worker: lease, original from the store, metadata, place, renditions, thumbhash, stored and committed | ${row(worker)} |`,
    `| bare sharp loop: the same two files, read from and written to a folder | ${row(loop)} |`,
    `| the worker against the loop (budget ${BUDGET}) | ${(worker.photosPerSecond / loop.photosPerSecond).toFixed(2)} | ${(loop.cpu / worker.cpu).toFixed(2)} |`,
    '',
    `The first ratio in single rounds: ${Math.min(...ratios).toFixed(2)} to ${Math.max(...ratios).toFixed(2)}.`,
    `From an upload's answer to processed, one after another: p50 ${percentile(waits, 0.5).toFixed(0)} ms, p95 ${percentile(waits, 0.95).toFixed(0)} ms (${waits.length} uploads).`,
  ]
  process.stdout.write(`${lines.join('\n')}\n`)
} finally {
  await metadata.stop()
  await pool.end()
  await world.close()
}
