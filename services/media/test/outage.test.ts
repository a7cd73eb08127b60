import { Readable } from 'node:stream'
import { connectNats, ensureStreams, onHint } from '@skyfolio/kit'
import { migrate } from '@skyfolio/kit/migrations'
import { events } from '@skyfolio/proto'
import { startNats, startPostgres, startRedis, type TestServer, waitFor } from '@skyfolio/testkit'
import { afterAll, expect, test } from 'vitest'
import { newId, originalKey, printImageKey } from '../src/files/object-keys.ts'
import { createPrintImageNames } from '../src/print-images/names.ts'
import { jpeg, PRINT_IMAGE_KEYS, startTestMedia, type TestMedia, user, visitor } from './support.ts'

const stops: (() => Promise<void>)[] = []
afterAll(async () => {
  for (const stop of stops.reverse()) await stop()
})

async function own(server: Promise<TestServer>): Promise<TestServer> {
  const started = await server
  stops.push(() => started.stop())
  return started
}

const me = user(1)

/** Stores the object of a print image, and returns the path at which anybody gets it. */
async function storePrintImage({ store }: TestMedia): Promise<string> {
  const id = newId()
  await store.put(printImageKey(id), Readable.from([Buffer.from('a print')]), { contentType: 'image/jpeg' })
  return `/api/uploads/${createPrintImageNames([PRINT_IMAGE_KEYS]).sign(id, new Date(Date.now() + 60_000))}`
}

test('accepts an upload into a known folder during a NATS outage, and publishes its event afterwards', async () => {
  const nats = await own(startNats())
  const media = await startTestMedia({ natsUrl: nats.url })
  stops.push(media.close)
  const folders = media.folders()
  folders.set(10, 1, true)
  await folders.announce(10)
  const printImage = await storePrintImage(media)
  await nats.stop()

  expect((await media.call(printImage, visitor)).status).toBe(200)
  const photo = await media.upload(1, { folderId: '10' })
  expect(photo).toMatchObject({ folderId: 10, isPublic: true })
  expect((await media.call(photo.url, me)).status).toBe(200)
  expect((await media.call(photo.url, visitor)).status).toBe(503)
  const unknown = await media.send('/api/upload-photo', me, [
    ['folderId', '11'],
    ['photo', { name: 'a.jpg', bytes: await jpeg() }],
  ])
  expect(unknown).toMatchObject({ status: 503, body: { code: 'unavailable' } })
  expect((await media.keys()).filter((key) => key.startsWith('originals/'))).toEqual([originalKey(photo.filename)])

  await nats.start()
  const listening = await connectNats(nats.url, 'listener')
  stops.push(() => listening.close())
  await ensureStreams(listening, events)
  const heard: number[] = []
  onHint(listening, events.photoChanged, (message) => void heard.push(message.photo?.id ?? 0))
  await waitFor(() => heard.includes(photo.id), { what: 'the event arrives', timeoutMs: 30_000 })
  await waitFor(async () => (await media.call(photo.url, visitor)).status === 200, {
    what: 'visitors are served again',
  })
})

test('accepts uploads during a Redis outage, and processes them afterwards', async () => {
  const redis = await own(startRedis())
  const media = await startTestMedia({ redisUrl: redis.url })
  stops.push(media.close)
  media.startWorker()
  const before = await media.upload(1)
  await media.processed(before.id)
  await redis.kill()

  const photo = await media.upload(1)
  expect(photo.status).toBe('processing')
  expect((await media.call('/api/photos', me)).status).toBe(200)
  await redis.start()
  expect(await media.processed(photo.id)).toMatchObject({ status: 'ready' })
})

test('rejects everything with a sentence during a PostgreSQL outage, stores nothing, and recovers by itself', async () => {
  const postgres = await own(startPostgres({ durable: true }))
  const databaseUrl = `${postgres.url}/media`
  await migrate(databaseUrl, new URL('../prisma/migrations', import.meta.url).pathname)
  const media = await startTestMedia({ databaseUrl })
  stops.push(media.close)
  media.startWorker()
  const photo = await media.upload(1)
  await media.processed(photo.id)
  const printImage = await storePrintImage(media)
  const kept = await media.keys()
  await postgres.kill()

  const rejected = await media.send('/api/upload-photo', me, [['photo', { name: 'a.jpg', bytes: await jpeg() }]])
  expect(rejected).toMatchObject({
    status: 503,
    body: { code: 'unavailable', message: expect.stringContaining('temporarily') },
  })
  for (const path of ['/api/photos', photo.url]) expect((await media.call(path, me)).status).toBe(503)
  const upload = await media.send('/api/walgreens/upload-image', me, [
    ['image', { name: 'a.jpg', bytes: await jpeg() }],
  ])
  expect(upload).toMatchObject({ status: 503, body: { error: expect.stringContaining('temporarily') } })
  expect(await media.keys()).toEqual(kept)
  expect((await media.call(printImage, visitor)).status, 'a print image').toBe(200)

  await postgres.start()
  await waitFor(async () => (await media.call(photo.url, me)).status === 200, {
    what: 'bytes are served again',
    timeoutMs: 30_000,
  })
  const next = await media.upload(1)
  expect(await media.processed(next.id)).toMatchObject({ status: 'ready' })
})
