import { request } from 'node:http'
import { emit } from '@skyfolio/kit'
import { events } from '@skyfolio/proto'
import { identityHeaders, waitFor } from '@skyfolio/testkit'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { removeDueObjects } from '../src/files/object-removals.ts'
import { formatBytes, type Quota } from '../src/usage/quota.ts'
import { jpeg, jpegOfSize, startTestMedia, type TestMedia, type UploadFile, user } from './support.ts'

const KB = 1024
const MB = 1024 * KB

let media: TestMedia
beforeAll(async () => {
  media = await startTestMedia({ env: { USER_QUOTA_MEGABYTES: '1' } })
})
afterAll(() => media.close())

/** Gives a user an own quota, as auth does. */
async function setQuota(id: number, quota: number | undefined, revision = 1): Promise<void> {
  await emit(media.db, events.userChanged, { user: { id, publicByDefault: true, quota: toBigInt(quota) }, revision })
  await waitFor(() => media.db.user.findFirst({ where: { id, revision } }), { what: 'the quota is known' })
}

const toBigInt = (value: number | undefined) => (value === undefined ? undefined : BigInt(value))
const noRoom = (subject: string, left: string, limit: string) =>
  `${subject} does not fit into your storage: ${left} of ${limit} left. Delete photos to upload more.`

function send(userId: number, files: UploadFile[]) {
  return media.send(
    '/api/upload-photos',
    user(userId),
    files.map((file): [string, UploadFile] => ['photos', file]),
  )
}

/** Sends a form without telling its length. */
async function sendChunked(userId: number, files: UploadFile[]) {
  const form = new FormData()
  for (const { name, bytes } of files) form.append('photos', new Blob([new Uint8Array(bytes)]), name)
  const whole = new Request('http://form', { method: 'POST', body: form })
  const response = await media.call('/api/upload-photos', user(userId), {
    ...{ method: 'POST', body: whole.body, duplex: 'half' },
    headers: { 'content-type': whole.headers.get('content-type') ?? '' },
  } as RequestInit)
  // biome-ignore lint/suspicious/noExplicitAny: the tests state what they expect
  return { status: response.status, body: (await response.json()) as any }
}

async function usedBytes(userId: number): Promise<number> {
  const photos = await media.db.photo.findMany({ where: { userId }, select: { filesize: true } })
  return photos.reduce((sum, { filesize }) => sum + filesize, 0)
}

/** The objects that remain after the scheduled removals belong to photos. */
async function expectNothingLeftOver(): Promise<void> {
  const { db, store } = media
  await removeDueObjects({ db, store, logger: { warn() {} } as never })
  expect((await media.keys()).filter((key) => key.startsWith('originals/'))).toHaveLength(await db.photo.count())
}

test('rejects an upload by its length before it is read', async () => {
  await media.upload(1, {}, await jpegOfSize(900 * KB))
  const sending = request(`${media.origin}/api/upload-photos`, {
    method: 'POST',
    headers: {
      ...identityHeaders(user(1)),
      'content-type': 'multipart/form-data; boundary=b',
      'content-length': 5 * MB,
    },
  })
  sending.on('error', () => {})
  const answered = new Promise<{ status: number | undefined; text: string }>((resolve) => {
    sending.on('response', async (response) => {
      resolve({ status: response.statusCode, text: Buffer.concat(await response.toArray()).toString() })
    })
  })
  sending.write('--b\r\nContent-Disposition: form-data; name="photos"; filename="a.jpg"\r\n\r\n')
  const { status, text } = await answered
  sending.destroy()
  expect([status, JSON.parse(text)]).toEqual([
    413,
    { code: 'quota_exceeded', message: noRoom('This upload', '124.00 KB', '1.00 MB') },
  ])
})

