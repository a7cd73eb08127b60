import { randomUUID } from 'node:crypto'
import { fromBinary } from '@bufbuild/protobuf'
import { events } from '@skyfolio/proto'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { acquireNextLease } from '../src/processing/leases.ts'
import { jpeg, PHOTO_EVENTS, startTestMedia, type TestMedia } from './support.ts'

let media: TestMedia
beforeAll(async () => {
  media = await startTestMedia()
})
afterAll(() => media.close())

/** Creates rows of a user's waiting photos. */
async function addWaiting(userId: number, count: number): Promise<void> {
  await media.db.photo.createMany({
    data: Array.from({ length: count }, () => {
      const unique = randomUUID().replaceAll('-', '')
      return { userId, title: '', filename: `${unique}.jpg`, originalName: '', filesize: 1, sha256: unique + unique }
    }),
  })
}

/** The users whose photos are selected next, in order. */
async function turns(count: number): Promise<(number | undefined)[]> {
  const users = []
  for (let turn = 0; turn < count; turn += 1) users.push((await acquireNextLease(media.db, 60))?.photo.userId)
  return users
}

test('does not let a user with many waiting photos delay the others by all of them', async () => {
  await addWaiting(1, 50)
  expect(await turns(3)).toEqual([1, 1, 1])
  await addWaiting(2, 1)
  await addWaiting(3, 1)
  expect((await turns(2)).toSorted()).toEqual([2, 3])
  expect(await turns(2)).toEqual([1, 1])
  await media.db.photo.deleteMany()
})

test('alternates between users with many photos, oldest first', async () => {
  for (const userId of [1, 2, 3]) await addWaiting(userId, 6)
  const taken = []
  for (let round = 0; round < 4; round += 1) expect((await turns(3)).toSorted()).toEqual([1, 2, 3])
  for (const userId of [1, 2, 3]) {
    const photos = await media.db.photo.findMany({ where: { userId }, orderBy: { id: 'asc' } })
    taken.push(photos.map(({ leaseId }) => leaseId !== null))
  }
  expect(taken).toEqual(Array(3).fill([true, true, true, true, false, false]))
  await media.db.photo.deleteMany()
})

test('leases each photo once to concurrent workers, and then none', async () => {
  await addWaiting(1, 6)
  await addWaiting(2, 2)
  const leases = await Promise.all(Array.from({ length: 10 }, () => acquireNextLease(media.db, 60)))
  const ids = leases.flatMap((lease) => (lease ? [lease.photo.id] : []))
  expect(new Set(ids).size).toBe(8)
  expect(ids).toHaveLength(8)
  await media.db.photo.deleteMany()
})

test('leases a photo again when its lease has expired', async () => {
  await addWaiting(1, 1)
  await addWaiting(2, 2)
  await media.db.photo.updateMany({ where: { userId: 1 }, data: { leaseId: randomUUID(), leaseUntil: new Date(0) } })
  expect((await turns(2)).toSorted()).toEqual([1, 2])
  expect(await turns(2)).toEqual([2, undefined])
  await media.db.photo.deleteMany()
})

test("processes one user's photo soon, although fifty of another came before", async () => {
  for (let upload = 0; upload < 50; upload += 1) await media.upload(1)
  const { id } = await media.upload(2, {}, await jpeg(500, 400))
  media.startWorker()
  await media.processed(id)
  const rows = await media.db.outbox.findMany({ where: PHOTO_EVENTS, orderBy: { seq: 'asc' } })
  const results = rows
    .map(({ payload }) => fromBinary(events.photoChanged.schema, payload))
    .filter(({ revision }) => revision > 1)
  expect(results.findIndex(({ photo }) => photo?.id === id)).toBeLessThan(10)
})
