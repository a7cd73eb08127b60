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

/** Publishes that the user was deleted, as auth does, and waits until media has no print images of theirs. */
async function deleted(userId: number) {
  await emit(media.db, events.userDeleted, { userId })
  await waitFor(() => media.db.deletedUser.findUnique({ where: { userId } }), { what: 'the user is erased' })
  expect(await rowsOf(userId)).toBe(0)
}

const removed = (key: string) =>
  waitFor(async () => !(await media.keys()).includes(key), { what: 'the object is removed' })

const idOf = (filename = '') => filename.split('-')[1] ?? ''

test('erases the print images of a deleted user and of nobody else, and makes no new ones', async () => {
  const mine = await media.upload(1, {}, await redAndBlue(900, 600))
  const other = await media.upload(2, {}, await redAndBlue(900, 600))
  const [image] = await requests.prepared(1, [{ photoId: mine.id, ...print4x6 }])
  const { body: upload } = await send(1)
  const [kept] = await requests.prepared(2, [{ photoId: other.id, ...print4x6 }])

  await deleted(1)
  for (const filename of [image?.filename, upload.filename]) {
    await removed(printImageKey(idOf(filename)))
    expect((await media.call(`/api/uploads/${filename}`)).status).toBe(404)
    expect((await requests.check(1, [filename]))[0]?.status).toBe(NOT_FOUND)
  }
  expect((await requests.prepare(1, [{ photoId: mine.id }]))[0]?.status).toBe(NOT_FOUND)
  expect((await send(1)).status).toBe(404)
  await emit(media.db, events.userDeleted, { userId: 1 })
  expect((await requests.fetched(kept?.filename)).length).toBeGreaterThan(0)
  expect((await requests.prepared(2, [{ photoId: other.id }]))[0]?.status).toBe(READY)
  expect(await rowsOf(1)).toBe(0)
})

test('a rendering in progress brings nothing back', async () => {
  const { id: photoId } = await media.upload(3, {}, await redAndBlue(4000, 3000))
  await requests.prepare(3, [{ photoId, shortSide: 3000, longSide: 4000 }])
  const { id } = await waitFor(
    async () => (await media.db.printImage.findFirst({ where: { userId: 3, leaseId: { not: null } } })) ?? false,
    { what: 'the worker has begun' },
  )
  const stored = waitFor(async () => (await media.keys()).includes(printImageKey(id)), {
    what: 'the rendering has ended',
  })
  await deleted(3)
  await stored
  await removed(printImageKey(id))
  expect(await rowsOf(3)).toBe(0)
})

test('an upload whose user is deleted while it is converted ends, and leaves no file', async () => {
  const stopped = await startTestMedia()
  const sending = stopped.send('/api/walgreens/upload-image', user(4), [
    ['image', { name: 'a.jpg', bytes: await jpeg() }],
  ])
  await waitFor(() => stopped.db.printImage.findFirst(), { what: 'the upload is received' })
  await emit(stopped.db, events.userDeleted, { userId: 4 })
  expect((await sending).status).toBe(503)
  stopped.startWorker()
  await waitFor(async () => (await stopped.keys()).length === 0, { what: 'the file is removed' })
  await stopped.close()
})
