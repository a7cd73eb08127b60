import { once } from 'node:events'
import { fromBinary } from '@bufbuild/protobuf'
import { events } from '@skyfolio/proto'
import { dronePhoto, waitFor } from '@skyfolio/testkit'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Photo, Prisma } from '../src/generated/client.ts'
import { reportFailedUploads } from '../src/photos/failed-uploads.ts'
import { jpeg, startTestMedia, type TestMedia, user } from './support.ts'

const DAMAGED = 'The photo is damaged and cannot be shown. The original file is kept.'
const HOUR = 3600

let media: TestMedia
beforeAll(async () => {
  media = await startTestMedia({ worker: { noticeSeconds: 2 } })
})
afterAll(() => media.close())

let made = 0
/** Creates a photo that was uploaded an hour ago. */
function add(userId: number, more: Partial<Prisma.PhotoCreateInput> = {}): Promise<Photo> {
  made += 1
  const name = `failed-${made}`
  const file = { filename: `${name}.jpg`, originalName: 'x.jpg', filesize: 1, sha256: name }
  const uploaded = new Date(Date.now() - HOUR * 1000)
  return media.db.photo.create({
    data: { userId, title: name, ...file, createdAt: uploaded, requestedAt: uploaded, ...more },
  })
}

/** Processes a photo with this outcome, as the worker does. */
async function process({ id }: Photo, status: 'ready' | 'failed'): Promise<void> {
  await media.save(await media.startOn(id), { status, statusMessage: status === 'failed' ? DAMAGED : null })
}

async function addFailed(userId: number, more: Partial<Prisma.PhotoCreateInput> = {}): Promise<Photo> {
  const photo = await add(userId, more)
  await process(photo, 'failed')
  return photo
}

const report = (seconds = 0) => reportFailedUploads(media.db, seconds)
const reprocess = (userId: number, { id }: Photo) =>
  media.call(`/api/photos/${id}/reprocess`, user(userId), { method: 'POST' })

async function reportsOf(userId: number) {
  const rows = await media.db.outbox.findMany({
    where: { subject: events.uploadFailed.subject },
    orderBy: { seq: 'asc' },
  })
  const messages = rows.map(({ payload }) => fromBinary(events.uploadFailed.schema, payload))
  return messages.filter((message) => message.userId === userId)
}

test('reports the photos of a batch once, when its last one was processed', async () => {
  const worker = media.startWorker()
  const damaged = await dronePhoto({ latitude: 40.7, longitude: -73.9 })
  const middle = damaged.length >> 1
  damaged.fill(0xff, middle, middle + 20_000)
  for (let at = middle; at < middle + 20_000; at += 2) damaged[at + 1] = 0xd1
  const uploaded = await media.send('/api/upload-photos', user(1), [
    ['photos', { name: 'bridge.jpg', bytes: damaged }],
    ['photos', { name: 'fine.jpg', bytes: await jpeg() }],
    ['photos', { name: 'tower.jpg', bytes: Buffer.concat([damaged, Buffer.alloc(1)]) }],
  ])
  const [bridge, fine, tower] = uploaded.body.photos
  await waitFor(async () => (await reportsOf(1)).length > 0, { what: 'the failures are reported', timeoutMs: 90_000 })
  expect((await media.photo(fine.id)).status).toBe('ready')
  const [first, ...others] = await reportsOf(1)
  expect(others).toEqual([])
  expect(first).toMatchObject({
    id: expect.stringMatching(/^[0-9a-f-]{36}$/),
    count: 2,
    photos: [
      { id: bridge.id, title: 'bridge', message: DAMAGED },
      { id: tower.id, title: 'tower', message: DAMAGED },
    ],
  })
  worker.kill()
  await once(worker, 'exit')
})

test('waits until the last upload and the last failure are long enough ago, and nothing is processed', async () => {
  await addFailed(2)
  expect(await report(60), 'the failure is new').toBe(0)
  await media.db.failedUpload.updateMany({ data: { failedAt: new Date(Date.now() - 90_000) } })
  const waiting = await add(2)
  expect(await report(60), 'a photo is in processing').toBe(0)
  await process(waiting, 'ready')
  // It was selected an hour ago.
  const recent = await add(2, { requestedAt: new Date(), status: 'ready' })
  expect(await report(60), 'an upload is new').toBe(0)
  await media.db.photo.delete({ where: { id: recent.id } })
  await add(22)
  expect(await report(60), 'of another user nothing matters').toBe(1)
  expect(await report(60)).toBe(0)
  expect(await reportsOf(2)).toMatchObject([{ count: 1 }])
})

test('leaves out photos that were deleted or are ready meanwhile', async () => {
  const [deleted, repaired, failed] = [await addFailed(3), await addFailed(3), await addFailed(3)]
  await media.call(`/api/photos/${deleted.id}`, user(3), { method: 'DELETE' })
  await reprocess(3, repaired)
  await process(repaired, 'ready')
  expect(await report()).toBe(1)
  expect(await reportsOf(3)).toMatchObject([{ count: 1, photos: [{ id: failed.id }] }])

  const only = await addFailed(4)
  await media.call(`/api/photos/${only.id}`, user(4), { method: 'DELETE' })
  expect(await report()).toBe(0)
  expect(await reportsOf(4)).toEqual([])
  expect(await media.db.failedUpload.count()).toBe(0)
})

test('does not report what fails again for its owner, who looks at it', async () => {
  const photo = await addFailed(5)
  await reprocess(5, photo)
  await process(photo, 'failed')
  const ready = await add(5)
  await process(ready, 'ready')
  await reprocess(5, ready)
  await process(ready, 'failed')
  expect(await report()).toBe(0)
  // Uploaded again after a loss of the original it is an upload like any other.
  await media.db.photo.update({ where: { id: ready.id }, data: { status: 'processing', reportFailure: true } })
  await process(ready, 'failed')
  expect(await report()).toBe(1)
})

test('does not report photos of the metadata screen', async () => {
  await addFailed(6, { purpose: 'metadata' })
  expect(await report()).toBe(0)
  expect(await media.db.failedUpload.count()).toBe(0)
})

test('names twenty photos and counts all', async () => {
  for (let index = 0; index < 23; index += 1) await addFailed(7)
  expect(await report()).toBe(1)
  const [message] = await reportsOf(7)
  expect([message?.count, message?.photos.length]).toEqual([23, 20])
})

test('reports each batch once when several workers look at the same time', async () => {
  for (let index = 0; index < 10; index += 1) for (const userId of [8, 9, 10]) await addFailed(userId)
  const counts = await Promise.all(Array.from({ length: 6 }, () => report()))
  expect(counts.reduce((sum, count) => sum + count, 0)).toBe(3)
  for (const userId of [8, 9, 10]) expect(await reportsOf(userId)).toMatchObject([{ count: 10 }])
})
