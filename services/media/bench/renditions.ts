import { randomUUID } from 'node:crypto'
import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { cpus } from 'node:os'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { parseArgs } from 'node:util'
import { createFairQueue, createLogger, loadConfig, openObjectStore, openPool } from '@skyfolio/kit'
import { dronePhoto, packagedPhotos } from '@skyfolio/testkit/photos'
import sharp, { type Sharp } from 'sharp'
import { workerSettings } from '../src/config.ts'
import { openDatabase } from '../src/database.ts'
import { newId, originalKey } from '../src/files/object-keys.ts'
import { createRenderLimiter } from '../src/limits.ts'
import { startMetadataReader } from '../src/metadata/metadata-reader.ts'
import { openPlaces } from '../src/places/places.ts'
import { PHOTOS_PER_RENDERING, type ProcessingDeps, processPhoto } from '../src/processing/process-photo.ts'
import { configureSharp } from '../src/renditions/render-image.ts'
import { createRenderer } from '../src/renditions/renderer.ts'
import { headersOf, startBenchSystem } from './system.ts'

// Photos per second of the worker's own pipeline and of a plain sharp loop that makes the same files, alternating in one
// run, and the time from an upload's response until its photo is processed. Prints Markdown. `npm run check -- bench:renditions`; takes about two minutes; `--photos <n>`,
// `--rounds <n>` and `--uploads <n>` shorten it.

const WARM_UP_UPLOADS = 5
const BUDGET = 0.85
const { values: flags } = parseArgs({
  options: {
    photos: { type: 'string', default: '16' },
    rounds: { type: 'string', default: '4' },
    uploads: { type: 'string', default: '20' },
  },
})
const PHOTOS = Number(flags.photos)
const ROUNDS = Number(flags.rounds)
const UPLOADS = Number(flags.uploads) === 0 ? 0 : Number(flags.uploads) + WARM_UP_UPLOADS

/** Sizes of drone cameras: 12 and 20 megapixels. */
const CAMERA_SIZES = [
  { width: 4000, height: 3000 },
  { width: 5280, height: 3956 },
]

/** JPEGs as drones write them, with EXIF and XMP: packaged photographs, enlarged by mirroring. */
async function createDronePhotos(count: number): Promise<Buffer[]> {
  const bases = packagedPhotos()
  const photos: Buffer[] = []
  for (let index = 0; index < count; index += 1) {
    const base = bases[index % bases.length] as string
    const { width, height } = CAMERA_SIZES[index % CAMERA_SIZES.length] as (typeof CAMERA_SIZES)[number]
    const about = await sharp(base).metadata()
    const [right, bottom] = [width - about.width, height - about.height]
    const large = await sharp(base).extend({ right, bottom, extendWith: 'mirror' }).jpeg({ quality: 100 }).toBuffer()
    photos.push(await dronePhoto({ base: large, latitude: 46.84 + index / 1000, longitude: -91.99 }))
  }
  return photos
}

const INSIDE = { fit: 'inside', withoutEnlargement: true } as const
/** Without the preview, which is decoded first. */
const SIZES = [
  { name: 'small', width: 320, height: 640, quality: 80 },
  { name: 'thumbnail', width: 640, height: 1280, quality: 75 },
  { name: 'medium', width: 1280, height: 2048, quality: 65 },
]

/** The plain way to make the same four files from a large photo: one decode, and no checks. */
async function makeReferenceRenditions(file: string): Promise<void> {
  const { data, info } = await sharp(await readFile(file), { sequentialRead: true })
    .autoOrient()
    .resize({ width: 2048, height: 2048, ...INSIDE })
    .raw()
    .toBuffer({ resolveWithObject: true })
  const decoded = sharp(data, { raw: info })
  const write = async (name: string, image: Sharp, quality: number) =>
    writeFile(`${file}.${name}.webp`, await image.webp({ quality }).toBuffer())
  await Promise.all([
    write('preview', decoded.clone(), 80),
    ...SIZES.map(({ name, width, height, quality }) =>
      write(name, decoded.clone().resize({ width, height, ...INSIDE }), quality),
    ),
  ])
}

interface Rate {
  photosPerSecond: number
  /** Milliseconds of this process's CPU time per photo, which is more reliable on a shared machine. */
  cpu: number
}

/** Runs `work` for all items, `concurrency` at the same time. */
async function measureRate<T>(items: T[], concurrency: number, work: (item: T) => Promise<void>): Promise<Rate> {
  const started = performance.now()
  const usage = process.cpuUsage()
  const queue = createFairQueue({ total: concurrency })
  await Promise.all(items.map((item) => queue.run({}, () => work(item))))
  const { user, system } = process.cpuUsage(usage)
  return {
    photosPerSecond: items.length / ((performance.now() - started) / 1000),
    cpu: (user + system) / 1000 / items.length,
  }
}

const sum = (values: number[]) => values.reduce((all, value) => all + value, 0)
/** Combines rates over the same work into the rate over all of it. */
const combineRates = (rates: Rate[]): Rate => ({
  photosPerSecond: rates.length / sum(rates.map((one) => 1 / one.photosPerSecond)),
  cpu: sum(rates.map((one) => one.cpu)) / rates.length,
})
const formatRate = (one: Rate) => `${one.photosPerSecond.toFixed(2)} | ${one.cpu.toFixed(0)}`
const percentile = (values: number[], share: number) =>
  values.toSorted((a, b) => a - b)[Math.ceil(values.length * share) - 1] ?? Number.NaN

