import { dronePhoto, waitFor } from '@skyfolio/testkit'
import sharp from 'sharp'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { republishPhotos } from '../src/events.ts'
import { dng } from './fixtures/tiff.ts'
import { admin, jpeg, jpegOfSize, PHOTO_EVENTS, startTestMedia, type TestMedia, user, visitor } from './support.ts'

interface Item {
  id: number
  filename: string
  fileUrl: string
  thumbnailUrl: string | null
}

let media: TestMedia
beforeAll(async () => {
  media = await startTestMedia()
  media.startWorker()
})
afterAll(() => media.close())

let lastUser = 100
function newUser(): number {
  lastUser += 1
  return lastUser
}

function send(userId: number, bytes: Buffer, name = 'photo.jpg', flag = 'true') {
  return media.send('/api/upload-photo', user(userId), [
    ['photo', { name, bytes }],
    ['metadata', flag],
  ])
}

const list = (userId: number) => media.json<Item[]>('/api/photos/metadata', user(userId))
const clear = (userId: number) => media.json('/api/photos/metadata', user(userId), 'DELETE')

const originals = async () => (await media.keys()).filter((key) => key.startsWith('originals/'))

/** Subjects of the events in the outbox. */
const outboxSubjects = async () =>
  (await media.db.outbox.findMany({ where: PHOTO_EVENTS })).map(({ subject }) => subject)

test('a photo of the metadata screen has all tags of its file, and is in no gallery', async () => {
  const userId = newUser()
  const bytes = await dronePhoto({ latitude: 46.7867, longitude: -92.1005, relativeAltitude: 39.8 })
  const { status, body } = await send(userId, bytes, 'DJI_0001.JPG')
  expect([status, body.isPublic, body.folderId, body.status]).toEqual([201, false, null, 'processing'])
  await media.processed(body.id)

  const [item] = await list(userId)
  expect(item).toMatchObject({
    id: body.id,
    filename: body.filename,
    fileUrl: `/api/uploads/${body.filename}`,
    originalName: 'DJI_0001.JPG',
    filesize: bytes.length,
    latitude: '46.7867',
    longitude: '-92.1005',
    city: 'Duluth',
    state: 'Minnesota',
    dateTaken: '2024-05-06T07:08:09',
    status: 'ready',
    statusMessage: null,
    thumbnailUrl: expect.stringMatching(/^\/api\/uploads\/[0-9a-f]{32}\.webp$/),
  })
  expect(item).not.toHaveProperty('groups')
  const detail = await media.json<{ groups: object }>(`/api/photos/metadata/${body.id}`, user(userId))
  expect(detail).toMatchObject(item ?? {})
  expect(detail.groups).toMatchObject({
    File: {
      FileName: 'DJI_0001.JPG',
      FileType: 'JPEG',
      MIMEType: 'image/jpeg',
      FileSize: bytes.length,
      ImageWidth: 1024,
    },
    IFD0: { Make: 'DJI', Model: 'FC300S' },
    EXIF: { ExposureTime: 0.0025, DateTimeOriginal: '2024:05:06 07:08:09' },
    GPS: { GPSLatitudeRef: 'N' },
    'XMP-drone-dji': { RelativeAltitude: '+39.80' },
  })

  const gallery = await media.call('/api/photos?limit=10', user(userId))
  expect([gallery.headers.get('x-total-count'), await gallery.json()]).toEqual(['0', []])
  expect(await media.json('/api/photos/places', user(userId))).toEqual([])
  expect(await media.json('/api/photos/cameras', user(userId))).toEqual([])
})

test('publishes no events', async () => {
  const userId = newUser()
  const before = await outboxSubjects()
  const { body } = await send(userId, await jpeg())
  await media.processed(body.id)
  await media.call(`/api/photos/${body.id}`, admin, { method: 'DELETE' })
  await send(userId, await jpeg())
  await clear(userId)
  await send(userId, await jpeg())
  await republishPhotos(media.db)
  expect(await outboxSubjects()).toEqual(before)
})

