import { emit } from '@skyfolio/kit'
import { events, PrintImageStatus } from '@skyfolio/proto'
import { waitFor } from '@skyfolio/testkit'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { printImageKey } from '../src/files/object-keys.ts'
import { printRequests, redAndBlue } from './print-support.ts'
import { jpeg, startTestMedia, type TestMedia, user } from './support.ts'

const { READY, NOT_FOUND } = PrintImageStatus
const print4x6 = { shortSide: 1200, longSide: 1800 }

let media: TestMedia
let requests: ReturnType<typeof printRequests>
beforeAll(async () => {
  media = await startTestMedia()
  requests = printRequests(media)
  media.startWorker()
})
afterAll(() => media.close())

const send = async (userId: number) =>
  media.send('/api/walgreens/upload-image', user(userId), [['image', { name: 'a.jpg', bytes: await jpeg() }]])

const rowsOf = (userId: number) => media.db.printImage.count({ where: { userId } })

/** Publishes that the user was deleted, as auth does. */
async function deleted(userId: number) {
  await emit(media.db, events.userDeleted, { userId })
  await waitFor(() => media.db.deletedUser.findUnique({ where: { userId } }), { what: 'the user is deleted' })
}

/** Publishes that no order of the user is left, as print-orders does, and waits until media is complete. */
async function erased(userId: number) {
  await emit(media.db, events.ordersErasureChanged, { userId, complete: true, revision: 1 })
  await waitFor(async () => (await media.db.erasure.findUnique({ where: { userId } }))?.erasedAt, {
    what: 'the user is erased',
    timeoutMs: 60_000,
  })
  expect(await rowsOf(userId)).toBe(0)
}

const idOf = (filename = '') => filename.split('-')[1] ?? ''

test('erases the print images of a deleted user when no order needs them, and makes no new ones', async () => {
  const mine = await media.upload(1, {}, await redAndBlue(900, 600))
  const other = await media.upload(2, {}, await redAndBlue(900, 600))
  const [image] = await requests.prepared(1, [{ photoId: mine.id, ...print4x6 }])
  const { body: upload } = await send(1)
  const [kept] = await requests.prepared(2, [{ photoId: other.id, ...print4x6 }])

  await deleted(1)
  await waitFor(
    async () => (await media.db.erasure.findUnique({ where: { userId: 1 } }))?.waitsFor.startsWith('Print images stay'),
    { what: 'the erasure waits for the orders' },
  )
  expect((await requests.fetched(image?.filename)).length, 'the partner may still fetch it').toBeGreaterThan(0)
  expect((await send(1)).status).toBe(404)
  await erased(1)
  for (const filename of [image?.filename, upload.filename]) {
    expect(await media.keys()).not.toContain(printImageKey(idOf(filename)))
    expect((await media.call(`/api/uploads/${filename}`)).status).toBe(404)
    expect((await requests.check(1, [filename]))[0]?.status).toBe(NOT_FOUND)
  }
  expect((await requests.prepare(1, [{ photoId: mine.id }]))[0]?.status).toBe(NOT_FOUND)
  await emit(media.db, events.userDeleted, { userId: 1 })
  expect((await requests.fetched(kept?.filename)).length).toBeGreaterThan(0)
  expect((await requests.prepared(2, [{ photoId: other.id }]))[0]?.status).toBe(READY)
  expect(await rowsOf(1)).toBe(0)
})

test('a rendering in progress brings nothing back', async () => {
  const { id: photoId } = await media.upload(3, {}, await redAndBlue(4000, 3000))
  await requests.prepare(3, [{ photoId, shortSide: 3000, longSide: 4000 }])
  const { id } = await waitFor(
    async () => (await media.db.printImage.findFirst({ where: { userId: 3, starts: 1 } })) ?? false,
    { what: 'the worker has begun' },
  )
  await deleted(3)
  await erased(3)
  expect(await media.keys()).not.toContain(printImageKey(id))
})

test('an upload whose user is deleted while it is converted ends, and leaves no file', async () => {
  const stopped = await startTestMedia()
  const sending = stopped.send('/api/walgreens/upload-image', user(4), [
    ['image', { name: 'a.jpg', bytes: await jpeg() }],
  ])
  await waitFor(() => stopped.db.printImage.findFirst(), { what: 'the upload is received' })
  await emit(stopped.db, events.userDeleted, { userId: 4 })
  await emit(stopped.db, events.ordersErasureChanged, { userId: 4, complete: true, revision: 1 })
  expect((await sending).status).toBe(503)
  stopped.startWorker()
  await waitFor(async () => (await stopped.keys()).length === 0, { what: 'the file is removed' })
  await stopped.close()
})