const system = await startBenchSystem()
const config = loadConfig(workerSettings, { ...system.env, OPS_PORT: '0' })
const pool = openPool(config.databaseUrl)
const db = openDatabase(pool)
const store = await openObjectStore(config)
const metadata = startMetadataReader()
const limiter = createRenderLimiter(config.concurrency)
const deps: ProcessingDeps = {
  db,
  store,
  metadata,
  renderer: createRenderer(limiter, config.maxPixels),
  places: openPlaces(),
  // No photo here has votes, or another that it could be paired with.
  folders: { findVoted: async () => [] },
  logger: createLogger('bench', 'warn'),
  afterCommit() {},
}

/** Stores a photo as an upload does. Returns its id. */
async function storePhoto(bytes: Buffer): Promise<number> {
  const filename = `${newId()}.jpg`
  await store.put(originalKey(filename), Readable.from([bytes]), { contentType: 'image/jpeg' })
  const data = { userId: 1, title: 'Bench', filename, originalName: '', filesize: bytes.length, sha256: randomUUID() }
  return (await db.photo.create({ data })).id
}

/** Milliseconds from an upload's response until media's API and worker have processed the photo. */
async function measureDelays(photos: Buffer[]): Promise<number[]> {
  await system.start('worker')
  const url = `${await system.start('main')}/api/upload-photo`
  const found: number[] = []
  for (let upload = 0; upload < UPLOADS; upload += 1) {
    const body = new FormData()
    // Bytes after the end of a JPEG make it another file.
    const bytes = Buffer.concat([photos[upload % photos.length] as Buffer, Buffer.from(randomUUID())])
    body.append('photo', new Blob([new Uint8Array(bytes)]), 'photo.jpg')
    const response = await fetch(url, { method: 'POST', headers: headersOf(1), body })
    if (response.status !== 201) throw new Error(`The upload responded ${response.status}: ${await response.text()}`)
    const { id } = (await response.json()) as { id: number }
    const respondedAt = performance.now()
    for (let status = 'processing'; status !== 'ready'; ) {
      status = (await pool.query('SELECT status FROM photos WHERE id = $1', [id])).rows[0].status
      if (status === 'failed') throw new Error('The photo was not processed.')
    }
    // The first uploads also start threads and load code.
    if (upload >= WARM_UP_UPLOADS) found.push(performance.now() - respondedAt)
  }
  return found
}

try {
  configureSharp()
  const photos = await createDronePhotos(PHOTOS)
  const files = join(system.folder, 'files')
  await mkdir(files)
  const paths = photos.map((_, index) => join(files, `${index}.jpg`))
  await Promise.all(paths.map((path, index) => writeFile(path, photos[index] as Buffer)))

  async function runWorker(): Promise<Rate> {
    const ids = await Promise.all(photos.map(storePhoto))
    const measured = await measureRate(ids, config.concurrency * PHOTOS_PER_RENDERING, (id) =>
      processPhoto(deps, { id, run: 0 }, false),
    )
    const ready = await db.photo.count({ where: { id: { in: ids }, status: 'ready' } })
    if (ready !== ids.length) throw new Error(`${ids.length - ready} photos were not processed.`)
    return measured
  }
  const runReference = () => measureRate(paths, config.concurrency, makeReferenceRenditions)

  await runWorker()
  await runReference()
  const rounds: { worker: Rate; reference: Rate }[] = []
  for (let round = 0; round < ROUNDS; round += 1) {
    // The order alternates, so that a machine that slows down favours neither.
    const first = round % 2 === 0 ? await runWorker() : null
    const reference = await runReference()
    rounds.push({ worker: first ?? (await runWorker()), reference })
  }
  const [worker, loop] = [
    combineRates(rounds.map((round) => round.worker)),
    combineRates(rounds.map((round) => round.reference)),
  ]
  const ratios = rounds.map((round) => round.worker.photosPerSecond / round.reference.photosPerSecond)
  const waits = UPLOADS > 0 ? await measureDelays(photos) : []

  const megabytes = sum(photos.map(({ length }) => length)) / photos.length / 1_000_000
  const lines = [
    `${PHOTOS} JPEGs of 12 and 21 megapixels (${megabytes.toFixed(1)} MB on average), ${config.concurrency} rendered at the same time, ${ROUNDS} alternating rounds; ${cpus().length} × ${cpus()[0]?.model.trim()}`,
    '',
    '| pipeline | photos per second | CPU ms per photo |',
    '| --- | ---: | ---: |',
    `| worker: original from the store, metadata, place, renditions, thumbhash, stored and committed | ${formatRate(worker)} |`,
    `| plain sharp loop: the same four files, read from and written to a folder | ${formatRate(loop)} |`,
    `| worker / loop (budget ${BUDGET}) | ${(worker.photosPerSecond / loop.photosPerSecond).toFixed(2)} | ${(loop.cpu / worker.cpu).toFixed(2)} |`,
    '',
    `The first ratio in single rounds: ${Math.min(...ratios).toFixed(2)} to ${Math.max(...ratios).toFixed(2)}.`,
    ...(waits.length === 0
      ? []
      : [
          `From an upload's response until the photo is processed, one after another: p50 ${percentile(waits, 0.5).toFixed(0)} ms, p95 ${percentile(waits, 0.95).toFixed(0)} ms (${waits.length} uploads).`,
        ]),
  ]
  process.stdout.write(`${lines.join('\n')}\n`)
} finally {
  await metadata.stop()
  await pool.end()
  await system.close()
}
