import { once } from 'node:events'
import { Readable } from 'node:stream'
import { fromBinary } from '@bufbuild/protobuf'
import { PhotoChangedSchema } from '@skyfolio/proto'
import fc from 'fast-check'
import sharp from 'sharp'
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { originalKey } from '../src/files/object-keys.ts'
import type { BulkResult } from '../src/gallery/bulk-change.ts'
import type { Photo, Prisma } from '../src/generated/client.ts'
import type { PhotoResponse } from '../src/photos/photo-response.ts'
import { isPublic } from '../src/photos/visibility.ts'
import { createFolders, saveFolder } from '../src/projection/folders.ts'
import { admin, jpeg, PHOTO_EVENTS, startTestMedia, type TestMedia, user, visitor } from './support.ts'

let media: TestMedia
let folders: ReturnType<TestMedia['folders']>
beforeAll(async () => {
  media = await startTestMedia()
  folders = media.folders()
})
afterAll(() => media.close())

const NOON = '2026-05-04T12:00:00'
let made = 0

/** Adds a file that is not processed yet. */
async function add(
  userId: number,
  name: string,
  more: Partial<Prisma.PhotoUncheckedCreateInput> = {},
): Promise<number> {
  made += 1
  const extension = /\.[^.]*$/.exec(name.toLowerCase())?.[0].replace('.tiff', '.tif').replace('.jpeg', '.jpg')
  const { id } = await media.db.photo.create({
    data: {
      ...{
        userId,
        title: name,
        filename: `${made.toString(16).padStart(32, '0')}${extension}`,
        originalName: name,
        filesize: 1_000 + made,
      },
      ...{ sha256: `pairs-${made}`, ownIsPublic: more.folderId ? null : false, ...more },
    },
  })
  return id
}

/** Finishes the processing of a file, as a worker does. */
async function ready(id: number, dateTaken: string | null = NOON): Promise<void> {
  await media.save(await media.startOn(id), { status: 'ready', dateTaken, width: 4000, height: 3000 })
}

async function addReady(userId: number, name: string, more: Partial<Prisma.PhotoUncheckedCreateInput> = {}) {
  const { dateTaken = NOON, ...columns } = more
  const id = await add(userId, name, columns)
  await ready(id, dateTaken)
  return id
}

async function addPair(userId: number, more: Partial<Prisma.PhotoUncheckedCreateInput> = {}, name = 'DJI_0001') {
  const jpeg = await addReady(userId, `${name}.JPG`, more)
  const raw = await addReady(userId, `${name}.DNG`, more)
  return { jpeg, raw }
}

const list = (userId: number, query = '') => media.json<PhotoResponse[]>(`/api/photos${query}`, user(userId))
const patch = (userId: number, id: number, body: object) =>
  media.json<PhotoResponse>(`/api/photos/${id}`, user(userId), 'PATCH', body)
const bulk = (userId: number, body: object) => media.json<BulkResult>('/api/photos/bulk', user(userId), 'POST', body)
const partnerOf = async (id: number) => (await media.photo(id)).pairedWith

