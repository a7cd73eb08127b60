// Fills a user's gallery with photos like those of a real one, or removes them again. Called by
// `npm run check -- seed photos --user <name> --count 100000`; `--remove` deletes all generated photos.
import { hash, randomUUID } from 'node:crypto'
import { Readable } from 'node:stream'
import { parseArgs } from 'node:util'
import {
  databaseSettings,
  loadConfig,
  type ObjectStore,
  objectStoreSettings,
  openObjectStore,
  openPool,
} from '@skyfolio/kit'
import { packagedPhotos } from '@skyfolio/testkit/photos'
import sharp from 'sharp'
import { type Database, openDatabase } from '../src/database.ts'
import { newId, originalKey } from '../src/files/object-keys.ts'
import { deletePhotos } from '../src/photos/delete-photos.ts'
import { previewChecksum, storeRenditions } from '../src/processing/save-result.ts'
import { renderImage } from '../src/renditions/render-image.ts'
import { GENERATED_PREFIX, galleryRows, inBatches, type SampleRenditions } from './gallery-rows.ts'

/** Photos that are stored at the same time. */
const BATCH_ROWS = 50
const SHAPES = [
  { width: 4032, height: 3024 },
  { width: 3024, height: 4032 },
  { width: 5280, height: 2970 },
]

const { values: flags } = parseArgs({
  options: {
    'user-id': { type: 'string' },
    count: { type: 'string', default: '100000' },
    remove: { type: 'boolean', default: false },
  },
})

/** Creates and stores the renditions that all photos share. */
async function storeSharedRenditions(store: ObjectStore): Promise<SampleRenditions[]> {
  const renditions: SampleRenditions[] = []
  const images = packagedPhotos().flatMap((photo) => SHAPES.map((shape) => ({ photo, ...shape })))
  for (const { photo, width, height } of images) {
    const small = sharp(photo).resize(Math.round(width / 4), Math.round(height / 4))
    const image = await small.png().toBuffer()
    const rendered = await renderImage(image, { format: 'png', maxPixels: width * height })
    const names = await storeRenditions(store, rendered)
    renditions.push({ ...names, ...previewChecksum(rendered.preview), thumbhash: rendered.thumbhash, width, height })
  }
  return renditions
}

/** Small files that differ in a comment with their number. */
async function createOriginals() {
  const image = await sharp(packagedPhotos()[0]).resize(400, 300).jpeg({ quality: 40 }).toBuffer()
  const run = randomUUID()
  return (index: number): Buffer => {
    const text = Buffer.from(`${run} ${index}`)
    const comment = Buffer.from([0xff, 0xfe, 0, text.length + 2])
    return Buffer.concat([image.subarray(0, 2), comment, text, image.subarray(2)])
  }
}

async function generate(db: Database, store: ObjectStore, userId: number, count: number): Promise<void> {
  const bytesOf = await createOriginals()
  const rows = galleryRows({
    userId,
    count,
    renditions: await storeSharedRenditions(store),
    until: new Date(),
    original(index) {
      const bytes = bytesOf(index)
      return { filename: `${newId()}.jpg`, filesize: bytes.length, sha256: hash('sha256', bytes) }
    },
  })
  let created = 0
  for (const batch of inBatches(rows, BATCH_ROWS)) {
    // Objects are stored before rows, as in an upload: a row always has its original.
    const puts = batch.map(({ filename }, index) => {
      return store.put(originalKey(filename), Readable.from([bytesOf(created + index)]), { contentType: 'image/jpeg' })
    })
    await Promise.all(puts)
    await db.photo.createMany({ data: batch })
    created += batch.length
    if (created % 10_000 === 0) process.stdout.write(`${created.toLocaleString('en')} photos\n`)
  }
}

/** Deletes photos as their owner does: the worker removes their objects. */
async function remove(db: Database, userId: number): Promise<number> {
  for (let removed = 0; ; ) {
    const where = { userId, originalName: { startsWith: GENERATED_PREFIX } }
    const some = await db.photo.findMany({ where, take: BATCH_ROWS, select: { id: true } })
    if (some.length === 0) return removed
    removed += some.length
    const ids = some.map(({ id }) => id)
    await deletePhotos(db, ids, { userId, isAdmin: false, confirmedAt: null })
  }
}

const userId = Number(flags['user-id'])
const count = Number(flags.count)
if (!Number.isInteger(userId) || userId < 1 || !Number.isInteger(count) || count < 1 || count > 1_000_000) {
  process.stderr.write('Usage: --user-id <id> [--count <1 to 1000000>] [--remove]\n')
  process.exit(2)
}
const config = loadConfig({ ...databaseSettings, ...objectStoreSettings }, process.env)
const pool = openPool(config.databaseUrl)
try {
  const db = openDatabase(pool)
  if (flags.remove) {
    process.stdout.write(`${(await remove(db, userId)).toLocaleString('en')} generated photos removed.\n`)
  } else {
    await generate(db, await openObjectStore(config), userId, count)
    await pool.query('VACUUM ANALYZE photos, photo_places')
    process.stdout.write(`${count.toLocaleString('en')} photos generated.\n`)
  }
} finally {
  await pool.end()
}
