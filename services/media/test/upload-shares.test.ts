import { type ClientRequest, type IncomingMessage, request } from 'node:http'
import { identityHeaders, waitFor } from '@skyfolio/testkit'
import { afterEach, expect, test } from 'vitest'
import { jpeg, startTestMedia, type TestMedia, type UploadFile, user } from './support.ts'

const systems: TestMedia[] = []
const sending: ClientRequest[] = []
afterEach(async () => {
  for (const one of sending.splice(0)) one.destroy()
  for (const system of systems.splice(0).reverse()) await system.close()
})

async function start(options: Parameters<typeof startTestMedia>[0]): Promise<TestMedia> {
  const media = await startTestMedia(options)
  systems.push(media)
  return media
}

async function sendPhotos(media: TestMedia, userId: number, count: number): Promise<Response> {
  const body = new FormData()
  for (let index = 0; index < count; index += 1)
    body.append('photos', new Blob([new Uint8Array(await jpeg())]), 'a.jpg')
  return media.call('/api/upload-photos', user(userId), { method: 'POST', body })
}

test('limits the files of a user per minute over all replicas, and tells when to go on', async () => {
  const api = { shares: { photosPerMinute: 12 } }
  const first = await start({ api })
  const { REDIS_URL: redisUrl, DATABASE_URL: databaseUrl, NATS_URL: natsUrl, OBJECT_STORE_DIR } = first.env
  if (!redisUrl || !databaseUrl || !natsUrl || !OBJECT_STORE_DIR) throw new Error('a server is missing')
  const second = await start({ redisUrl, databaseUrl, natsUrl, env: { OBJECT_STORE_DIR }, api })

  expect((await sendPhotos(first, 1, 10)).status).toBe(201)
  // What has begun is received: its bytes are on their way.
  expect((await sendPhotos(second, 1, 4)).status).toBe(201)
  for (const replica of [first, second]) {
    const rejected = await sendPhotos(replica, 1, 2)
    expect(rejected.status).toBe(429)
    expect(await rejected.json()).toEqual({
      code: 'too_many_requests',
      message: 'You are uploading very many photos. The next ones are accepted in less than a minute.',
    })
    const seconds = Number(rejected.headers.get('retry-after'))
    expect(seconds).toBeGreaterThan(0)
    expect(seconds).toBeLessThanOrEqual(60)
  }
  expect(await first.db.photo.count()).toBe(14)
  expect(await first.keys()).toHaveLength(14)
  expect((await sendPhotos(first, 2, 1)).status).toBe(201)
})

test('counts photos that are processed again like uploaded ones, and no files that are known', async () => {
  const media = await start({ api: { shares: { photosPerMinute: 2 } } })
  const { id } = await media.upload(1)
  const again = () => media.call(`/api/photos/${id}/reprocess`, user(1), { method: 'POST' })
  expect((await again()).status).toBe(200)
  expect((await again()).status).toBe(429)
  const { sha256 } = await media.photo(id)
  for (let check = 0; check < 5; check += 1) {
    expect(await media.json('/api/photos/known', user(1), 'POST', { hashes: [sha256] })).toMatchObject({
      known: { [sha256]: id },
    })
  }
})

/** Begins an upload and sends nothing more; resolves with its status when there is a response. */
function beginUpload(media: TestMedia, userId: number, body: string | Buffer): Promise<number | undefined> {
  const one = request(`${media.origin}/api/upload-photos`, {
    method: 'POST',
    headers: { ...identityHeaders(user(userId)), 'content-type': 'multipart/form-data; boundary=b' },
    agent: false,
  })
  sending.push(one)
  one.on('error', () => {})
  one.flushHeaders()
  one.write(body)
  return new Promise((resolve) => {
    one.on('response', (response: IncomingMessage) => {
      response.resume()
      resolve(response.statusCode)
    })
  })
}

async function beingStored(media: TestMedia): Promise<number> {
  let count = 0
  for await (const _ of media.store.incomplete()) count += 1
  return count
}

test('600 half-open uploads of one user take no place of others, and few files', async () => {
  const media = await start({ api: { stallMs: 120_000 } })
  const photo = await jpeg()
  const begun = Buffer.concat([
    Buffer.from('--b\r\nContent-Disposition: form-data; name="photos"; filename="a.jpg"\r\n\r\n'),
    photo.subarray(0, 200),
  ])
  const statuses: (number | undefined)[] = []
  for (let opened = 0; opened < 600; opened += 1) {
    // Each third one stops within the headers of its first part.
    const body = opened % 3 === 0 ? '--b\r\nContent-Dispo' : begun
    void beginUpload(media, 1, body).then((status) => statuses.push(status))
  }
  await waitFor(() => statuses.length === 568, { what: 'all but 32 are rejected', timeoutMs: 60_000 })
  expect(new Set(statuses)).toEqual(new Set([429]))
  expect(await beingStored(media)).toBe(4)

  const others = Array.from({ length: 12 }, (_, index) => 10 + index)
  const uploaded = await Promise.all(others.map((userId) => media.upload(userId)))
  expect(uploaded).toHaveLength(12)
  const files: [string, UploadFile][] = [['photos', { name: 'a.jpg', bytes: photo }]]
  expect((await media.send('/api/upload-photos', user(1), files)).body).toEqual({
    code: 'too_many_requests',
    message: 'You have too many uploads open at the same time. Please try again in a moment.',
  })

  for (const one of sending.splice(0)) one.destroy()
  await waitFor(async () => (await beingStored(media)) === 0, { what: 'their files are gone' })
  expect((await media.send('/api/upload-photos', user(1), files)).status).toBe(201)
})