describe('what is a pair', () => {
  test.each([
    ['a JPEG and a DNG', 'A.JPG', 'A.DNG', {}, true],
    ['a JPEG and a TIFF', 'A.jpeg', 'A.tiff', {}, true],
    ['a DNG and a TIFF', 'A.DNG', 'A.TIF', {}, false],
    ['two JPEGs', 'A.JPG', 'A.jpeg', {}, false],
    ['files with different names', 'A.JPG', 'B.DNG', {}, false],
    ['files of different moments', 'A.JPG', 'A.DNG', { dateTaken: '2026-05-04T12:00:01' }, false],
    ['fractions of one second', 'A.JPG', 'A.DNG', { dateTaken: `${NOON}.750` }, true],
    ['a date with a zone and one without', 'A.JPG', 'A.DNG', { dateTaken: `${NOON}+02:00` }, true],
    ['a date and none', 'A.JPG', 'A.DNG', { dateTaken: null }, false],
    ['files in different folders', 'A.JPG', 'A.DNG', { folderId: 90 }, false],
    ['a private and a public file', 'A.JPG', 'A.DNG', { ownIsPublic: true }, false],
    ['files of two users', 'A.JPG', 'A.DNG', { userId: 2_000 }, false],
  ])('%s', async (_, one, other, more, isPair) => {
    const userId = 1_000 + made
    const first = await addReady(userId, one)
    const second = await addReady(userId, other, more)
    expect(await partnerOf(first)).toBe(isPair ? second : null)
    expect(await partnerOf(second)).toBe(isPair ? first : null)
  })

  test('no files of two zones', async () => {
    const jpeg = await addReady(3, 'Z.JPG', { dateTaken: `${NOON}+02:00` })
    await addReady(3, 'Z.DNG', { dateTaken: `${NOON}-05:00` })
    expect(await partnerOf(jpeg)).toBeNull()
    const raw = await addReady(3, 'Z.DNG', { dateTaken: `${NOON}.5+02:00` })
    expect(await partnerOf(jpeg)).toBe(raw)
  })

  test('files without a date that were uploaded within a day', async () => {
    const hoursAgo = (hours: number) => new Date(Date.now() - hours * 3_600_000)
    const old = await addReady(4, 'U.JPG', { dateTaken: null, createdAt: hoursAgo(25) })
    const late = await addReady(4, 'U.JPG', { dateTaken: null, createdAt: hoursAgo(23) })
    const raw = await addReady(4, 'U.DNG', { dateTaken: null })
    expect([await partnerOf(old), await partnerOf(late)]).toEqual([null, raw])
  })

  test('each file is in one pair, with the photo that was uploaded first', async () => {
    const first = await addReady(5, 'A.JPG')
    const second = await addReady(5, 'A.JPG')
    const raws = [await addReady(5, 'A.DNG'), await addReady(5, 'A.DNG'), await addReady(5, 'A.DNG')]
    expect([await partnerOf(first), await partnerOf(second)]).toEqual(raws.slice(0, 2))
    expect(await partnerOf(raws[2] ?? 0)).toBeNull()
  })

  test('two files that become ready at the same time', async () => {
    for (let round = 0; round < 10; round += 1) {
      const ids = [await add(6, `R${round}.JPG`), await add(6, `R${round}.DNG`)]
      await Promise.all(ids.map((id) => ready(id)))
      expect(await partnerOf(ids[0] ?? 0)).toBe(ids[1])
    }
  })

  test('a raw file with votes stays alone until its owner pairs it', async () => {
    folders.set(70, 7, true)
    await folders.announce(70)
    const raw = await addReady(7, 'V.DNG', { folderId: 70 })
    folders.voted.add(raw)
    const jpeg = await addReady(7, 'V.JPG', { folderId: 70 })
    expect(await partnerOf(raw)).toBeNull()
    expect(await patch(7, raw, { pairedWith: jpeg })).toMatchObject({ id: raw, pairedWith: jpeg })
  })

  test('a file is not ready while nobody says whether a raw file has votes', async () => {
    const raw = await addReady(8, 'N.DNG', { folderId: 80 })
    const jpeg = await add(8, 'N.JPG', { folderId: 80 })
    folders.stop()
    await expect(ready(jpeg)).rejects.toMatchObject({ status: 503 })
    expect(await media.photo(jpeg)).toMatchObject({ status: 'processing', pairedWith: null })
    folders = media.folders()
    folders.set(80, 8, true)
    await ready(jpeg)
    expect(await partnerOf(jpeg)).toBe(raw)
  })
})

