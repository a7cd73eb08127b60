import { randomBytes, randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { fromBinary } from '@bufbuild/protobuf'
import { events } from '@skyfolio/proto'
import { waitFor } from '@skyfolio/testkit'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Database } from '../src/database.ts'
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

const round = { lastUserId: 0 }

/** The users whose photos are selected next, in order. */
async function turns(count: number): Promise<(number | undefined)[]> {
  const users = []
  for (let turn = 0; turn < count; turn += 1) users.push((await acquireNextLease(media.db, 60, round))?.photo.userId)
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

test('gives each user a turn before one has a second, whatever is finished meanwhile', async () => {
  for (const userId of [3, 70, 800, 801, 9_000]) await addWaiting(userId, 4)
  const taken: (number | undefined)[] = []
  for (let turn = 0; turn < 10; turn += 1) {
    taken.push(...(await turns(1)))
    // Each photo is ready before the next one is selected.
    await media.db.photo.deleteMany({ where: { leaseId: { not: null } } })
  }
  expect(taken.slice(0, 5).toSorted()).toEqual([3, 70, 800, 801, 9_000].toSorted())
  expect(taken.slice(5)).toEqual(taken.slice(0, 5))
  await media.db.photo.deleteMany()
})

test('selects among many waiting photos and users by reading few rows', async () => {
  const add = (userId: string, count: number) =>
    media.pool.query(`
      INSERT INTO photos (user_id, title, filename, original_name, filesize, sha256)
      SELECT ${userId}, '', '${userId}-' || n, '', 1, '${userId}-' || n FROM generate_series(1, ${count}) AS n`)
  await add('1', 50_000)
  await add('2', 1)
  await add('10 + n', 2_000)
  for (const statistics of ['none', 'fresh']) {
    if (statistics === 'fresh') await media.pool.query('ANALYZE photos')
    // User 2, and later others, come after photos that were uploaded before.
    round.lastUserId = 0
    for (let turn = 0; turn < 4; turn += 1) {
      expect(await rowsRead((db) => acquireNextLease(db, 60, round)), statistics).toBeLessThan(200)
    }
  }
  await media.db.photo.deleteMany()
})

/** Counts the rows of photos that the work reads, by whatever plan. */
function rowsRead(work: (db: Database) => Promise<unknown>): Promise<number> {
  return media.db.$transaction(async (tx) => {
    const read = async () => {
      const [row] = await tx.$queryRaw<[{ rows: bigint }]>`
        SELECT seq_tup_read + idx_tup_fetch AS rows FROM pg_stat_xact_user_tables WHERE relname = 'photos'`
      return Number(row.rows)
    }
    const before = await read()
    await work(tx as unknown as Database)
    return (await read()) - before
  })
}

test('leases each photo once to concurrent workers, and then none', async () => {
  await addWaiting(1, 6)
  await addWaiting(2, 2)
  const leases = await Promise.all(Array.from({ length: 10 }, () => acquireNextLease(media.db, 60, round)))
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
  const worker = media.startWorker()
  await media.processed(id)
  const rows = await media.db.outbox.findMany({ where: PHOTO_EVENTS, orderBy: { seq: 'asc' } })
  const results = rows
    .map(({ payload }) => fromBinary(events.photoChanged.schema, payload))
    .filter(({ revision }) => revision > 1)
  expect(results.findIndex(({ photo }) => photo?.id === id)).toBeLessThan(10)
  worker.kill('SIGKILL')
  await once(worker, 'exit')
  await media.db.photo.deleteMany()
})

/** A GIF of 72 megapixels that is rendered alone, which takes longer than a photo; bytes after its end are not part of it. */
function slowGif(): Buffer {
  const head = Buffer.from('47494638396100000000800000000000ffffff2c00000000010001000002024401003b', 'hex')
  // Of the canvas and of the image, whose pixels are nearly all missing.
  for (const at of [6, 24]) {
    head.writeUInt16LE(9_000, at)
    head.writeUInt16LE(8_000, at + 2)
  }
  return Buffer.concat([head, randomBytes(30_000)])
}

test("processes one user's photo after at most a few images of another that are slow", async () => {
  for (let upload = 0; upload < 12; upload += 1) await media.upload(1, {}, slowGif())
  media.startWorker()
  const slowDone = () => media.db.photo.count({ where: { userId: 1, status: { not: 'processing' } } })
  await waitFor(async () => (await slowDone()) > 0, { what: 'the first slow image is done', timeoutMs: 90_000 })
  const { id } = await media.upload(2)
  const before = await slowDone()
  await media.processed(id)
  expect((await slowDone()) - before).toBeLessThan(4)
})
