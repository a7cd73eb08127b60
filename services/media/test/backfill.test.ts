import { randomUUID } from 'node:crypto'
import { fromBinary } from '@bufbuild/protobuf'
import type { ObjectStore } from '@skyfolio/kit'
import { events } from '@skyfolio/proto'
import sharp from 'sharp'
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import { newId, objectKeysOf, renditionKey } from '../src/files/object-keys.ts'
import { removeDueObjects } from '../src/files/object-removals.ts'
import type { Photo } from '../src/generated/client.ts'
import { deletePhotos } from '../src/photos/delete-photos.ts'
import { reprocessPhotos } from '../src/photos/reprocess-photos.ts'
import { countLackingSizes } from '../src/processing/backfill-leases.ts'
import { type BackfillDeps, createBackfill } from '../src/processing/backfill-sizes.ts'
import { backfillDeps, earlierPhoto } from './backfill-support.ts'
import { PHOTO_EVENTS, startTestMedia, type TestMedia } from './support.ts'

let media: TestMedia
beforeAll(async () => {
  media = await startTestMedia()
})
afterEach(async () => {
  for (const key of await media.keys()) await media.store.remove(key)
  await media.db.objectRemoval.deleteMany()
  await media.db.photo.deleteMany()
  await media.db.deletedUser.deleteMany()
  await media.db.outbox.deleteMany()
})
afterAll(() => media.close())

const backfill = (changed: Partial<BackfillDeps> = {}, onlyWhenIdle = true) =>
  createBackfill(backfillDeps(media, changed), { onlyWhenIdle })
const outcomeOf = async (next = backfill()) => (await next())?.outcome ?? null
const changes = () => media.db.outbox.count({ where: PHOTO_EVENTS })

async function stored(name: string | null): Promise<Buffer> {
  const object = await media.store.get(renditionKey(name ?? ''))
  if (!object) throw new Error(`${name} is missing`)
  return Buffer.concat(await object.body.toArray())
}

/** The lease ends, and a time after which something is tried again has passed. */
const endLeases = () => media.db.photo.updateMany({ data: { leaseUntil: new Date(0) } })

test('adds the sizes from the preview with one event, and changes nothing else', async () => {
  const before = await earlierPhoto(media)
  const next = backfill()
  expect(await next()).toEqual({ photoId: before.id, outcome: 'added' })
  const after = await media.photo(before.id)
  expect(await sharp(await stored(after.small)).metadata()).toMatchObject({ format: 'webp', width: 320, height: 213 })
  expect(await sharp(await stored(after.medium)).metadata()).toMatchObject({ format: 'webp', width: 1280, height: 853 })
  const { small, medium, attempts } = after
  expect(after).toEqual({ ...before, small, medium, attempts, renditionSet: 2, revision: before.revision + 1 })
  expect(await media.keys()).toEqual(objectKeysOf(after).sort())

  const [event, ...others] = await media.db.outbox.findMany({ where: PHOTO_EVENTS })
  expect(others).toEqual([])
  const { photo, revision } = fromBinary(events.photoChanged.schema, event?.payload ?? new Uint8Array())
  expect([photo?.small, photo?.medium, photo?.preview, revision]).toEqual([small, medium, before.preview, 2])
  expect(await next()).toBeNull()
})

const without: [string, object, 'unneeded' | 'unreadable', (photo: Photo) => Promise<unknown>][] = [
  ['a tiny photo', { width: 320, height: 300 }, 'unneeded', async () => {}],
  [
    'a DNG',
    {},
    'unneeded',
    ({ id }) => media.db.photo.update({ where: { id }, data: { thumbnail: null, thumbhash: null } }),
  ],
  [
    'a photo without any rendition',
    {},
    'unneeded',
    ({ id }) => media.db.photo.update({ where: { id }, data: { thumbnail: null, preview: null } }),
  ],
  [
    'a photo whose preview is missing',
    {},
    'unreadable',
    ({ preview }) => media.store.remove(renditionKey(`${preview}`)),
  ],
  ['a photo whose preview is no image', { preview: Buffer.alloc(5000, 1) }, 'unreadable', async () => {}],
  ['a photo whose preview is empty', { preview: Buffer.alloc(0) }, 'unreadable', async () => {}],
]