describe('a pair', () => {
  test('is one photo of every list and count, with its raw file beside it', async () => {
    const place = { city: 'Duluth', state: 'Minnesota', latitude: '46.8', longitude: '-92.1' }
    const { jpeg, raw } = await addPair(20, { ...place, ownIsPublic: true })
    const alone = await addReady(20, 'DJI_0002.DNG', place)
    const listed = await list(20)
    expect(listed.map(({ id }) => id)).toEqual([alone, jpeg])
    const { filename, filesize } = await media.photo(raw)
    expect(listed[1]).toMatchObject({
      pairedWith: raw,
      raw: { id: raw, filename, filesize, width: 4000, height: 3000 },
    })
    const response = await media.call('/api/photos?limit=1', user(20))
    expect(response.headers.get('x-total-count')).toBe('2')
    for (const query of [
      '?q=dji_0001.dng',
      '?location=Duluth, Minnesota&q=0001',
      '?near=46.8,-92.1,10&q=0001',
      '?folder=none&q=0001',
    ]) {
      expect((await list(20, query)).map(({ id }) => id)).toEqual([jpeg])
    }
    expect(await media.json('/api/photos/months', user(20))).toMatchObject({ months: [{ count: 2 }] })
    expect(await media.json('/api/photos/places', user(20))).toMatchObject([{ count: 2 }])
    expect(await media.db.userUsage.findUnique({ where: { userId: 20 } })).toMatchObject({ photos: 2 })
    const { folders: sums, used } = await media.json<{ folders: object[]; used: number }>(
      '/api/photos/storage',
      user(20),
    )
    expect(sums).toEqual([{ folderId: null, photos: 2, bytes: used }])
  })

  test('is two photos for who asks for raw files', async () => {
    const { jpeg, raw } = await addPair(21)
    const both = [
      { id: jpeg, pairedWith: raw },
      { id: raw, pairedWith: jpeg, raw: null },
    ]
    expect(await list(21, '?raw=all')).toMatchObject(both)
    expect(await list(21, '?raw=all&limit=1')).toMatchObject(both)
    expect(await list(21, `?raw=all&ids=${raw}`)).toMatchObject([{ id: raw }])
    expect((await list(21, `?raw=all&ids=${raw},${jpeg}`)).map(({ id }) => id)).toEqual([raw, jpeg])
    expect(await list(21, `?ids=${raw}`)).toEqual([])
  })

  test('changes as one, whichever file is named', async () => {
    folders.set(220, 22, true)
    const { jpeg, raw } = await addPair(22)
    const both = () => Promise.all([media.photo(jpeg), media.photo(raw)])
    expect(await media.json(`/api/photos/${raw}/folder`, user(22), 'PATCH', { folderId: 220 })).toMatchObject({
      id: raw,
    })
    expect(await both()).toMatchObject([{ folderId: 220 }, { folderId: 220 }])
    await media.json(`/api/photos/${jpeg}/privacy`, user(22), 'PATCH', { isPublic: false })
    expect(await both()).toMatchObject([{ privateByChoice: true }, { privateByChoice: true }])
    const values = { title: 'Pier', description: 'At dawn', city: 'Duluth', dateTaken: '2026-01-02T03:04:05' }
    expect(await patch(22, jpeg, { ...values, latitude: 46.8, longitude: -92.1 })).toMatchObject({
      id: jpeg,
      ...values,
    })
    expect(await both()).toMatchObject([values, values])
    expect(await bulk(22, { ids: [jpeg, raw], action: 'position', moveBy: { latitude: 1, longitude: 1 } })).toEqual({
      done: [jpeg, raw],
      photos: 1,
      failed: [],
    })
    for (const photo of await both()) expect(photo.latitude?.toNumber()).toBe(47.8)
    const place = (...positions: object[]) =>
      media.json<object>('/api/photos/positions', user(22), 'PUT', { positions })
    const here = { latitude: 47.8, longitude: -91.1 }
    const there = { latitude: 60, longitude: 25 }
    expect(await place({ id: raw, position: there })).toEqual({
      before: [
        { id: jpeg, position: here, corrected: true },
        { id: raw, position: here, corrected: true },
      ],
    })
    for (const photo of await both()) expect(photo.latitude?.toNumber()).toBe(60)
    await place({ id: jpeg, position: here }, { id: raw, position: null })
    expect((await both()).map(({ latitude }) => latitude?.toNumber())).toEqual([47.8, undefined])
  })

  test('moves, hides and returns with both files, and is one photo of what was done', async () => {
    folders.set(230, 23, true)
    const { jpeg, raw } = await addPair(23)
    const moved = await bulk(23, { ids: [jpeg], action: 'move', folderId: 230 })
    expect(moved).toMatchObject({ done: [jpeg, raw], photos: 1, before: [{ ids: [jpeg, raw], paired: true }] })
    expect(await bulk(23, { ids: [jpeg], action: 'move', folderId: 230 })).toMatchObject({
      done: [jpeg, raw],
      photos: 1,
    })
    const [before] = moved.before ?? []
    await bulk(23, { action: 'restore', ...before })
    expect(await media.photo(raw)).toMatchObject({ folderId: null, pairedWith: jpeg })
    expect(await media.photo(jpeg)).toMatchObject({ folderId: null, pairedWith: raw })
  })

  test('that a move made ends when the move is undone', async () => {
    folders.set(240, 24, true)
    folders.set(241, 24, true)
    const jpeg = await addReady(24, 'A.JPG', { folderId: 240 })
    const raw = await addReady(24, 'A.DNG', { folderId: 241 })
    const moved = await bulk(24, { ids: [raw], action: 'move', folderId: 240 })
    expect(await partnerOf(jpeg)).toBe(raw)
    for (const group of moved.before ?? []) await bulk(24, { action: 'restore', ...group })
    expect(await media.photo(raw)).toMatchObject({ folderId: 241, pairedWith: null, purpose: 'gallery' })
    expect(await media.photo(jpeg)).toMatchObject({ folderId: 240, pairedWith: null })
    // It was not its owner who separated them.
    await bulk(24, { ids: [raw], action: 'move', folderId: 240 })
    expect(await partnerOf(jpeg)).toBe(raw)
  })

  test('is made by a corrected date', async () => {
    const jpeg = await addReady(25, 'A.JPG')
    const raw = await addReady(25, 'A.DNG', { dateTaken: null })
    expect(await patch(25, raw, { dateTaken: NOON })).toMatchObject({ id: raw, pairedWith: jpeg })
  })

  test('is separated for good, until its owner pairs the two again', async () => {
    const { jpeg, raw } = await addPair(26)
    expect(await patch(26, jpeg, { pairedWith: null })).toMatchObject({ id: jpeg, pairedWith: null, raw: null })
    expect((await list(26)).map(({ id }) => id)).toEqual([raw, jpeg])
    await patch(26, jpeg, { dateTaken: NOON })
    await media.json(`/api/photos/${raw}/reprocess`, user(26), 'POST', {})
    await ready(raw)
    expect(await partnerOf(jpeg)).toBeNull()
    expect(await patch(26, jpeg, { pairedWith: raw })).toMatchObject({ id: jpeg, pairedWith: raw, raw: { id: raw } })
    expect(await patch(26, jpeg, { pairedWith: raw })).toMatchObject({ pairedWith: raw })
  })

  test.each([
    ['a photo of somebody else', 'A.DNG', { userId: 2_700 }, 'A pair is a JPEG and a DNG or TIFF of yours.'],
    ['another JPEG', 'A.JPG', {}, 'A pair is a JPEG and a DNG or TIFF of yours.'],
    ['another name', 'B.DNG', {}, 'The two files have different names.'],
    ['another moment', 'A.DNG', { dateTaken: null }, 'The two files were not taken at the same moment.'],
    ['another folder', 'A.DNG', { folderId: 90 }, 'The two files are in different folders.'],
    ['another visibility', 'A.DNG', { ownIsPublic: true }, 'One of the two files is private.'],
  ])('is not made with %s', async (_, name, more, message) => {
    const userId = 2_000 + made
    const [one, other] = [await addReady(userId, 'A.JPG'), await addReady(userId, name, more)]
    const before = await media.photo(one)
    const response = await media.call(`/api/photos/${one}`, user(userId), {
      method: 'PATCH',
      body: JSON.stringify({ pairedWith: other, title: 'Not kept' }),
      headers: { 'content-type': 'application/json' },
    })
    expect(response.status).toBe(409)
    expect(await response.json()).toMatchObject({ code: 'no_pair', message })
    expect(await media.photo(one)).toEqual(before)
  })

  test('is deleted with both files, but for its raw file alone when that is named', async () => {
    const [first, second] = [await addPair(28, {}, 'A'), await addPair(28, {}, 'B')]
    expect(await bulk(28, { ids: [first.jpeg], action: 'delete' })).toEqual({
      done: [first.jpeg, first.raw],
      photos: 1,
      failed: [],
    })
    expect((await media.call(`/api/photos/${second.raw}`, user(28), { method: 'DELETE' })).status).toBe(204)
    expect(await list(28)).toMatchObject([{ id: second.jpeg, pairedWith: null, raw: null }])
    expect((await media.photo(second.jpeg)).rawName).toBeNull()
  })

  test('of another user is deleted with both files by an administrator', async () => {
    const { jpeg, raw } = await addPair(29)
    expect(
      (await media.call(`/api/photos/${jpeg}`, { ...admin, confirmedAt: Date.now() }, { method: 'DELETE' })).status,
    ).toBe(204)
    expect(await media.db.photo.count({ where: { id: { in: [jpeg, raw] } } })).toBe(0)
  })

  test('has events that name the other file', async () => {
    const { jpeg, raw } = await addPair(30)
    const last = await media.db.outbox.findMany({ where: PHOTO_EVENTS, orderBy: { seq: 'desc' }, take: 2 })
    const sent = last.map(({ payload }) => fromBinary(PhotoChangedSchema, payload).photo)
    expect(sent).toMatchObject([
      { id: jpeg, pairedWith: raw, isRaw: false },
      { id: raw, pairedWith: jpeg, isRaw: true },
    ])
  })

  test('is seen by those who see its JPEG, and by nobody else', async () => {
    folders.set(310, 31, true)
    await folders.announce(310)
    const { jpeg, raw } = await addPair(31, { folderId: 310 })
    const { filename } = await media.photo(raw)
    await media.store.put(originalKey(filename), Readable.from(['raw']), { contentType: 'image/x-adobe-dng' })
    const status = async (who = visitor) => (await media.pictureState(`/api/uploads/${filename}`, who)).status
    expect(await status()).not.toBe(404)
    await media.json(`/api/photos/${jpeg}/privacy`, user(31), 'PATCH', { isPublic: false })
    expect(await status()).toBe(404)
  })
})

