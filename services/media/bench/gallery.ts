import { randomUUID } from 'node:crypto'
import { cpus } from 'node:os'
import { parseArgs } from 'node:util'
import { openPool } from '@skyfolio/kit'
import { galleryRows, inBatches } from '../scripts/gallery-rows.ts'
import { openDatabase } from '../src/database.ts'
import { newId } from '../src/files/object-keys.ts'
import type { Prisma } from '../src/generated/client.ts'
import { headersOf, startBenchSystem } from './system.ts'

// A gallery of 100,000 photos compared with one of 100: pages, searches, filters and the map through media's API over HTTP,
// alternating in one run. With `--pairs` one of 50,000 pairs compared with one of 50,000 photos. Prints Markdown.
// `npm run check -- bench:gallery api [--photos 100000] [--pairs]`; takes about three minutes.

const { values: flags } = parseArgs({
  options: { photos: { type: 'string' }, pairs: { type: 'boolean', default: false } },
})
const { pairs } = flags
const COUNT = Number(flags.photos ?? (pairs ? 50_000 : 100_000))
const LARGE = { userId: 1, count: COUNT, pairs }
const SMALL = { userId: 2, count: pairs ? COUNT : 100, pairs: false }
const NEIGHBOUR = { userId: 3, count: Math.round(LARGE.count / 3), pairs: false }
const WARM_UP = 30
const ROUNDS = 200
const BUDGET = pairs ? 1.2 : 1.5
const BATCH_ROWS = 500
const LIMIT = 30

type Gallery = typeof LARGE

/** Both files of each shot, one after the other. */
function* withRawFiles(rows: Iterable<Prisma.PhotoCreateManyInput>): Generator<Prisma.PhotoCreateManyInput> {
  let id = 10_000_000
  for (const row of rows) {
    id += 2
    const [filename, originalName] = [row.filename, row.originalName].map((name) => name.replace('.jpg', '.dng'))
    const none = { small: null, thumbnail: null, medium: null, preview: null }
    yield { ...row, id, pairedWith: id + 1, rawName: originalName }
    yield {
      ...{ ...row, ...none, id: id + 1, purpose: 'raw', pairedWith: id, sha256: randomUUID(), filesize: 25_000_000 },
      ...{ filename: filename ?? '', originalName: originalName ?? '' },
    }
  }
}

async function fill(galleries: Gallery[]): Promise<void> {
  const pool = openPool(system.env.DATABASE_URL)
  const db = openDatabase(pool)
  for (const gallery of galleries) {
    const renditions = Array.from({ length: 24 }, () => ({
      small: `${newId()}.webp`,
      thumbnail: `${newId()}.webp`,
      medium: `${newId()}.webp`,
      preview: `${newId()}.webp`,
      thumbhash: 'aNgFDYIIp4d3eHeIf4eHh3hwd3eHd4h4',
      width: 4032,
      height: 3024,
    }))
    const original = () => ({ filename: `${newId()}.jpg`, filesize: 5_000_000, sha256: randomUUID() })
    const rows = galleryRows({ ...gallery, renditions, until: new Date(), original })
    const files = gallery.pairs ? withRawFiles(rows) : rows
    for (const data of inBatches(files, BATCH_ROWS)) await db.photo.createMany({ data })
  }
  await pool.query('VACUUM ANALYZE photos, photo_places, photo_cameras')
  await pool.end()
}

/** The path of the last page, reached by cursors, and the milliseconds of each page. */
async function followToLastPage(origin: string, gallery: Gallery): Promise<{ last: string; times: number[] }> {
  const times: number[] = []
  for (let path = page(); ; ) {
    const started = performance.now()
    const response = await get(origin + path, gallery.userId)
    await response.arrayBuffer()
    times.push(performance.now() - started)
    const next = response.headers.get('link')?.match(/^<([^>]+)>/)?.[1]
    if (!next) return { last: path, times }
    path = next
  }
}

/** The path of a request, for a gallery of so many photos whose last page is at `last`. */
type Request = (photos: number, last: string) => string

const page = (query = '') => `/api/photos?limit=${LIMIT}${query}`
/** As the web app reads a search: its pages are counted to 200; when there are more, it requests the count by itself. */
const search = (query: string) => page(`${query}&countTo=200`)
const count = (query: string) => `/api/photos?limit=1${query}&countTo=10000`
const dayBefore = (days: number) => new Date(Date.now() - days * 86_400_000).toISOString().slice(0, 10)
const AT_HOME = `&location=${encodeURIComponent('San Diego, California')}`
const CAMERA = '&camera=L2D-20c'

