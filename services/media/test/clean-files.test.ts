import { Readable } from 'node:stream'
import { buffer } from 'node:stream/consumers'
import { crc32 } from 'node:zlib'
import type { ObjectStore } from '@skyfolio/kit'
import { dronePhoto, waitFor } from '@skyfolio/testkit'
import sharp from 'sharp'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { piecesInRange } from '../src/archives/archive.ts'
import { MissingObjectError, readPieces } from '../src/archives/read-pieces.ts'
import {
  createFileCleaner,
  type FileCleaner,
  measureCleanFiles,
  readCleanPieces,
} from '../src/clean-files/clean-files.ts'
import { newId, originalKey } from '../src/files/object-keys.ts'
import { quadrants } from './fixtures/quadrants.ts'
import { jpeg, startTestMedia, type TestMedia, user } from './support.ts'

const PLACE = { latitude: 46.84, longitude: -92.03 }
const VARIANTS = [{ camera: true }, { camera: false }]
const never = new AbortController().signal

let media: TestMedia
let cleaner: FileCleaner
/** Keys in the order in which they were read. */
let reads: string[] = []

beforeAll(async () => {
  media = await startTestMedia()
  const store: ObjectStore = {
    ...media.store,
    get: (key, range) => {
      reads.push(key)
      return media.store.get(key, range)
    },
  }
  cleaner = createFileCleaner({ db: media.db, store })
})
afterAll(() => media.close())

async function uploaded(bytes?: Buffer) {
  const { id } = await media.upload(1, {}, bytes)
  reads = []
  return media.photo(id)
}

async function readClean(id: number, variant: { camera: boolean }, range = { start: 0, end: Number.MAX_SAFE_INTEGER }) {
  const pieces = await readCleanPieces(media.db, id, variant)
  return buffer(readPieces(media.store, piecesInRange(pieces, range), never))
}

test.each(['jpeg', 'png'] as const)('a %s is read once, and sent without its place from then on', async (format) => {
  const original = await sharp(await dronePhoto(PLACE))
    .keepMetadata()
    [format]()
    .toBuffer()
  const photo = await uploaded(original)
  expect(await measureCleanFiles(media.db, [photo.id], { camera: true })).toEqual(new Map())
  expect(await Promise.all([cleaner.prepare(photo), cleaner.prepare(photo)])).toEqual([true, true])
  expect(await cleaner.prepare(photo)).toBe(true)
  expect(reads).toEqual([originalKey(photo.filename)])

  for (const variant of VARIANTS) {
    const cleaned = await readClean(photo.id, variant)
    const { size, crc32: checksum } = (await measureCleanFiles(media.db, [photo.id], variant)).get(photo.id) ?? {}
    expect([cleaned.length, crc32(cleaned)]).toEqual([size, checksum])
    expect(cleaned.includes('FC300S')).toBe(variant.camera)
    expect((await sharp(cleaned).raw().toBuffer()).equals(await sharp(original).raw().toBuffer())).toBe(true)
    const edges = [0, 1, 300, 1500, cleaned.length - 13, cleaned.length - 12, cleaned.length - 1]
    for (const start of edges)
      for (const end of edges.filter((edge) => edge >= start))
        expect(await readClean(photo.id, variant, { start, end })).toEqual(cleaned.subarray(start, end + 1))
  }
})

test('other formats, and damaged originals, have no cleaned file', async () => {
  const gif = await uploaded(await quadrants().gif().toBuffer())
  expect(await cleaner.prepare(gif)).toBe(false)
  expect(reads).toEqual([])
  // The comment is among the scans.
  const bytes = await quadrants(400, 300).jpeg({ progressive: true }).toBuffer()
  const at = bytes.lastIndexOf(Buffer.from([0xff, 0xda]))
  const odd = await uploaded(
    Buffer.concat([bytes.subarray(0, at), Buffer.from([0xff, 0xfe, 0, 3, 1]), bytes.subarray(at)]),
  )
  expect([await cleaner.prepare(odd), await cleaner.prepare(odd)]).toEqual([false, false])
  expect(reads).toHaveLength(1)
  expect(await measureCleanFiles(media.db, [gif.id, odd.id], { camera: true })).toEqual(new Map())
  expect(await cleaner.prepareAll([gif.id, odd.id])).toBe(0)
  await expect(readCleanPieces(media.db, odd.id, { camera: true })).rejects.toThrow(MissingObjectError)
})

test('many are prepared at once, each one once, and missing originals are passed over', async () => {
  const photos = [await uploaded(), await uploaded(), await uploaded()]
  const ids = photos.map(({ id }) => id)
  const [first] = photos
  if (first) await media.store.remove(originalKey(first.filename))
  expect(await Promise.all([cleaner.prepareAll(ids), cleaner.prepareAll(ids)])).toEqual([0, 0])
  expect(reads.sort()).toEqual(photos.map(({ filename }) => originalKey(filename)).sort())
  expect([...(await measureCleanFiles(media.db, ids, { camera: false })).keys()].sort()).toEqual(ids.slice(1))
})

test('what was found of an original is void with it', async () => {
  const photo = await uploaded()
  await cleaner.prepare(photo)
  const bytes = await jpeg(500)
  const other = { ...photo, filename: `${newId()}.jpg`, filesize: bytes.length }
  await media.store.put(originalKey(other.filename), Readable.from([bytes]), { contentType: 'image/jpeg' })
  const { filename, filesize } = other
  await media.db.photo.update({ where: { id: photo.id }, data: { filename, filesize } })
  expect(await measureCleanFiles(media.db, [photo.id], { camera: true })).toEqual(new Map())
  expect(await cleaner.prepare(other)).toBe(true)
  expect(await sharp(await readClean(photo.id, { camera: true })).metadata()).toMatchObject({ width: 500 })
  // Begun before the original was replaced.
  await cleaner.prepare(photo)
  expect(await sharp(await readClean(photo.id, { camera: true })).metadata()).toMatchObject({ width: 500 })
})

test('an original that the store sends only in part is not taken for a damaged one', async () => {
  const photo = await uploaded()
  const get: ObjectStore['get'] = async (key) => {
    const object = await media.store.get(key)
    const bytes = await buffer(object?.body ?? Readable.from([]))
    return { size: bytes.length, body: Readable.from([bytes.subarray(0, -100)]) }
  }
  const interrupted = createFileCleaner({ db: media.db, store: { ...media.store, get } })
  await expect(interrupted.prepare(photo)).rejects.toThrow('ended early')
  expect(await cleaner.prepare(photo)).toBe(true)
})

test('what a cleaned file consists of goes with its photo', async () => {
  const photo = await uploaded()
  await cleaner.prepare(photo)
  expect(await media.db.cleanFile.count({ where: { photoId: photo.id } })).toBe(1)
  expect((await media.call(`/api/photos/${photo.id}`, user(1), { method: 'DELETE' })).ok).toBe(true)
  await waitFor(async () => (await media.db.cleanFile.count({ where: { photoId: photo.id } })) === 0, {
    what: 'the row is gone',
  })
  await expect(readCleanPieces(media.db, photo.id, { camera: true })).rejects.toThrow(MissingObjectError)
})