describe('a file that its user has already', () => {
  test('makes a pair of two that were uploaded before there were pairs', async () => {
    const bytes = await jpeg()
    const photo = await media.upload(40, {}, bytes)
    await media.db.photo.update({
      where: { id: photo.id },
      data: { status: 'ready', originalName: 'P.JPG', dateTaken: NOON },
    })
    const raw = await addReady(40, 'P.DNG', { ownIsPublic: photo.isPublic })
    await media.db.photo.updateMany({ where: { userId: 40 }, data: { pairedWith: null, purpose: 'gallery' } })
    const again = await media.send('/api/upload-photo', user(40), [['photo', { name: 'P.JPG', bytes }]])
    expect(again).toMatchObject({
      status: 200,
      body: { id: photo.id, duplicate: true, pairedWith: raw, raw: { id: raw } },
    })
  })

  test('takes the other file of its pair along into the chosen folder', async () => {
    folders.set(410, 41, true)
    const bytes = await jpeg()
    const photo = await media.upload(41, {}, bytes)
    await media.db.photo.update({
      where: { id: photo.id },
      data: { status: 'ready', originalName: 'P.JPG', dateTaken: NOON },
    })
    const raw = await addReady(41, 'P.DNG', { ownIsPublic: photo.isPublic })
    await media.send('/api/upload-photo', user(41), [
      ['folderId', '410'],
      ['photo', { name: 'P.JPG', bytes }],
    ])
    expect(await media.photo(raw)).toMatchObject({ folderId: 410, pairedWith: photo.id })
  })
})

