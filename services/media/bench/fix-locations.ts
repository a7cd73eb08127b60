// 'Fix Locations' for 10,000 photos of a gallery of 20,000, through media's API over HTTP, while the gallery's first
// page is requested continuously. Prints Markdown. `npm run check -- bench:fix-locations`; takes about a minute.
import { randomUUID } from 'node:crypto'
import { IDENTITY_HEADER, openPool, signIdentity } from '@skyfolio/kit'
import { galleryRows, inBatches, seededRandom } from '../scripts/gallery-rows.ts'
import { openDatabase } from '../src/database.ts'
import { newId } from '../src/files/object-keys.ts'
import { startBenchSystem } from './system.ts'

const PHOTOS = 20_000
const WITHOUT_PLACE = 10_000
const USER = 1
const BATCH_ROWS = 500
const IDENTITY_KEY = 'a-key-that-signs-the-identities-of-the-benchmark'

const identity = {
  userId: USER,
  username: 'bench',
  isAdmin: false,
  sessionHash: 'bench',
  address: '127.0.0.1',
  confirmedAt: null,
}
const headers = { [IDENTITY_HEADER]: signIdentity(identity, [IDENTITY_KEY]) }

/** Photos all over the contiguous United States, some of them at sea; every second one has no place. */
async function fill(databaseUrl: string): Promise<void> {
  const pool = openPool(databaseUrl)
  const db = openDatabase(pool)
  const random = seededRandom(7)
  const rendition = {
    small: null,
    thumbnail: 'a.webp',
    medium: null,
    preview: 'b.webp',
    thumbhash: '',
    width: 4032,
    height: 3024,
  }
  const original = () => ({ filename: `${newId()}.jpg`, filesize: 5_000_000, sha256: randomUUID() })
  const rows = galleryRows({ userId: USER, count: PHOTOS, renditions: [rendition], until: new Date(), original })
  let created = 0
  for (const batch of inBatches(rows, BATCH_ROWS)) {
    const data = batch.map((row) => {
      created += 1
      if (created % (PHOTOS / WITHOUT_PLACE) !== 0) return row
      const position = { latitude: 30 + 18 * random(), longitude: -120 + 42 * random() }
      return { ...row, ...position, city: null, county: null, state: null }
    })
    await db.photo.createMany({ data })
  }
  await pool.query('VACUUM ANALYZE photos, photo_places')
  await pool.end()
}

async function requestJson(url: string, method = 'GET'): Promise<unknown> {
  const response = await fetch(url, { method, headers })
  if (!response.ok) throw new Error(`${url}: ${response.status} ${await response.text()}`)
  return response.json()
}

/** Duration and result of one run, and the sorted times of the first page meanwhile. */
async function runFixLocations(origin: string) {
  const start = performance.now()
  let running = true
  const run = requestJson(`${origin}/api/photos/geocode-update`, 'POST').finally(() => {
    running = false
  })
  const pages: number[] = []
  while (running) {
    const requestedAt = performance.now()
    await requestJson(`${origin}/api/photos?limit=30`)
    pages.push(performance.now() - requestedAt)
  }
  const { updatedCount } = (await run) as { updatedCount: number }
  return { ms: performance.now() - start, updatedCount, pages: pages.sort((a, b) => a - b) }
}

const system = await startBenchSystem(IDENTITY_KEY)
try {
  await fill(system.env.DATABASE_URL ?? '')
  const origin = `http://127.0.0.1:${await system.start('src/main.ts')}`
  console.log('| run | photos named | seconds | first page meanwhile, median | 99 of 100 | longest |')
  console.log('| --- | ---: | ---: | ---: | ---: | ---: |')
  for (const run of ['first', 'again']) {
    const { ms, updatedCount, pages } = await runFixLocations(origin)
    const at = (share: number) => `${Math.round(pages[Math.floor((pages.length - 1) * share)] ?? 0)} ms`
    console.log(`| ${run} | ${updatedCount} | ${(ms / 1000).toFixed(1)} | ${at(0.5)} | ${at(0.99)} | ${at(1)} |`)
  }
} finally {
  await system.close()
}