test.each(without)('%s stays without, unchanged and without an event, and is not tried again', async (...row) => {
  const [, shape, outcome, spoil] = row
  const { id } = await earlierPhoto(media, shape)
  await spoil(await media.photo(id))
  const before = await media.photo(id)
  const keys = await media.keys()
  const next = backfill()
  expect(await outcomeOf(next)).toBe(outcome)
  expect(await media.photo(id)).toEqual({ ...before, renditionSet: 2, attempts: 1 })
  expect([await next(), await changes(), await media.keys()]).toEqual([null, 0, keys])
})

test('a photo whose preview is truncated stays without', async () => {
  const noise = { create: { width: 1600, height: 1000, channels: 3, background: '#000' } } as const
  const whole = await sharp(noise).webp().toBuffer()
  const { id } = await earlierPhoto(media, { preview: whole.subarray(0, whole.length - 100) })
  expect(await outcomeOf()).toBe('unreadable')
  expect(await media.photo(id)).toMatchObject({ status: 'ready', small: null, medium: null, renditionSet: 2 })
})

test('a photo that is 1,280 pixels wide or less gets no medium', async () => {
  const { id } = await earlierPhoto(media, { width: 1280, height: 800 })
  expect(await outcomeOf()).toBe('added')
  expect(await media.photo(id)).toMatchObject({ small: expect.any(String), medium: null })
})

test('begins with the newest photo, and does each once', async () => {
  const ids = []
  for (let index = 0; index < 6; index += 1) ids.push((await earlierPhoto(media, { width: 700, height: 500 })).id)
  const [next, other] = [backfill(), backfill()]
  expect((await next())?.photoId).toBe(ids.at(-1))
  const done = await Promise.all([next(), other(), next(), other(), next()])
  expect(done.map((result) => result?.photoId).sort()).toEqual(ids.slice(0, -1))
  expect([await next(), await other(), await changes()]).toEqual([null, null, 6])
})

test('finds a photo that lacks sizes although it is newer than the last one', async () => {
  const next = backfill()
  await earlierPhoto(media, { width: 700, height: 500 })
  expect(await outcomeOf(next)).toBe('added')
  const { id } = await earlierPhoto(media, { width: 700, height: 500 })
  expect((await next())?.photoId).toBe(id)
})

test('waits while a photo waits for processing, but not while one is being processed', async () => {
  await earlierPhoto(media)
  const { id } = await media.upload(1)
  const next = backfill()
  expect(await next()).toBeNull()
  expect((await backfill({}, false)())?.outcome).toBe('added')
  await earlierPhoto(media)
  expect(await next()).toBeNull()
  const lease = { leaseId: randomUUID(), leaseUntil: new Date(Date.now() + 60_000) }
  await media.db.photo.update({ where: { id }, data: lease })
  expect(await outcomeOf(next)).toBe('added')
})

/** A store that runs `work` before the first rendition is stored. */
function storeThat(work: () => Promise<unknown>): ObjectStore {
  let working: Promise<unknown> | undefined
  const put: ObjectStore['put'] = async (...args) => {
    working ??= work()
    await working
    return media.store.put(...args)
  }
  return { ...media.store, put }
}

const owner = { userId: 1, isAdmin: false, confirmedAt: null }

/** Removes objects as if the minute had passed in which transactions may still claim them. */
async function removeObjects(): Promise<void> {
  await media.db.objectRemoval.updateMany({ data: { notBefore: new Date(0) } })
  await removeDueObjects(backfillDeps(media))
}

test('leaves nothing of a photo that is deleted meanwhile', async () => {
  const { id } = await earlierPhoto(media)
  const store = storeThat(() => deletePhotos(media.db, [id], owner))
  expect(await outcomeOf(backfill({ store }))).toBe('lost')
  await removeObjects()
  expect([await media.keys(), await media.db.photo.count()]).toEqual([[], 0])
})

test('discards the sizes of a photo that is to be processed again meanwhile', async () => {
  const before = await earlierPhoto(media)
  const store = storeThat(() => reprocessPhotos(media.db, [before.id], 1))
  expect(await outcomeOf(backfill({ store }))).toBe('lost')
  await removeObjects()
  const after = await media.photo(before.id)
  expect(after).toMatchObject({ status: 'processing', small: null, medium: null, leaseId: null, revision: 2 })
  expect(await media.keys()).toEqual(objectKeysOf(before).sort())
})