test('a worker that is killed while it pairs leaves two files that another one pairs', async () => {
  // Of its own: a worker looks for the originals of all photos.
  const own = await startTestMedia()
  onTestFinished(() => own.close())
  const access = own.folders()
  access.set(1, 1, true)
  const upload = async (name: string, bytes: Buffer): Promise<number> => {
    const form: Parameters<typeof own.send>[2] = [
      ['folderId', '1'],
      ['photo', { name, bytes }],
    ]
    return (await own.send('/api/upload-photo', user(1), form)).body.id
  }
  const worker = own.startWorker()
  const raw = await upload(
    'K.TIF',
    await sharp(await jpeg())
      .tiff()
      .toBuffer(),
  )
  await own.processed(raw)
  const asked = new Promise<number[]>((resolve) => {
    access.state.beforeVotes = (photoIds) => {
      resolve(photoIds)
      return new Promise(() => {})
    }
  })
  const photo = await upload('K.JPG', await jpeg())
  expect(await asked).toEqual([raw])
  worker.kill('SIGKILL')
  await once(worker, 'exit')
  expect(await own.photo(photo)).toMatchObject({ status: 'processing', pairedWith: null })
  expect(await own.photo(raw)).toMatchObject({ purpose: 'gallery', pairedWith: null })
  access.state.beforeVotes = async () => {}
  own.startWorker()
  expect(await own.processed(photo)).toMatchObject({ status: 'ready', pairedWith: raw })
  expect(await own.photo(raw)).toMatchObject({ purpose: 'raw', pairedWith: photo })
})

