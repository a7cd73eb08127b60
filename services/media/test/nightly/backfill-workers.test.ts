import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { text } from 'node:stream/consumers'
import { fileURLToPath } from 'node:url'
import { waitFor } from '@skyfolio/testkit'
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import { objectKeysOf } from '../../src/files/object-keys.ts'
import { countLackingSizes } from '../../src/processing/backfill-leases.ts'
import { earlierPhoto } from '../backfill-support.ts'
import { PHOTO_EVENTS, startTestMedia, type TestMedia } from '../support.ts'

let media: TestMedia
beforeAll(async () => {
  media = await startTestMedia()
})
afterEach(async () => {
  for (const key of await media.keys()) await media.store.remove(key)
  await media.db.objectRemoval.deleteMany()
  await media.db.photo.deleteMany()
  await media.db.outbox.deleteMany()
})
afterAll(() => media.close())

const FAST = { SIZES_BACKFILL_PER_MINUTE: '60000' }
const lacking = () => countLackingSizes(media.db, 1000)

async function earlierPhotos(count: number): Promise<void> {
  for (let index = 0; index < count; index += 1) await earlierPhoto(media)
}

const allDone = () =>
  waitFor(async () => (await lacking()) === 0, { what: 'all photos have their sizes', timeoutMs: 90_000 })

async function stop(worker: ReturnType<TestMedia['startWorker']>, signal: NodeJS.Signals): Promise<number | null> {
  worker.kill(signal)
  const [code] = await once(worker, 'exit')
  return code
}

/** Every photo has its sizes once, with one event, and its objects. */
async function expectComplete(count: number): Promise<void> {
  const photos = await media.db.photo.findMany()
  const sizes = photos.flatMap(({ small, medium }) => [small, medium]).filter((name) => name !== null)
  expect(new Set(sizes).size).toBe(2 * count)
  expect(photos.map(({ revision, leaseId }) => [revision, leaseId])).toEqual(Array(count).fill([2, null]))
  expect(await media.db.outbox.count({ where: PHOTO_EVENTS })).toBe(count)
  expect(await media.keys()).toEqual(expect.arrayContaining(photos.flatMap(objectKeysOf)))
}

test('two workers go on after a third was killed, and do each photo once', async () => {
  await earlierPhotos(12)
  const killed = media.startWorker(FAST)
  const leased = () => media.db.photo.findFirst({ where: { status: 'ready', leaseId: { not: null } } })
  await waitFor(leased, { what: 'the worker has begun' })
  await stop(killed, 'SIGKILL')
  expect(await lacking()).toBeGreaterThan(0)

  const workers = [media.startWorker(FAST), media.startWorker(FAST)]
  await allDone()
  await expectComplete(12)
  for (const worker of workers) expect(await stop(worker, 'SIGTERM')).toBe(0)
})

test('a worker ends the photo in work and stops, and the next one goes on', async () => {
  await earlierPhotos(10)
  const worker = media.startWorker(FAST)
  await waitFor(async () => (await lacking()) < 10, { what: 'the first photo has its sizes' })
  expect(await stop(worker, 'SIGTERM')).toBe(0)
  expect(await media.db.photo.count({ where: { leaseId: { not: null } } })).toBe(0)
  expect(await lacking()).toBeGreaterThan(0)
  const next = media.startWorker(FAST)
  await allDone()
  await expectComplete(10)
  await stop(next, 'SIGTERM')
})

test('processes uploads while many photos lack sizes', async () => {
  await earlierPhotos(10)
  const worker = media.startWorker({ SIZES_BACKFILL_PER_MINUTE: '300' })
  await waitFor(async () => (await lacking()) < 10, { what: 'the first photo has its sizes' })
  const uploaded = await Promise.all(Array.from({ length: 6 }, () => media.upload(2)))
  for (const { id } of uploaded) expect(await media.processed(id)).toMatchObject({ status: 'ready', renditionSet: 2 })
  expect(await lacking()).toBeGreaterThan(0)
  await allDone()
  await stop(worker, 'SIGTERM')
})

test('a worker with a pace of 0 leaves older photos alone', async () => {
  await earlierPhotos(1)
  const worker = media.startWorker({ SIZES_BACKFILL_PER_MINUTE: '0' })
  const { id } = await media.upload(1)
  await media.processed(id)
  expect(await lacking()).toBe(1)
  await stop(worker, 'SIGTERM')
})

function command(...args: string[]) {
  const file = fileURLToPath(new URL('../../src/commands/renditions.ts', import.meta.url))
  const child = spawn(process.execPath, [file, ...args], {
    env: { ...process.env, ...media.env },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const ended = Promise.all([once(child, 'exit'), text(child.stdout), text(child.stderr)])
  return { child, ended: ended.then(([[code], stdout, stderr]) => ({ code, stdout, stderr })) }
}

test('the command does all, also while photos wait for processing, and can be interrupted and repeated', async () => {
  await earlierPhotos(12)
  await media.upload(1)
  const interrupted = command('--concurrency', '1')
  await waitFor(async () => (await lacking()) < 12, { what: 'the first photo has its sizes' })
  interrupted.child.kill('SIGINT')
  const first = await interrupted.ended
  expect([first.code, first.stderr]).toEqual([130, ''])
  const left = await lacking()
  expect(left).toBeGreaterThan(0)
  expect(first.stdout).toContain(`${12 - left} photos got their sizes, 0 need none; ${left} are left.`)

  const second = await command().ended
  expect([second.code, second.stderr]).toEqual([0, ''])
  expect(second.stdout).toContain(`${left} photos lack sizes; 2 are done at the same time.`)
  expect(second.stdout).toContain(`${left} photos got their sizes, 0 need none; 0 are left.`)
  expect(await media.db.photo.count({ where: { renditionSet: 2, small: { not: null } } })).toBe(12)
})

test('the command names the photos whose preview it cannot read, and waits for a lease of another process', async () => {
  const damaged = await earlierPhoto(media, { preview: Buffer.alloc(1000, 1) })
  const leased = await earlierPhoto(media)
  await media.db.$executeRaw`UPDATE photos SET lease_until = now() + interval '3 seconds' WHERE id = ${leased.id}`
  const { code, stdout } = await command('--concurrency', '4').ended
  expect(code).toBe(0)
  expect(stdout).toContain(`1 photos got their sizes, 0 need none, 1 stay without`)
  expect(stdout).toContain(`(${damaged.id}); 0 are left.`)
})

test('the command rejects arguments that it does not know', async () => {
  await earlierPhotos(1)
  const zero = await command('--concurrency', '0').ended
  expect(zero).toMatchObject({ code: 2, stderr: expect.stringContaining('Usage') })
  expect((await command('--user', '1').ended).code).toBe(2)
})