test('stores the files that fit, and names the one that does not', async () => {
  const files = [
    { name: 'fits.jpg', bytes: await jpegOfSize(60 * KB) },
    { name: 'too-much.jpg', bytes: await jpegOfSize(30 * KB) },
    { name: 'small.jpg', bytes: await jpegOfSize(10 * KB) },
  ]
  await setQuota(2, 75 * KB)
  const { status, body } = await send(2, files)
  expect(status).toBe(201)
  expect(body.issues).toEqual([noRoom('"too-much.jpg"', '5.00 KB', '75.00 KB')])
  expect(body.files.map(({ issue }: { issue: string | null }) => issue === null)).toEqual([true, false, true])
  expect(await usedBytes(2)).toBe(70 * KB)

  const again = await send(2, [{ name: 'more.jpg', bytes: await jpegOfSize(6 * KB) }])
  expect(again).toMatchObject({
    status: 413,
    body: {
      ...{ code: 'quota_exceeded', message: noRoom('This upload', '5.00 KB', '75.00 KB') },
      issues: [noRoom('"more.jpg"', '5.00 KB', '75.00 KB')],
    },
  })
  await expectNothingLeftOver()
})

test('stores of an upload of unknown length what fits', async () => {
  const files = [
    { name: 'fits.jpg', bytes: await jpegOfSize(700 * KB) },
    { name: 'too-much.jpg', bytes: await jpegOfSize(400 * KB) },
    { name: 'small.jpg', bytes: await jpegOfSize(100 * KB) },
  ]
  const { status, body } = await sendChunked(3, files)
  expect(status).toBe(201)
  expect(body.issues).toEqual([noRoom('"too-much.jpg"', '224.00 KB', '1.00 MB')])
  expect(await usedBytes(3)).toBe(800 * KB)
  const rejected = await sendChunked(3, [{ name: 'more.jpg', bytes: await jpegOfSize(300 * KB) }])
  expect(rejected).toMatchObject({ status: 413, body: { code: 'quota_exceeded' } })
  await expectNothingLeftOver()
})

test('never exceeds the quota by parallel uploads to several processes', async () => {
  const { NATS_URL, REDIS_URL, DATABASE_URL, OBJECT_STORE_DIR } = media.env
  const other = await startTestMedia({
    ...{ natsUrl: NATS_URL ?? '', redisUrl: REDIS_URL ?? '', databaseUrl: DATABASE_URL ?? '' },
    env: { USER_QUOTA_MEGABYTES: '1', OBJECT_STORE_DIR: OBJECT_STORE_DIR ?? '' },
  })
  const photos = await Promise.all(Array.from({ length: 24 }, () => jpegOfSize(100 * KB)))
  const responses = await Promise.all(
    photos.map((bytes, index) => {
      const file = { name: `${index}.jpg`, bytes }
      const purpose: [string, string][] = index % 3 === 0 ? [['metadata', 'true']] : []
      return (index % 2 ? media : other).send('/api/upload-photo', user(4), [...purpose, ['photo', file]])
    }),
  )
  const statuses = responses.map(({ status }) => status).toSorted()
  expect(statuses).toEqual([...Array(10).fill(201), ...Array(14).fill(413)])
  expect(await usedBytes(4)).toBe(1_000 * KB)
  await other.close()
  await expectNothingLeftOver()
})

test('takes a file that the user has although nothing is left', async () => {
  const bytes = await jpegOfSize(20 * KB)
  await setQuota(5, 20 * KB)
  const { id } = await media.upload(5, {}, bytes)
  const known = { name: 'known.jpg', bytes }
  expect(await send(5, [known])).toMatchObject({ status: 200, body: { photos: [{ id, duplicate: true }], issues: [] } })
  const mixed = await send(5, [known, { name: 'new.jpg', bytes: await jpegOfSize(20 * KB) }, known])
  expect(mixed).toMatchObject({
    status: 200,
    body: { photos: [{ id }], issues: [expect.stringContaining('"new.jpg"')] },
  })
  // Equal files of one upload count once.
  await setQuota(5, 41 * KB, 2)
  const twins = await jpegOfSize(21 * KB)
  const both = await send(
    5,
    ['a.jpg', 'b.jpg'].map((name) => ({ name, bytes: twins })),
  )
  expect(both).toMatchObject({ status: 201, body: { issues: [] } })
})