/** What must hold for a user's files at any time. */
async function checkPairs(userId: number): Promise<Photo[]> {
  const photos = await media.db.photo.findMany({ where: { userId }, orderBy: { id: 'asc' } })
  const byId = new Map(photos.map((photo) => [photo.id, photo]))
  const known = new Map((await media.db.folder.findMany({ where: { userId } })).map((folder) => [folder.id, folder]))
  for (const photo of photos) {
    if (photo.pairedWith === null) {
      expect(photo).toMatchObject({ purpose: 'gallery', rawName: null })
      continue
    }
    const other = byId.get(photo.pairedWith)
    expect(other?.pairedWith).toBe(photo.id)
    const isJpeg = photo.filename.endsWith('.jpg')
    expect(photo.purpose).toBe(isJpeg ? 'gallery' : 'raw')
    expect(other?.filename.endsWith('.jpg')).toBe(!isJpeg)
    expect(photo.rawName).toBe(isJpeg ? other?.originalName : null)
    const { folderId, ownIsPublic, ownVisibilityRevision, privateByChoice } = photo
    expect(other).toMatchObject({ folderId, ownIsPublic, ownVisibilityRevision, privateByChoice })
  }
  const shown = photos.filter(({ purpose }) => purpose === 'gallery').length
  const usage = await media.db.userUsage.findUnique({ where: { userId } })
  expect(usage?.photos ?? 0).toBe(shown)
  expect((await list(userId)).length).toBe(shown)
  return photos.map((photo) => ({ ...photo, isShown: isPublic(photo, known.get(photo.folderId ?? 0) ?? null) }))
}

type Step =
  | { do: 'upload'; name: number; format: number }
  | { do: 'process' | 'hide' | 'show' | 'delete' | 'separate'; at: number }
  | { do: 'move'; at: number; to: number }
  | { do: 'pair'; at: number; with: number }
  | { do: 'date'; at: number; date: number }
  | { do: 'undo' | 'flip'; at: number }

const at = fc.nat({ max: 30 })
const steps: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.record({ do: fc.constant('upload' as const), name: fc.nat({ max: 2 }), format: fc.nat({ max: 3 }) }),
  },
  { weight: 5, arbitrary: fc.record({ do: fc.constant('process' as const), at }) },
  {
    weight: 4,
    arbitrary: fc.record({
      do: fc.constantFrom('hide' as const, 'show' as const, 'delete' as const, 'separate' as const),
      at,
    }),
  },
  { weight: 3, arbitrary: fc.record({ do: fc.constant('move' as const), at, to: fc.nat({ max: 2 }) }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('pair' as const), at, with: at }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('date' as const), at, date: fc.nat({ max: 2 }) }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constantFrom('undo' as const, 'flip' as const), at }) },
)

const EXTENSIONS = ['JPG', 'DNG', 'TIF', 'jpeg']
const DATES = [NOON, '2026-05-04T13:00:00', null]