test('does not treat files of the gallery and of the metadata screen as duplicates of each other', async () => {
  const userId = newUser()
  const bytes = await jpeg()
  const inGallery = await media.upload(userId, {}, bytes)
  const [first, second] = [await send(userId, bytes), await send(userId, bytes)]
  expect([first.status, second.status]).toEqual([201, 201])
  const again = await media.send('/api/upload-photo', user(userId), [['photo', { name: 'a.jpg', bytes }]])
  expect([again.status, again.body.id, again.body.duplicate]).toEqual([200, inGallery.id, true])
  expect((await list(userId)).map(({ id }) => id)).toEqual([second.body.id, first.body.id])
})

describe('an upload', () => {
  const tiny = () => sharp({ create: { width: 2, height: 1, channels: 3, background: 'red' } })

  test('accepts images of any size', async () => {
    const userId = newUser()
    const { status, body } = await send(userId, await tiny().png().toBuffer(), 'tiny.png')
    expect(status).toBe(201)
    expect(await media.processed(body.id)).toMatchObject({ status: 'ready', width: 2, height: 1 })
  })

  test('accepts up to 50 MB, and not a byte more', async () => {
    const most = 50 * 1024 * 1024
    expect((await send(newUser(), await jpegOfSize(most))).status).toBe(201)
    const { status, body } = await send(newUser(), await jpegOfSize(most + 1))
    expect([status, body.issues]).toEqual([413, ['"photo.jpg" is larger than 50 MB.']])
  })

  test('rejects a DNG', async () => {
    const preview = await jpeg()
    const bytes = dng({ previews: [{ jpeg: preview, width: 320, height: 300 }], width: 320, height: 300 })
    const { status, body } = await send(newUser(), bytes, 'raw.dng')
    expect(status).toBe(415)
    expect(body.issues).toEqual([
      '"raw.dng" is not in an accepted format. Accepted formats: JPEG, PNG, TIFF, GIF, BMP.',
    ])
    const text = await send(newUser(), Buffer.from('Dear reader, this is no picture.'), 'words.jpg')
    expect([text.status, text.body.issues]).toEqual([
      415,
      ['"words.jpg" is not in an accepted format. Accepted formats: JPEG, PNG, TIFF, GIF, BMP.'],
    ])
  })

  test('keeps to the rules of its purpose, whether the flag comes before or after the file', async () => {
    const small = await tiny().jpeg().toBuffer()
    const large = await jpegOfSize(26 * 1024 * 1024)
    const file = (bytes: Buffer) => ({ name: 'photo.jpg', bytes })
    for (const bytes of [small, large]) {
      const before = await originals()
      const rejected = await send(newUser(), bytes, 'photo.jpg', 'false')
      expect([400, 413]).toContain(rejected.status)
      expect(rejected.body.issues[0]).toMatch(/at least 300 x 300|larger than 25 MB/)
      expect(await originals()).toEqual(before)
      const entries: Parameters<TestMedia['send']>[2] = [
        ['metadata', 'true'],
        ['photo', file(bytes)],
      ]
      expect((await media.send('/api/upload-photo', user(newUser()), entries)).status).toBe(201)
    }
  })

  test('rejects a file that no purpose allows by the rule of its own', async () => {
    const { status, body } = await send(newUser(), await jpegOfSize(51 * 1024 * 1024), 'photo.jpg', 'false')
    expect([status, body.issues]).toEqual([413, ['"photo.jpg" is larger than 25 MB.']])
  })

  test('rejects an invalid flag, and several photos at once', async () => {
    expect((await send(newUser(), await jpeg(), 'photo.jpg', 'yes')).status).toBe(400)
    const several = await media.send('/api/upload-photos', user(newUser()), [
      ['photos', { name: 'a.jpg', bytes: await jpeg() }],
      ['metadata', 'true'],
    ])
    expect([several.status, several.body.message]).toEqual([
      400,
      'Photos for the metadata screen are sent one by one, to /api/upload-photo.',
    ])
  })

  test('ignores a chosen folder', async () => {
    const userId = newUser()
    const folders = media.folders()
    folders.set(500, userId, true)
    const { body } = await media.send('/api/upload-photo', user(userId), [
      ['folderId', '500'],
      ['isPublic', 'true'],
      ['metadata', 'true'],
      ['photo', { name: 'a.jpg', bytes: await jpeg() }],
    ])
    folders.stop()
    expect([body.folderId, body.isPublic]).toEqual([null, false])
  })
})

