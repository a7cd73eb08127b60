// Fills a user's gallery with photos as a real one has them, or removes them again. Called by
// `npm run check -- generate:photos --user <name> --count 100000`; `--remove` takes all generated ones away.
import { randomUUID } from 'node:crypto'
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
import sharp, { type Sharp } from 'sharp'
import { rgbaToThumbHash } from 'thumbhash'
import { type Database, openDatabase } from '../src/database.ts'
import { newId, newName, originalKey, renditionKey } from '../src/files/objects.ts'
import type { Prisma } from '../src/generated/client.ts'
import { deletePhotos } from '../src/photos/changes.ts'
import { GENERATED, galleryRows, inBatches, randomFrom, type SamplePicture, sha256 } from './gallery-rows.ts'

const PICTURES = 24
const ROWS_AT_ONCE = 500
const PUTS_AT_ONCE = 32
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

function drawing(random: () => number, width: number, height: number): Sharp {
  const hue = Math.floor(random() * 360)
  const [low, high] = [35 + random() * 30, random()]
  const ridge = Array.from({ length: 9 }, (_, x) => `${x * 12.5},${low + Math.sin(x * (1 + high * 3)) * 12}`).join(' ')
  return sharp(
    Buffer.from(`<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" viewBox="0 0 100 100" preserveAspectRatio="none">
      <rect width="100" height="100" fill="hsl(${hue} 60% 70%)"/><circle cx="${20 + high * 60}" cy="22" r="7" fill="#fff6d0"/>
      <polygon points="0,100 ${ridge} 100,100" fill="hsl(${(hue + 120) % 360} 35% 35%)"/></svg>`),
  )
}

async function put(store: ObjectStore, key: string, bytes: Buffer, contentType: string): Promise<void> {
  await store.put(key, Readable.from([bytes]), { contentType })
}

/** Draws pictures that all photos share, and stores them. */
async function makePictures(store: ObjectStore): Promise<SamplePicture[]> {
  const random = randomFrom(1)
  const pictures: SamplePicture[] = []
  for (let index = 0; index < PICTURES; index += 1) {
    const { width, height } = SHAPES[index % SHAPES.length] as (typeof SHAPES)[number]
    const preview = await drawing(random, Math.round(width / 4), Math.round(height / 4))
      .webp()
      .toBuffer()
    const small = sharp(preview).resize({ width: 640 })
    const tiny = await sharp(preview)
      .resize(80, 80, { fit: 'inside' })
      .ensureAlpha()
      .raw()
      .toBuffer({ resolveWithObject: true })
    const hash = rgbaToThumbHash(tiny.info.width, tiny.info.height, tiny.data)
    const names = { thumbnail: newName('webp'), preview: newName('webp') }
    await put(store, renditionKey(names.thumbnail), await small.webp().toBuffer(), 'image/webp')
    await put(store, renditionKey(names.preview), preview, 'image/webp')
    pictures.push({ ...names, thumbhash: Buffer.from(hash).toString('base64'), width, height })
  }
  return pictures
}

/** Small files, each another one: a comment in it says which. */
async function makeOriginals() {
  const picture = await drawing(randomFrom(2), 400, 300).jpeg({ quality: 40 }).toBuffer()
  const run = randomUUID()
  return (index: number): Buffer => {
    const text = Buffer.from(`${run} ${index}`)
    const comment = Buffer.from([0xff, 0xfe, 0, text.length + 2])
    return Buffer.concat([picture.subarray(0, 2), comment, text, picture.subarray(2)])
  }
}

async function generate(db: Database, store: ObjectStore, userId: number, count: number): Promise<void> {
  const bytesOf = await makeOriginals()
  const rows = galleryRows({
    userId,
    count,
    pictures: await makePictures(store),
    until: new Date(),
    original(index) {
      const bytes = bytesOf(index)
      return { filename: `${newId()}.jpg`, filesize: bytes.length, sha256: sha256(bytes) }
    },
  })
  let made = 0
  for (const batch of inBatches(rows, ROWS_AT_ONCE)) {
    await putOriginals(store, batch, bytesOf, made)
    await db.photo.createMany({ data: batch })
    made += batch.length
    if (made % 10_000 === 0) process.stdout.write(`${made.toLocaleString('en')} photos\n`)
  }
}

/** The object first, as an upload does: a row always has its original. */
async function putOriginals(
  store: ObjectStore,
  batch: Prisma.PhotoCreateManyInput[],
  bytesOf: (index: number) => Buffer,
  from: number,
): Promise<void> {
  const waiting = batch.entries()
  const drain = async () => {
    for (const [index, { filename }] of waiting) {
      await put(store, originalKey(filename), bytesOf(from + index), 'image/jpeg')
    }
  }
  await Promise.all(Array.from({ length: PUTS_AT_ONCE }, drain))
}

/** As their owner would delete them: the worker removes their objects. */
async function remove(db: Database, userId: number): Promise<number> {
  for (let removed = 0; ; ) {
    const where = { userId, originalName: { startsWith: GENERATED } }
    const some = await db.photo.findMany({ where, take: ROWS_AT_ONCE, select: { id: true } })
    if (some.length === 0) return removed
    removed += some.length
    await deletePhotos(
      db,
      some.map(({ id }) => id),
      { userId, isAdmin: false },
    )
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
    process.stdout.write(`${(await remove(db, userId)).toLocaleString('en')} generated photos are removed.\n`)
  } else {
    await generate(db, await openObjectStore(config), userId, count)
    await pool.query('VACUUM ANALYZE photos, photo_places')
    process.stdout.write(`${count.toLocaleString('en')} photos are there.\n`)
  }
} finally {
  await pool.end()
}