test('discards the sizes of a deleted user, whose erasure waits for them', async () => {
  const before = await earlierPhoto(media)
  const store = storeThat(() => media.db.deletedUser.create({ data: { userId: 1 } }))
  expect(await outcomeOf(backfill({ store }))).toBe('lost')
  await removeObjects()
  expect(await media.photo(before.id)).toMatchObject({ small: null, leaseId: null, revision: 1 })
  expect(await media.keys()).toEqual(objectKeysOf(before).sort())
})

test('keeps what the owner changes meanwhile', async () => {
  const { id } = await earlierPhoto(media)
  const change = () => media.json(`/api/photos/${id}`, { userId: 1, sessionHash: 'a' }, 'PATCH', { title: 'Mine' })
  expect(await outcomeOf(backfill({ store: storeThat(change) }))).toBe('added')
  expect(await media.photo(id)).toMatchObject({ title: 'Mine', small: expect.any(String), revision: 3 })
})

test('tries again after an outage of the store, which does not count as an attempt', async () => {
  const { id } = await earlierPhoto(media)
  const outage = Object.assign(new Error('connect ECONNREFUSED'), { code: 'ECONNREFUSED' })
  const get = () => Promise.reject(outage)
  for (let attempt = 0; attempt < 6; attempt += 1) {
    await expect(backfill({ store: { ...media.store, get } })()).rejects.toBe(outage)
    expect(await outcomeOf()).toBeNull()
    await endLeases()
  }
  expect(await outcomeOf()).toBe('added')
  expect(await media.photo(id)).toMatchObject({ attempts: 1, leaseUntil: null })
})

test('gives up on a photo after four attempts without a result', async () => {
  const { id } = await earlierPhoto(media)
  const get = () => Promise.reject(new Error('not understood'))
  for (let attempt = 0; attempt < 4; attempt += 1) {
    expect(await outcomeOf(backfill({ store: { ...media.store, get } }))).toBe('error')
    await endLeases()
  }
  expect(await outcomeOf()).toBe('unreadable')
  expect(await media.photo(id)).toMatchObject({ status: 'ready', small: null, renditionSet: 2, attempts: 5 })
})

test('renders in an isolated process what an earlier attempt may have crashed, with the same bytes', async () => {
  const [first, second] = [await earlierPhoto(media), await earlierPhoto(media)]
  expect((await backfill()())?.photoId).toBe(second.id)
  const killed = { leaseId: randomUUID(), leaseUntil: new Date(0), attempts: 1 }
  await media.db.photo.update({ where: { id: first.id }, data: killed })
  expect(await outcomeOf()).toBe('added')
  const [after, other] = [await media.photo(first.id), await media.photo(second.id)]
  expect(after.attempts).toBe(2)
  expect((await stored(after.small)).equals(await stored(other.small))).toBe(true)
  expect((await stored(after.medium)).equals(await stored(other.medium))).toBe(true)
})

test('a damaged preview is rejected by an isolated process too', async () => {
  const { id } = await earlierPhoto(media, { preview: Buffer.alloc(5000, 1) })
  await media.db.photo.update({ where: { id }, data: { leaseUntil: new Date(0), attempts: 1 } })
  expect(await outcomeOf()).toBe('unreadable')
})

test('finds the next of very many photos by the index', async () => {
  const row = () => ({ userId: 1, title: '', originalName: '', filesize: 1, status: 'ready', renditionSet: 2 })
  const rows = Array.from({ length: 5000 }, () => ({ ...row(), filename: `${newId()}.jpg`, sha256: randomUUID() }))
  await media.db.photo.createMany({ data: rows })
  const lacking = await earlierPhoto(media)
  await media.pool.query('ANALYZE photos')
  const { rows: plan } = await media.pool.query(
    "EXPLAIN SELECT id FROM photos WHERE rendition_set < 2 AND status = 'ready' AND id < 2147483647 AND (lease_until IS NULL OR lease_until < now()) ORDER BY id DESC LIMIT 1",
  )
  expect(JSON.stringify(plan)).toContain('photos_lack_sizes')
  expect([await countLackingSizes(media.db, 10), (await backfill()())?.photoId]).toEqual([1, lacking.id])
})