test('only the owner lists and clears, only owner and administrators get the bytes, and nobody changes it', async () => {
  const [owner, other] = [newUser(), newUser()]
  const { body } = await send(owner, await jpeg())
  await media.processed(body.id)
  const [item] = await list(owner)
  const others = [user(other), admin, visitor]
  for (const who of others) {
    const { status } = await media.call(`/api/photos/metadata/${body.id}`, who)
    expect(status).toBe(who === visitor ? 401 : 404)
  }
  expect(await list(other)).toEqual([])
  expect(await clear(other)).toEqual({ deletedCount: 0 })
  for (const url of [item?.fileUrl, item?.thumbnailUrl, `/api/photos/${body.id}/image`] as string[]) {
    const statuses = await Promise.all([user(owner), ...others].map(async (who) => (await media.call(url, who)).status))
    expect([url, statuses]).toEqual([url, [200, 404, 200, 404]])
  }

  const change = (path: string, data: object, method = 'PATCH') =>
    media.call(path, user(owner), {
      method,
      body: JSON.stringify(data),
      headers: { 'content-type': 'application/json' },
    })
  expect((await change(`/api/photos/${body.id}/privacy`, { isPublic: true })).status).toBe(404)
  expect((await change(`/api/photos/${body.id}/folder`, { folderId: null })).status).toBe(404)
  const bulk = await change('/api/photos/bulk', { ids: [body.id], action: 'privacy', isPublic: true }, 'POST')
  expect(await bulk.json()).toMatchObject({ done: [] })
  expect(await media.photo(body.id)).toMatchObject({ ownIsPublic: false, folderId: null, purpose: 'metadata' })
})

test('Clear All deletes all of them with their bytes, and no photo of the gallery', async () => {
  const userId = newUser()
  const kept = await media.upload(userId)
  await media.processed(kept.id)
  const ids: number[] = []
  for (let number = 0; number < 3; number += 1) ids.push((await send(userId, await jpeg())).body.id)
  for (const id of ids) await media.processed(id)
  const files = (await list(userId)).flatMap(({ filename, thumbnailUrl }) => [filename, thumbnailUrl?.slice(13) ?? ''])
  expect(await clear(userId)).toEqual({ deletedCount: 3 })
  expect(await list(userId)).toEqual([])
  expect(await clear(userId)).toEqual({ deletedCount: 0 })
  expect((await media.json<Item[]>('/api/photos', user(userId))).map(({ id }) => id)).toEqual([kept.id])
  const names = files.map((name) => name.replace(/^.*\/|\.[a-z]+$/g, ''))
  await waitFor(async () => !(await media.keys()).some((key) => names.some((name) => key.includes(name))), {
    what: 'the bytes are removed',
    timeoutMs: 60_000,
  })
})

test('Clear All deletes more than one batch', async () => {
  const userId = newUser()
  const data = Array.from({ length: 450 }, (_, index) => ({
    userId,
    title: 'photo',
    filename: `${index.toString(16).padStart(32, '0')}.jpg`,
    originalName: '',
    filesize: 1,
    sha256: 'same',
    purpose: 'metadata',
    status: 'ready',
  }))
  await media.db.photo.createMany({ data })
  expect(await list(userId)).toHaveLength(450)
  expect(await clear(userId)).toEqual({ deletedCount: 450 })
})

test('stores the tags for the metadata screen for no photo of the gallery', async () => {
  const userId = newUser()
  const { id } = await media.upload(userId)
  await media.processed(id)
  expect((await media.photo(id)).tags).toBeNull()
})
