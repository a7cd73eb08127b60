import { writeFileSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { mountSmallFileSystem, waitFor } from '@skyfolio/testkit'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { jobIdOf } from '../src/jobs/queues.ts'
import { jpeg, jpegOfSize, startTestMedia, type TestMedia, user } from './support.ts'

const MB = 1024 * 1024
const SENTENCE = 'There is no room to store this at the moment. What is stored already is safe. Please try again later.'
const NO_ROOM = { status: 507, body: { code: 'storage_full', message: SENTENCE } }
const me = user(1)

let media: TestMedia
beforeAll(async () => {
  media = await startTestMedia()
})
afterAll(() => media.close())

/** Another process of media with the same servers. */
async function startOther(minFreeBytes: number, folder?: string): Promise<TestMedia> {
  const { NATS_URL = '', REDIS_URL = '', DATABASE_URL = '', OBJECT_STORE_DIR = '' } = media.env
  const servers = { natsUrl: NATS_URL, redisUrl: REDIS_URL, databaseUrl: DATABASE_URL }
  return startTestMedia({ ...servers, env: { OBJECT_STORE_DIR: folder ?? OBJECT_STORE_DIR }, store: { minFreeBytes } })
}

const statusOf = async ({ call }: TestMedia, path: string, method = 'GET') => (await call(path, me, { method })).status
const file = async (bytes?: Buffer) => ({ name: 'a.jpg', bytes: bytes ?? (await jpeg()) })

test('uploads get 507 with less free space than the reserve, and everything else works', async () => {
  const waiting = await media.upload(1)
  const unwanted = await media.upload(1)
  const before = await media.keys()
  const full = await startOther(1e15)
  full.startWorker()
  const uploads: [string, [string, string | Awaited<ReturnType<typeof file>>][]][] = [
    ['/api/upload-photo', [['photo', await file()]]],
    [
      '/api/upload-photos',
      [
        ['photos', await file()],
        ['photos', await file(await jpegOfSize(3 * MB))],
      ],
    ],
    [
      '/api/upload-photo',
      [
        ['metadata', 'true'],
        ['photo', await file()],
      ],
    ],
    ['/api/walgreens/upload-image', [['image', await file()]]],
  ]
  for (const [path, entries] of uploads) expect(await full.send(path, me, entries), path).toMatchObject(NO_ROOM)
  expect((await full.keys()).filter((key) => key.startsWith('originals/'))).toEqual(before)
  expect(await media.db.photo.count()).toBe(2)

  // What was taken is processed: its renditions are what the reserve is for.
  await media.processed(waiting.id)
  expect(await media.photo(waiting.id)).toMatchObject({ status: 'ready' })
  expect(await statusOf(full, '/api/photos')).toBe(200)
  expect(await statusOf(full, waiting.url)).toBe(200)
  expect(await statusOf(full, `/api/photos/${unwanted.id}`, 'DELETE')).toBe(204)
  await full.close()
})

test('a database without room stores neither photo nor original, and the upload succeeds when it has room again', async () => {
  const before = await media.keys()
  await media.pool.query(`CREATE FUNCTION no_room() RETURNS trigger LANGUAGE plpgsql AS $$
    BEGIN RAISE EXCEPTION 'could not extend file: No space left on device' USING ERRCODE = 'disk_full'; END $$`)
  await media.pool.query('CREATE TRIGGER no_room BEFORE INSERT ON photos FOR EACH ROW EXECUTE FUNCTION no_room()')
  const photo = await file()
  expect(await media.send('/api/upload-photo', me, [['photo', photo]])).toMatchObject(NO_ROOM)
  expect(await media.keys()).toEqual(before)
  await media.pool.query('DROP FUNCTION no_room CASCADE')
  expect(await media.send('/api/upload-photo', me, [['photo', photo]])).toMatchObject({ status: 201 })
})

const disk = mountSmallFileSystem(24)
if (!disk) console.log('NOT TRIED: uploads and processing on a full file system (root may mount one)')
afterAll(() => disk?.close())

if (disk)
  test('a photo waits for its renditions on a full disk, and gets them when there is room', async () => {
    const { path } = disk
    const small = await startOther(7 * MB, path)
    const photo = await small.upload(2, {}, await jpegOfSize(4 * MB))
    for (let count = 0; count < 3; count += 1) await small.upload(2, {}, await jpegOfSize(4 * MB))
    expect(
      await small.send('/api/upload-photo', user(2), [['photo', await file(await jpegOfSize(4 * MB))]]),
    ).toMatchObject(NO_ROOM)
    const ballast = join(path, 'ballast')
    expect(() => writeFileSync(ballast, Buffer.alloc(24 * MB))).toThrow('ENOSPC')

    small.startWorker()
    const isPutOff = async () => {
      const job = await (await small.queues.photos.ready()).getJob(jobIdOf('photos', { id: photo.id, run: 0 }))
      return (await job?.isDelayed()) && (job?.delay ?? 0) > 20_000
    }
    await waitFor(isPutOff, { what: 'the photo is put off', timeoutMs: 60_000 })
    expect(await small.photo(photo.id)).toMatchObject({ status: 'processing', starts: 1 })
    expect(await small.call(photo.url, user(2)).then((response) => response.status)).toBe(200)

    await rm(ballast)
    const jobs = await small.queues.photos.ready()
    await jobs.promoteJobs()
    await small.processed(photo.id)
    expect(await small.photo(photo.id)).toMatchObject({ status: 'ready' })
    await small.close()
  }, 120_000)
