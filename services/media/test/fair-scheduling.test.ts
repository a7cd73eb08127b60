import { randomBytes, randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { fromBinary } from '@bufbuild/protobuf'
import { events } from '@skyfolio/proto'
import { waitFor } from '@skyfolio/testkit'
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import type { Database } from '../src/database.ts'
import { findWaiting, KINDS } from '../src/jobs/job-rows.ts'
import { PHOTO_EVENTS, startTestMedia, type TestMedia, user } from './support.ts'

let media: TestMedia
beforeAll(async () => {
  // Two photos at the same time.
  media = await startTestMedia({ env: { PROCESSING_CONCURRENCY: '1' } })
})
afterEach(async () => {
  await media.redis.flushall()
  await media.db.photo.deleteMany()
  await media.db.outbox.deleteMany()
})
afterAll(() => media.close())

const AT_ONCE = 2

/** Creates rows of a user's waiting photos without originals, which fail at once. */
async function addWaiting(userId: number, count: number): Promise<void> {
  await media.db.photo.createMany({
    data: Array.from({ length: count }, () => {
      const unique = randomUUID().replaceAll('-', '')
      return { userId, title: '', filename: `${unique}.jpg`, originalName: '', filesize: 1, sha256: unique + unique }
    }),
  })
}

/** The users of the processed photos, in their order. */
async function turns(): Promise<number[]> {
  const rows = await media.db.outbox.findMany({ where: PHOTO_EVENTS, orderBy: { seq: 'asc' } })
  return rows
    .map(({ payload }) => fromBinary(events.photoChanged.schema, payload))
    .filter(({ revision }) => revision > 1)
    .map(({ photo }) => photo?.userId ?? 0)
}

const countOf = (users: number[], userId: number) => users.filter((one) => one === userId).length
const untilProcessed = (count: number) =>
  waitFor(async () => (await turns()).length >= count, { what: `${count} photos are processed`, timeoutMs: 90_000 })

/** Runs a worker meanwhile. */
async function withWorker(work: () => Promise<unknown>): Promise<void> {
  const worker = media.startWorker()
  await work()
  worker.kill('SIGKILL')
  await once(worker, 'exit')
}

/** How many photos of others were processed before the last one of the user. */
function othersBefore(users: number[], userId: number): number {
  return users.slice(0, users.lastIndexOf(userId)).filter((one) => one !== userId).length
}

test('does not let a user with many waiting photos delay the others by all of them', async () => {
  for (let upload = 0; upload < 50; upload += 1) await media.upload(1)
  await media.upload(2)
  await media.upload(3)
  await withWorker(() => untilProcessed(52))
  const users = await turns()
  for (const userId of [2, 3]) expect(othersBefore(users, userId)).toBeLessThan(3 + AT_ONCE)
})

test('alternates between users with many photos, oldest first', async () => {
  for (const userId of [3, 70, 800]) for (let upload = 0; upload < 6; upload += 1) await media.upload(userId)
  await withWorker(() => untilProcessed(18))
  const users = await turns()
  for (let end = 3; end < users.length; end += 3) {
    const counts = [3, 70, 800].map((userId) => countOf(users.slice(0, end), userId))
    expect(Math.max(...counts) - Math.min(...counts), users.join()).toBeLessThanOrEqual(AT_ONCE)
  }
})

test('lets who comes late in where the others are: neither before all of them nor behind what they have', async () => {
  for (let upload = 0; upload < 60; upload += 1) await media.upload(1)
  let late = 0
  await withWorker(async () => {
    await untilProcessed(20)
    for (let upload = 0; upload < 5; upload += 1) await media.upload(2)
    late = (await turns()).length
    await untilProcessed(65)
  })
  const users = (await turns()).slice(late)
  const others = othersBefore(users, 2)
  expect(others, users.join()).toBeGreaterThan(1)
  expect(others, users.join()).toBeLessThan(5 + 2 * AT_ONCE + 5)
})

test('a thousand photos of one user, of which 200 are queued at a time, delay ten of another by some fifteen', async () => {
  await addWaiting(1, 1_000)
  await addWaiting(2, 10)
  const jobs = await media.queues.photos.ready()
  let most = 0
  await withWorker(async () => {
    await waitFor(
      async () => {
        most = Math.max(most, await jobs.getJobCountByTypes('prioritized', 'active'))
        return countOf(await turns(), 2) === 10
      },
      { what: 'the ten are processed' },
    )
  })
  // Those that are just ending are no longer counted among the user's.
  expect(most).toBeLessThanOrEqual(200 + 10 + 2 * AT_ONCE)
  expect(othersBefore(await turns(), 2)).toBeLessThan(15)
})

test('requests to process photos again wait behind the earlier ones of their user, and 200 of them are queued', async () => {
  await addWaiting(1, 210)
  await media.db.photo.updateMany({ data: { status: 'ready' } })
  const photos = await media.db.photo.findMany({ orderBy: { id: 'desc' } })
  for (const { id } of photos) {
    expect(await media.json(`/api/photos/${id}/reprocess`, user(1), 'POST')).toMatchObject({ status: 'processing' })
  }
  const jobs = await media.queues.photos.ready()
  const queued = () => jobs.getPrioritized()
  await waitFor(async () => (await queued()).length === 200, { what: '200 jobs are queued' })
  const places = (await queued()).map(({ data, priority }) => [data.id, priority])
  expect(places).toEqual(photos.slice(0, 200).map(({ id }, index) => [id, index + 1]))
})

test('finds the waiting photos of a user among many by reading few rows', async () => {
  const add = (userId: string, count: number) =>
    media.pool.query(`
      INSERT INTO photos (user_id, title, filename, original_name, filesize, sha256)
      SELECT ${userId}, '', '${userId}-' || n, '', 1, '${userId}-' || n FROM generate_series(1, ${count}) AS n`)
  await add('1', 50_000)
  await add('2', 3)
  await add('10 + n', 2_000)
  for (const statistics of ['none', 'fresh']) {
    if (statistics === 'fresh') await media.pool.query('ANALYZE photos')
    for (const userId of [1, 2]) {
      expect(await rowsRead((db) => findWaiting(db, 'photos', userId)), statistics).toBeLessThanOrEqual(200)
    }
  }
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

test('only the worker that started last on a photo, and on its latest request, saves a result', async () => {
  const { id } = await media.upload(1)
  const [first, second] = [await media.startOn(id), await media.startOn(id)]
  const result = { status: 'ready', title: 'mine' } as const
  expect(await media.save(first, result)).toBe(false)
  await media.db.photo.update({ where: { id }, data: { run: { increment: 1 }, starts: 0 } })
  expect(await media.save(second, result)).toBe(false)
  expect(await media.save(await media.startOn(id), result)).toBe(true)
  await expect(media.startOn(id)).rejects.toThrow('nothing to process')
})

test('a retried job starts on a photo that failed with it, and not on one that was processed and found bad', async () => {
  const { id } = await media.upload(1)
  await media.save(await media.startOn(id), { status: 'failed', statusMessage: KINDS.photos.failure })
  await media.save(await media.startOn(id), { status: 'failed', statusMessage: 'The photo is damaged.' })
  await expect(media.startOn(id)).rejects.toThrow('nothing to process')
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
  await withWorker(async () => {
    const slowDone = async () => countOf(await turns(), 1)
    await waitFor(async () => (await slowDone()) > 0, { what: 'the first slow image is done', timeoutMs: 90_000 })
    const { id } = await media.upload(2)
    const before = await slowDone()
    await media.processed(id)
    expect((await slowDone()) - before).toBeLessThan(4)
  })
})