const REQUESTS: Record<string, Request> = {
  'first page': () => page(),
  'search: a title that three photos have': () => search('&q=zugspitze'),
  'search: a title that most photos have': () => search('&q=dji'),
  'search: a title that one in forty has': () => search('&q=harbour'),
  'search: a place that many photos have': () => search('&q=california'),
  'search: a place of some flights': () => search('&q=hawaii'),
  'search: words of a title and a place': () => search('&q=harbour+california'),
  'search: a month': () => search('&q=july'),
  'search: no photo': () => search('&q=nothing+of+the+kind'),
  'location filter': () => page(AT_HOME),
  'location and search': () => search(`${AT_HOME}&q=harbour`),
  'camera filter': () => page(CAMERA),
  'camera filter by date taken': () => page(`${CAMERA}&sort=taken-newest`),
  'camera and location': () => page(`${CAMERA}${AT_HOME}`),
  'camera and search': () => search(`${CAMERA}&q=harbour`),
  'the last month': () => page('&from=month'),
  'taken in a month': () => page(`&takenFrom=${dayBefore(120)}&takenTo=${dayBefore(90)}`),
  'the oldest first': () => page('&sort=oldest'),
  'by date taken': () => page('&sort=taken-newest'),
  'by date taken, the oldest first': () => page('&sort=taken-oldest'),
  'middle by date taken': (photos) => page(`&sort=taken-newest&skip=${photos / 2}`),
  'without folder': () => page('&folder=none'),
  'without a position': () => page('&position=none'),
  'months of upload': () => '/api/photos/months',
  'months by date taken': () => '/api/photos/months?sort=taken-newest',
  'months of a title that one in forty has': () => '/api/photos/months?q=harbour',
  'months of a title that most photos have': () => '/api/photos/months?q=dji',
  'last page by its cursor': (_, last) => last,
  'last page by the scroll bar': (photos) => page(`&skip=${photos - LIMIT}`),
  'middle by the scroll bar': (photos) => page(`&skip=${photos / 2}`),
  'count of a title that one in forty has': () => count('&q=harbour'),
  'count of a title that most photos have': () => count('&q=dji'),
  'map, the whole world': () => '/api/photos/map/0/0/0',
  'map, a city': () => '/api/photos/map/12/714/1653',
  'map, extent': () => '/api/photos/map/extent',
  storage: () => '/api/photos/storage',
  cameras: () => '/api/photos/cameras',
  places: () => '/api/photos/places',
}

async function measureGalleries(origin: string): Promise<void> {
  const lasts = { large: await followToLastPage(origin, LARGE), small: await followToLastPage(origin, SMALL) }
  const lines: string[] = []
  for (const [name, pathOf] of Object.entries(REQUESTS)) {
    const [large, small] = [pathOf(LARGE.count, lasts.large.last), pathOf(SMALL.count, lasts.small.last)]
    const times = { large: [] as number[], small: [] as number[] }
    for (let round = 0; round < WARM_UP + ROUNDS; round += 1) {
      const ms = { small: await timed(origin + small, SMALL.userId), large: await timed(origin + large, LARGE.userId) }
      if (round < WARM_UP) continue
      times.small.push(ms.small)
      times.large.push(ms.large)
    }
    const [smallMs, largeMs] = [median(times.small), median(times.large)]
    const response = await get(origin + large, LARGE.userId)
    const body = (await response.json()) as unknown[] | object
    const [list] = Array.isArray(body) ? [body] : Object.values(body).filter(Array.isArray)
    const found = list?.length ?? ''
    const total = response.headers.get('x-total-count') ?? ''
    lines.push(
      `| ${name} | ${smallMs.toFixed(1)} | ${largeMs.toFixed(1)} | ${(largeMs / smallMs).toFixed(2)} | ${found} | ${total} |`,
    )
  }
  const pages = lasts.large.times
  const tenth = Math.ceil(pages.length / 10)
  const photos = (count: number) => count.toLocaleString('en')
  process.stdout.write(`Pages of ${LIMIT}, median of ${ROUNDS} alternating requests; ${cpus().length} × ${cpus()[0]?.model.trim()}

| request | ${photos(SMALL.count)} photos, ms | ${photos(LARGE.count)} ${pairs ? 'pairs' : 'photos'}, ms | ratio (budget ${BUDGET}) | shown | \`X-Total-Count\` |
| --- | ---: | ---: | ---: | ---: | ---: |
${lines.join('\n')}

All ${photos(pages.length)} pages one after another: ${median(pages.slice(0, tenth)).toFixed(1)} ms a page in the first tenth, ${median(pages.slice(-tenth)).toFixed(1)} ms in the last.
`)
}

async function get(url: string, userId: number): Promise<Response> {
  const response = await fetch(url, { headers: headersOf(userId) })
  if (!response.ok) throw new Error(`${url}: ${response.status} ${await response.text()}`)
  return response
}

/** Milliseconds until the whole response is read. */
async function timed(url: string, userId: number): Promise<number> {
  const started = performance.now()
  await (await get(url, userId)).arrayBuffer()
  return performance.now() - started
}

function median(times: number[]): number {
  return times.toSorted((a, b) => a - b)[Math.floor(times.length / 2)] ?? Number.NaN
}

const system = await startBenchSystem()
try {
  await fill([LARGE, SMALL, NEIGHBOUR])
  await measureGalleries(await system.start('main'))
} finally {
  await system.close()
}