test('takes new photos as soon as others are deleted', async () => {
  const first = await media.upload(6, {}, await jpegOfSize(1 * MB))
  const next = { name: 'next.jpg', bytes: await jpegOfSize(1 * MB) }
  expect((await send(6, [next])).status).toBe(413)
  await media.call(`/api/photos/${first.id}`, user(6), { method: 'DELETE' })
  expect((await send(6, [next])).status).toBe(201)
})

test('counts photos of the metadata screen', async () => {
  await setQuota(7, 50 * KB)
  const upload = async () =>
    media.send('/api/upload-photo', user(7), [
      ['photo', { name: 'a.jpg', bytes: await jpegOfSize(40 * KB) }],
      ['metadata', 'true'],
    ])
  expect((await upload()).status).toBe(201)
  expect(await upload()).toMatchObject({
    status: 413,
    body: { code: 'quota_exceeded', issues: [noRoom('"a.jpg"', '10.00 KB', '50.00 KB')] },
  })
  expect((await send(7, [{ name: 'b.jpg', bytes: await jpegOfSize(20 * KB) }])).status).toBe(413)
  await media.call('/api/photos/metadata', user(7), { method: 'DELETE' })
  expect((await upload()).status).toBe(201)
  await expectNothingLeftOver()
})

test('prefers an own quota to the one of the installation, and takes it back', async () => {
  const quota = async () => {
    const known = await media.json<{ quota: Quota }>('/api/photos/known', user(8), 'POST', { hashes: [] })
    const { used, limit } = known.quota
    expect(await media.json('/api/photos/storage', user(8))).toMatchObject({ used, quota: limit })
    return known.quota
  }
  expect(await quota()).toEqual({ used: 0, limit: 1 * MB })
  await setQuota(8, 3 * MB)
  await media.upload(8, {}, await jpegOfSize(2 * MB))
  expect(await quota()).toEqual({ used: 2 * MB, limit: 3 * MB })
  await setQuota(8, undefined, 2)
  expect(await quota()).toEqual({ used: 2 * MB, limit: 1 * MB })
  expect((await send(8, [{ name: 'a.jpg', bytes: await jpeg() }])).status).toBe(413)
  await setQuota(8, 0, 3)
  expect(await quota()).toEqual({ used: 2 * MB, limit: 0 })
})

test('keeps the reason of each file when they differ', async () => {
  await setQuota(9, 10)
  const { status, body } = await send(9, [
    { name: 'a.jpg', bytes: await jpeg() },
    { name: 'b.txt', bytes: Buffer.from('not an image at all') },
  ])
  expect([status, body.issues]).toEqual([
    400,
    [expect.stringContaining('does not fit into your storage'), expect.stringContaining('accepted format')],
  ])
  expect(await usedBytes(9)).toBe(0)
})

test('has no quota unless there is a setting', async () => {
  const unlimited = await startTestMedia()
  await unlimited.upload(1, {}, await jpegOfSize(2 * MB))
  const { quota } = await unlimited.json<{ quota: object }>('/api/photos/known', user(1), 'POST', { hashes: [] })
  expect(quota).toEqual({ used: 2 * MB, limit: null })
  await unlimited.close()
})

test('writes sizes as the screens do', () => {
  const texts = [0, 1, 1023, 1024, 1_572_864, 5 * 1024 ** 3, 4.9 * 1024 ** 4].map(formatBytes)
  expect(texts).toEqual(['0 Bytes', '1 Bytes', '1023 Bytes', '1.00 KB', '1.50 MB', '5.00 GB', '5017.60 GB'])
})
