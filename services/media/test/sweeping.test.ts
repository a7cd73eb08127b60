import { Readable } from 'node:stream'
import { createLogger, type ObjectStore, unavailable } from '@skyfolio/kit'
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import { originalKey } from '../src/files/object-keys.ts'
import { removeDueObjects } from '../src/files/object-removals.ts'
import { reconcile } from '../src/files/reconcile.ts'
import { createFolders } from '../src/projection/folders.ts'
import { addPhotos } from '../src/uploads/add-photos.ts'
import { startTestMedia, type TestMedia } from './support.ts'

let media: TestMedia
let deps: Parameters<typeof removeDueObjects>[0]
beforeAll(async () => {
  media = await startTestMedia()
  deps = { db: media.db, store: media.store, logger: createLogger('sweeping', 'silent') }
})
afterEach(async () => {
  for (const key of await media.keys()) await media.store.remove(key)
  await media.db.objectRemoval.deleteMany()
  await media.db.photo.deleteMany()
})
afterAll(() => media.close())

const name = (digit: number, extension = 'jpg') => `${String(digit).repeat(32)}.${extension}`
const put = (key: string) => media.store.put(key, Readable.from([Buffer.from('bytes')]), { contentType: 'image/jpeg' })
/** Schedules the removal of objects that are older than this and belong to no photo. */
const sweep = async (orphanAgeMs: number) => (await reconcile(deps, { orphanAgeMs, dryRun: false })).orphans
/** As if the minute had passed in which transactions may still claim an object. */
const afterGrace = () => media.db.objectRemoval.updateMany({ data: { notBefore: new Date() } })

test('removes objects without a photo when they are old enough, and no others', async () => {
  const photo = await media.upload(1)
  await put(originalKey(name(1)))
  await put(`renditions/${name(2, 'webp')}`)
  expect(await sweep(3_600_000)).toBe(0)

  expect(await sweep(-1)).toBe(2)
  await removeDueObjects(deps)
  expect(await media.keys()).toHaveLength(3)
  await afterGrace()
  await removeDueObjects(deps)
  expect(await media.keys()).toEqual([originalKey(photo.filename)])
  expect(await media.db.objectRemoval.count()).toBe(0)
})

/** Creates a photo from a received original, the second step of its upload. */
const add = (filename: string) =>
  addPhotos(
    { ...media, folders: createFolders(media.db, media.nats) },
    {
      userId: 1,
      form: { description: null, isPublic: null, folderId: null, purpose: 'gallery' as const },
      originals: [{ filename, originalName: 'a.jpg', filesize: 5, sha256: '', sha256Verified: true, crc32: 0 }],
      limit: null,
    },
  )

test('keeps an original whose upload commits after its removal was scheduled', async () => {
  await put(originalKey(name(3)))
  await sweep(-1)
  await afterGrace()
  await add(name(3))
  await removeDueObjects(deps)
  expect(await media.keys()).toEqual([originalKey(name(3))])
})

test('keeps an original whose removal is scheduled between the two steps of its upload', async () => {
  await put(originalKey(name(4)))
  await add(name(4))
  await media.db.objectRemoval.create({ data: { key: originalKey(name(4)) } })
  await removeDueObjects(deps)
  expect(await media.keys()).toEqual([originalKey(name(4))])
  expect(await media.db.objectRemoval.count()).toBe(0)
})

test('rejects an upload whose original was removed, and creates no photo', async () => {
  await expect(add(name(5))).rejects.toMatchObject({ status: 503 })
  expect(await media.db.photo.count()).toBe(0)
})

test('retries a removal that the store rejects later, and executes the others', async () => {
  await put(originalKey(name(6)))
  await put(originalKey(name(7)))
  await media.db.objectRemoval.createMany({ data: [{ key: originalKey(name(6)) }, { key: originalKey(name(7)) }] })
  const stuck: ObjectStore = {
    ...media.store,
    remove: (key) => (key.includes('6') ? Promise.reject(unavailable()) : media.store.remove(key)),
  }
  await removeDueObjects({ ...deps, store: stuck })
  expect(await media.keys()).toEqual([originalKey(name(6))])
  await afterGrace()
  await removeDueObjects(deps)
  expect(await media.keys()).toEqual([])
})