/** Runs the steps of one user, and keeps a model of who may see which file. */
function createRun(userId: number) {
  const folderIds = [userId * 10, userId * 10 + 1]
  const access = createFolders(media.db, media.nats)
  const undo: NonNullable<BulkResult['before']>[] = []
  /** The files that strangers may see, by what their owner said of them, of their folder, or of the other file of their pair. */
  const shown = new Map<number, { isPublic: boolean; byChoice: boolean }>()

  async function flip(id: number): Promise<void> {
    const folder = folders.known.get(id)
    if (!folder) throw new Error('no folder')
    const revision = folder.revision + 1
    const next = { ...folder, isPublic: !folder.isPublic, revision, visibilityRevision: revision }
    folders.known.set(id, next)
    await saveFolder(media.db, { ...next, deleted: false })
    const inside = await media.db.photo.findMany({ where: { folderId: id } })
    for (const photo of inside) shown.set(photo.id, { isPublic: next.isPublic, byChoice: false })
  }

  async function shotOf(id: number): Promise<number[]> {
    const partner = await partnerOf(id)
    return partner === null ? [id] : [id, partner]
  }

  async function run(step: Step): Promise<void> {
    const ids = (await media.db.photo.findMany({ where: { userId }, orderBy: { id: 'asc' } })).map(({ id }) => id)
    const pick = (index: number) => ids[index % Math.max(1, ids.length)] ?? 0
    if (step.do === 'upload') {
      const id = await add(userId, `S${step.name}.${EXTENSIONS[step.format]}`)
      shown.set(id, { isPublic: false, byChoice: false })
      return
    }
    if (step.do === 'flip') return flip(folderIds[step.at % 2] ?? 0)
    if (ids.length === 0) return
    if (step.do === 'undo') {
      for (const { ids: named, ...place } of undo.pop() ?? []) {
        const { done } = await bulk(userId, { action: 'restore', ids: named, ...place })
        for (const id of done) shown.set(id, { isPublic: place.isPublic, byChoice: place.privateByChoice })
      }
      return
    }
    const id = pick(step.at)
    if (step.do === 'process') {
      const photo = await media.photo(id)
      if (photo.status === 'processing') await ready(id)
      return
    }
    const shot = await shotOf(id)
    if (step.do === 'hide' || step.do === 'show') {
      const isPublic = step.do === 'show'
      undo.push((await bulk(userId, { ids: [id], action: 'privacy', isPublic })).before ?? [])
      for (const one of shot) shown.set(one, { isPublic, byChoice: !isPublic })
    } else if (step.do === 'delete') {
      await bulk(userId, { ids: [id], action: 'delete' })
    } else if (step.do === 'move') {
      const folderId = step.to === 2 ? null : (folderIds[step.to] ?? 0)
      const from = (await media.photo(id)).folderId
      undo.push((await bulk(userId, { ids: [id], action: 'move', folderId })).before ?? [])
      for (const one of from === folderId ? [] : shot) {
        const before = shown.get(one)
        if (folderId !== null && !before?.byChoice) {
          shown.set(one, { isPublic: folders.known.get(folderId)?.isPublic === true, byChoice: false })
        }
      }
    } else if (step.do === 'pair') await patch(userId, id, { pairedWith: pick(step.with) })
    else if (step.do === 'date') await patch(userId, id, { dateTaken: DATES[step.date] })
    else await patch(userId, id, { pairedWith: null })
  }

  async function start(): Promise<void> {
    for (const [index, id] of folderIds.entries()) {
      folders.set(id, userId, index === 0)
      await access.find(id)
    }
    // A pair, and two files that will be one: most steps are of them.
    for (const name of [0, 1]) for (const format of [0, 1]) await run({ do: 'upload', name, format })
    for (const index of [0, 1]) await run({ do: 'process', at: index })
  }

  return { start, run, shown }
}

test('any order of changes leaves every file in one pair at most, as visible as its owner said', async () => {
  let userId = 10_000
  let pairs = 0
  const property = fc.asyncProperty(fc.array(steps, { minLength: 10, maxLength: 30 }), async (all) => {
    userId += 1
    const { start, run, shown } = createRun(userId)
    await start()
    for (const step of all) {
      await run(step)
      const photos = await checkPairs(userId)
      pairs += photos.filter(({ purpose }) => purpose === 'raw').length
      for (const photo of photos)
        expect({ id: photo.id, isPublic: (photo as { isShown?: boolean }).isShown }).toEqual({
          id: photo.id,
          isPublic: shown.get(photo.id)?.isPublic,
        })
    }
  })
  await fc.assert(property, { numRuns: 12 })
  expect(pairs).toBeGreaterThan(0)
}, 120_000)

test('changes at the same time leave every file in one pair at most', async () => {
  let userId = 20_000
  const property = fc.asyncProperty(fc.array(steps, { minLength: 12, maxLength: 30 }), async (all) => {
    userId += 1
    const { start, run } = createRun(userId)
    await start()
    for (let next = 0; next < all.length; next += 4) {
      await Promise.allSettled(all.slice(next, next + 4).map(run))
      await checkPairs(userId)
    }
  })
  await fc.assert(property, { numRuns: 12 })
}, 120_000)
