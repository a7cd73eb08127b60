import { Readable } from 'node:stream'
import { createLogger } from '@skyfolio/kit'
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import { newId, originalKey, printImageKey } from '../src/files/object-keys.ts'
import { removeDueObjects } from '../src/files/object-removals.ts'
import { reconcile } from '../src/files/reconcile.ts'
import type { PrintImage } from '../src/generated/client.ts'
import { startTestMedia, type TestMedia } from './support.ts'

const HOUR = 3_600_000
const FILE_BYTES = 5

let media: TestMedia
let deps: Parameters<typeof reconcile>[0]
beforeAll(async () => {
  media = await startTestMedia()
  deps = { db: media.db, store: media.store, logger: createLogger('reconcile', 'silent') }
})
afterEach(async () => {
  for (const key of await media.keys()) await media.store.remove(key)
  await media.db.objectRemoval.deleteMany()
  await media.db.printImage.deleteMany()
  await media.db.photo.deleteMany()
})
afterAll(() => media.close())

const run = (options: { orphanAgeMs?: number; dryRun?: boolean } = {}) =>
  reconcile(deps, { orphanAgeMs: HOUR, dryRun: false, ...options })

const put = (key: string, size = FILE_BYTES) =>
  media.store.put(key, Readable.from([Buffer.alloc(size, 1)]), { contentType: 'image/x' })

/** Creates a ready image, of a photo or of an upload, with its object. */
async function readyImage(photoId: number | null = null): Promise<PrintImage> {
  const id = newId()
  await put(printImageKey(id))
  return media.db.printImage.create({
    data: {
      id,
      userId: 1,
      photoId,
      specification: photoId === null ? `upload:${id}` : `photo:${photoId}:proof`,
      status: 'ready',
      width: 10,
      height: 10,
      filesize: FILE_BYTES,
      expiresAt: new Date(Date.now() + HOUR),
    },
  })
}

async function photoWithOriginal(): Promise<number> {
  const filename = `${newId()}.jpg`
  await put(originalKey(filename))
  const data = { userId: 1, title: '', filename, originalName: '', filesize: FILE_BYTES, sha256: newId() }
  return (await media.db.photo.create({ data })).id
}

const find = ({ id }: PrintImage) => media.db.printImage.findUnique({ where: { id } })

/** Removes what is scheduled, as the worker does a minute later. */
async function removeScheduled(): Promise<void> {
  await media.db.objectRemoval.updateMany({ data: { notBefore: new Date() } })
  await removeDueObjects(deps)
}

test('renders a missing image of a photo again under its id, and deletes others', async () => {
  const kept = await readyImage()
  const ofPhoto = await readyImage(await photoWithOriginal())
  const ofDeleted = await readyImage(4_000_000)
  const ofUpload = await readyImage()
  expect(await run()).toMatchObject({ objects: 5, orphans: 0, missingPrintImages: 0 })
  for (const image of [ofPhoto, ofDeleted, ofUpload]) await media.store.remove(printImageKey(image.id))

  expect(await run({ dryRun: true })).toMatchObject({ missingPrintImages: 3 })
  expect(await find(ofUpload)).toEqual(ofUpload)
  expect(await run()).toMatchObject({ missingPrintImages: 3 })
  expect(await find(kept)).toEqual(kept)
  expect(await find(ofPhoto)).toMatchObject({ status: 'rendering', run: 1, starts: 0 })
  expect([await find(ofDeleted), await find(ofUpload)]).toEqual([null, null])
  expect(await run()).toMatchObject({ missingPrintImages: 0 })
})

test('treats an incomplete image as missing', async () => {
  const image = await readyImage(await photoWithOriginal())
  await put(printImageKey(image.id), FILE_BYTES - 1)
  expect(await run()).toMatchObject({ missingPrintImages: 1, orphans: 0 })
  expect(await find(image)).toMatchObject({ status: 'rendering' })
})

test('removes old objects without a row, and keeps those of images in work and of uploads that wait', async () => {
  const image = await readyImage()
  await media.db.printImage.update({ where: { id: image.id }, data: { status: 'rendering' } })
  const source = `${newId()}.png`
  await put(originalKey(source))
  await media.db.printImage.create({
    data: {
      id: newId(),
      userId: 1,
      specification: `upload:${source}`,
      source,
      sourceBytes: FILE_BYTES,
      expiresAt: new Date(Date.now() + HOUR),
    },
  })
  const orphan = printImageKey(newId())
  await put(orphan)
  expect(await run()).toMatchObject({ recent: 1, orphans: 0 })
  expect(await run({ orphanAgeMs: -1 })).toMatchObject({ orphans: 1, missingPrintImages: 0 })
  await removeScheduled()
  expect(await media.keys()).toEqual([originalKey(source), printImageKey(image.id)])
})

test('compares more images than one page without a gap', async () => {
  const ids = Array.from({ length: 600 }, () => newId())
  for (let at = 0; at < ids.length; at += 100)
    await Promise.all(ids.slice(at, at + 100).map((id) => put(printImageKey(id))))
  const row = { userId: 1, status: 'ready', width: 1, height: 1, filesize: FILE_BYTES, expiresAt: new Date(2e12) }
  await media.db.printImage.createMany({ data: ids.map((id) => ({ ...row, id, specification: `upload:${id}` })) })
  expect(await run({ orphanAgeMs: -1 })).toMatchObject({ objects: 600, orphans: 0, missingPrintImages: 0 })
  await media.store.remove(printImageKey(ids[300] ?? ''))
  await media.db.printImage.delete({ where: { id: ids[400] } })
  expect(await run({ orphanAgeMs: -1 })).toMatchObject({ orphans: 1, missingPrintImages: 1 })
})
