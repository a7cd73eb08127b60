import { waitFor } from '@skyfolio/testkit'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { originalKey } from '../src/files/object-keys.ts'
import type { PhotoResponse } from '../src/photos/photo-response.ts'
import { admin, jpeg, PHOTO_EVENTS, startTestMedia, type TestMedia, user } from './support.ts'

let media: TestMedia
let folders: ReturnType<TestMedia['folders']>
beforeAll(async () => {
  media = await startTestMedia()
  folders = media.folders()
})
beforeEach(async () => {
  await media.db.photo.deleteMany()
})
afterAll(() => media.close())

const me = user(1)

/** Creates rows like uploads do, without files: `count` photos of a user, several of them at the same moment. */
async function manyPhotos(userId: number, count: number, folderId: number | null = null): Promise<void> {
  await media.db.photo.createMany({
    data: Array.from({ length: count }, (_, index) => ({
      userId,
      folderId,
      title: `${index}`,
      filename: `${userId}-${folderId}-${index}.jpg`,
      originalName: `${index}.jpg`,
      filesize: 1,
      sha256: `${folderId}-${index}`,
      createdAt: new Date(Date.UTC(2026, 0, 1) + Math.floor(index / 3) * 1000),
    })),
  })
}

async function list(path: string, who = me) {
  const response = await media.call(path, who)
  const next = response.headers.get('link')?.match(/^<([^>]+)>; rel="next"$/)?.[1]
  return {
    status: response.status,
    photos: (await response.json()) as PhotoResponse[],
    total: response.headers.get('x-total-count'),
    next,
  }
}

const titles = (photos: PhotoResponse[]) => photos.map((photo) => Number(photo.title))

test('returns an empty list for a user without photos', async () => {
  expect(await list('/api/photos')).toMatchObject({ status: 200, photos: [], total: '0' })
})

test('returns all own photos in one response without a limit, newest first', async () => {
  await manyPhotos(1, 1203)
  await manyPhotos(2, 5)
  const { photos, total, next } = await list('/api/photos')
  expect(titles(photos)).toEqual(Array.from({ length: 1203 }, (_, index) => 1202 - index))
  expect([total, next]).toEqual(['1203', undefined])
  expect(titles((await list('/api/photos?sort=oldest')).photos).slice(0, 4)).toEqual([0, 1, 2, 3])
})

test.each(['newest', 'oldest'])(
  'pages of the %s photos hold each photo once, whatever is deleted between them',
  async (sort) => {
    await manyPhotos(1, 25)
    const seen: number[] = []
    let path: string | undefined = `/api/photos?limit=7&sort=${sort}`
    while (path) {
      const page = await list(path)
      seen.push(...titles(page.photos))
      const last = page.photos.at(-1)
      // The photo that the cursor points at.
      if (last) await media.json(`/api/photos/${last.id}`, me, 'DELETE').catch(() => {})
      path = page.next
    }
    const expected = Array.from({ length: 25 }, (_, index) => index)
    expect(seen).toEqual(sort === 'oldest' ? expected : expected.reverse())
  },
)

/** Photos by the camera's clock: title and date. Uploaded in this order. */
const TAKEN: [string, string | null][] = [
  ['b', '2024-05-06T07:08:09'],
  ['none-1', null],
  ['c', '2024-05-31T23:59:59+09:00'],
  ['a', '2019-01-02T03:04:05Z'],
  ['c-too', '2024-05-31T23:59:59'],
  ['none-2', null],
]
const BY_DATE = {
  'taken-newest': ['c-too', 'c', 'b', 'a', 'none-2', 'none-1'],
  'taken-oldest': ['a', 'b', 'c', 'c-too', 'none-1', 'none-2'],
}

async function photosWithDates(userId: number): Promise<void> {
  for (const [index, [title, dateTaken]] of TAKEN.entries()) {
    const name = `taken-${userId}-${index}`
    const createdAt = new Date(Date.UTC(2026, 1, 28, 23, index * 20))
    await media.db.photo.create({
      data: { userId, title, dateTaken, createdAt, filename: name, originalName: 'x.jpg', filesize: 1, sha256: name },
    })
  }
}

test.each(['taken-newest', 'taken-oldest'] as const)(
  'the order %s follows the clock of the camera, photos without a date last, by pages, skips and searches',
  async (sort) => {
    await photosWithDates(1)
    await photosWithDates(2)
    const names = async (path: string) => (await list(path)).photos.map(({ title }) => title)
    const expected = BY_DATE[sort]
    expect(await names(`/api/photos?sort=${sort}`)).toEqual(expected)
    const seen: string[] = []
    let path: string | undefined = `/api/photos?limit=2&sort=${sort}`
    while (path) {
      const page = await list(path)
      seen.push(...page.photos.map(({ title }) => title))
      path = page.next
    }
    expect(seen).toEqual(expected)
    expect(await names(`/api/photos?limit=3&skip=2&sort=${sort}`)).toEqual(expected.slice(2, 5))
    const found = expected.filter((title) => title.startsWith('none'))
    expect(await names(`/api/photos?limit=5&q=none&sort=${sort}`)).toEqual(found)
    expect(await names(`/api/photos?limit=9&from=2000-01-01T00:00Z&sort=${sort}`)).toEqual(expected)
    const ids = (await list('/api/photos')).photos.map(({ id }) => id)
    expect(await names(`/api/photos?ids=${ids}&sort=${sort}`)).toEqual(expected)

    const { next = '' } = await list('/api/photos?limit=2')
    const cursor = new URLSearchParams(next.split('?')[1]).get('cursor')
    expect((await list(`/api/photos?limit=2&sort=${sort}&cursor=${cursor}`)).status).toBe(400)
  },
)

test('jumps far into the gallery by date taken, and indexes there, are found by the counts of days', async () => {
  const count = 1500
  await media.db.photo.createMany({
    data: Array.from({ length: count }, (_, index) => ({
      userId: 1,
      title: `${index}`,
      // Eleven photos at each moment, every 50th without a date.
      dateTaken:
        index % 50 === 49
          ? null
          : new Date(Date.UTC(2020, 0, 1) + Math.floor(index / 11) * 36e5).toISOString().slice(0, 19),
      filename: `jump-${index}`,
      originalName: 'x.jpg',
      filesize: 1,
      sha256: `jump-${index}`,
    })),
  })
  for (const sort of ['taken-newest', 'taken-oldest']) {
    const all = (await list(`/api/photos?sort=${sort}`)).photos.map(({ id }) => id)
    expect(all).toHaveLength(count)
    // The first jump counts the days, the others use them.
    for (const skip of [1200, 1200, 1465, 1475, 1499]) {
      const page = await list(`/api/photos?limit=20&skip=${skip}&sort=${sort}`)
      expect(page.photos.map(({ id }) => id)).toEqual(all.slice(skip, skip + 20))
      expect(await indexOf(all[skip], `?sort=${sort}`)).toBe(skip)
    }
  }
})

const indexOf = async (id: number | undefined, query: string) =>
  (await media.json<{ index: number | null }>(`/api/photos/${id}/index${query}`, me)).index

test('a photo that a list no longer has keeps its index between its neighbours', async () => {
  await manyPhotos(1, 5)
  await media.db.photo.updateMany({ data: { title: 'Lake' } })
  const { photos } = await list('/api/photos')
  const { id } = photos[1] ?? { id: 0 }
  await media.db.photo.update({ where: { id }, data: { title: 'Sea', folderId: 9 } })
  for (const query of ['?q=lake', '?folder=none', '?q=la', '?sort=newest']) expect(await indexOf(id, query)).toBe(1)
  expect(await indexOf(id, '?q=lake&sort=oldest')).toBe(3)
  expect((await list('/api/photos?q=lake')).photos).toHaveLength(4)
})

interface Months {
  months: { month: string | null; count: number }[] | null
}
const months = (query: string, who = me) => media.json<Months>(`/api/photos/months${query}`, who)

test('the months of a gallery are in its order, by upload in a time zone or by the clock of the camera', async () => {
  expect(await months('')).toEqual({ months: [] })
  await photosWithDates(1)
  const taken = [
    { month: '2024-05', count: 3 },
    { month: '2019-01', count: 1 },
  ]
  const none = { month: null, count: 2 }
  expect(await months('?sort=taken-newest')).toEqual({ months: [...taken, none] })
  expect(await months('?sort=taken-oldest')).toEqual({ months: [...taken.toReversed(), none] })
  // Three were uploaded within the last hour of February in UTC, three within the first one of March.
  const both = [
    { month: '2026-03', count: 3 },
    { month: '2026-02', count: 3 },
  ]
  expect(await months('')).toEqual({ months: both })
  expect(await months('?sort=oldest&timeZone=No/Such_Zone')).toEqual({ months: both.toReversed() })
  for (const west of ['America/New_York', 'est5edt'])
    expect(await months(`?timeZone=${west}`)).toEqual({ months: [{ month: '2026-02', count: 6 }] })
  // Five hours west of UTC too, but for PostgreSQL alone, which would remember every such text.
  expect(await months('?timeZone=ABC5')).toEqual({ months: both })
  expect(await months('', user(2))).toEqual({ months: [] })
  expect((await media.call('/api/photos/months?timeZone=%27', me)).status).toBe(400)
})

test('the months of a large gallery come from the counts, and follow every change', async () => {
  await manyPhotos(1, 1200)
  const january = { month: '2026-01', count: 1200 }
  expect(await months('')).toEqual({ months: [january] })
  expect(await months('?sort=taken-newest')).toEqual({ months: [{ month: null, count: 1200 }] })
  await photosWithDates(1)
  expect((await months('?timeZone=UTC')).months?.at(-1)).toEqual(january)
  expect((await months('?sort=taken-oldest')).months).toEqual([
    { month: '2019-01', count: 1 },
    { month: '2024-05', count: 3 },
    { month: null, count: 1202 },
  ])
  await media.db.photo.deleteMany({ where: { title: { in: ['a', 'none-1'] } } })
  expect((await months('?sort=taken-oldest')).months).toEqual([
    { month: '2024-05', count: 3 },
    { month: null, count: 1201 },
  ])
})

test('the gallery is filtered by folder, and by having none; the folder of another user has no photos', async () => {
  folders.set(60, 1, false)
  folders.set(61, 2, false)
  await manyPhotos(1, 5, 60)
  await manyPhotos(1, 3)
  await manyPhotos(2, 4, 61)
  const listed = async (query: string) => {
    const { photos, total } = await list(`/api/photos?limit=9&${query}`)
    return [photos.length, total]
  }
  expect(await listed('folder=60')).toEqual([5, '5'])
  expect(await listed('folder=60&sort=taken-oldest')).toEqual([5, '5'])
  expect(await listed('folder=none')).toEqual([3, '3'])
  expect(await listed('folder=none&q=2')).toEqual([1, '1'])
  expect(await listed('folder=60&from=today')).toEqual([0, '0'])
  for (const foreign of [61, 404, 9_999_999_999]) expect(await listed(`folder=${foreign}`)).toEqual([0, '0'])
  expect(await months('?folder=none')).toEqual({ months: [{ month: '2026-01', count: 3 }] })
  expect(await months('?folder=61')).toEqual({ months: [] })
  const { next = '' } = await list('/api/photos?limit=2&folder=60')
  expect((await list(next)).total).toBe('5')

  const count = (folder: string) =>
    media.json<{ count: number }>('/api/photos/count', me, 'POST', { filter: { folder } }).then(({ count }) => count)
  expect([await count('60'), await count('none'), await count('61')]).toEqual([5, 3, 0])
  await media.json('/api/photos/bulk', me, 'POST', { filter: { folder: 'none' }, action: 'delete' })
  expect(await media.db.photo.groupBy({ by: ['folderId'], _count: true, orderBy: { folderId: 'asc' } })).toEqual([
    { folderId: 60, _count: 5 },
    { folderId: 61, _count: 4 },
  ])
})

test('returns own photos by their ids in one response', async () => {
  await manyPhotos(1, 4)
  await manyPhotos(2, 1)
  const all = await media.db.photo.findMany({ orderBy: { id: 'asc' } })
  const [first, , third] = all.filter((photo) => photo.userId === 1)
  const foreign = all.find((photo) => photo.userId === 2)
  const ids = [first?.id, foreign?.id, third?.id, 4_000_000_000]
  expect(titles((await list(`/api/photos?ids=${ids}`)).photos)).toEqual([2, 0])
})

test.each([
  'limit=0',
  'limit=501',
  'limit=x',
  'cursor=%21&limit=5',
  'sort=random',
  'folder=x',
  'folder=0',
  'ids=',
  'ids=1,x',
  'ids=0',
])('the query %s is rejected', async (query) => {
  const response = await media.call(`/api/photos?${query}`, me)
  expect(response.status).toBe(400)
  expect(await response.json()).toMatchObject({ message: expect.any(String) })
})

test('lists a folder for its owner, with the same pages', async () => {
  folders.set(10, 1, false)
  await manyPhotos(1, 5, 10)
  await manyPhotos(1, 3)
  const page = await list('/api/folders/10/photos?limit=2')
  expect([titles(page.photos), page.total]).toEqual([[4, 3], '5'])
  expect(page.next).toContain('/api/folders/10/photos?')
  expect((await list('/api/folders/10/photos', admin)).photos).toHaveLength(5)
  expect((await list('/api/folders/10/photos', user(2))).status).toBe(404)
  expect((await list('/api/folders/404/photos')).status).toBe(404)
  expect((await list('/api/photos', {})).status).toBe(401)
})

test("applies a folder's flip to its photos without changing any of them", async () => {
  folders.set(11, 1, false)
  const photo = await media.upload(1, { folderId: '11' })
  expect(photo.isPublic).toBe(false)
  folders.set(11, 1, true, 2)
  await folders.announce(11)
  expect((await list('/api/photos')).photos[0]).toMatchObject({ id: photo.id, isPublic: true })
  expect((await media.photo(photo.id)).revision).toBe(1)
})

test('ignores an event that is older than the projection', async () => {
  folders.set(12, 1, true, 7)
  await folders.announce(12)
  folders.set(12, 1, false, 6)
  await folders.announce(12)
  folders.set(13, 1, true, 1)
  await folders.announce(13)
  expect(await media.db.folder.findUnique({ where: { id: 12 } })).toMatchObject({ isPublic: true, revision: 7 })
})

test('moves a photo between own folders and out of them, with an event for each change', async () => {
  folders.set(20, 1, true, 4)
  folders.set(21, 1, false)
  const { id } = await media.upload(1, { isPublic: 'true' })
  const move = (folderId: number | null) =>
    media.json<PhotoResponse>(`/api/photos/${id}/folder`, me, 'PATCH', { folderId })
  expect(await move(21)).toMatchObject({ folderId: 21, isPublic: false })
  expect(await move(20)).toMatchObject({ folderId: 20, isPublic: true })
  expect(await move(20)).toMatchObject({ folderId: 20, isPublic: true })
  expect(await move(null)).toMatchObject({ folderId: null, isPublic: true })
  expect(await move(21)).toMatchObject({ folderId: 21, isPublic: false })
  expect(await move(null)).toMatchObject({ folderId: null, isPublic: false })
  // Private only by its folder, which does not apply in the next one.
  expect(await move(20)).toMatchObject({ folderId: 20, isPublic: true })
  expect((await media.photo(id)).revision).toBe(7)
})

test('keeps a private photo private in a folder that flipped a moment ago', async () => {
  folders.set(22, 1, false, 1)
  await folders.announce(22)
  folders.set(22, 1, true, 2)
  const { id } = await media.upload(1, { isPublic: 'false' })
  await media.json(`/api/photos/${id}/folder`, me, 'PATCH', { folderId: 22 })
  expect(await media.photo(id)).toMatchObject({ ownIsPublic: false, ownVisibilityRevision: 2 })
})

test("treats another user's photo and folder as missing", async () => {
  folders.set(23, 2, true)
  const mine = await media.upload(1)
  const theirs = await media.upload(2)
  const patch = async (id: number, body: unknown) =>
    (
      await media.call(`/api/photos/${id}/folder`, me, {
        method: 'PATCH',
        body: JSON.stringify(body),
        headers: { 'content-type': 'application/json' },
      })
    ).status
  expect(await patch(mine.id, { folderId: 23 })).toBe(404)
  expect(await patch(theirs.id, { folderId: null })).toBe(404)
  expect(await patch(999_999, { folderId: null })).toBe(404)
  expect(await patch(mine.id, { folderId: 'x' })).toBe(400)
  expect(await patch(mine.id, {})).toBe(400)
  expect((await media.call(`/api/photos/${theirs.id}`, me, { method: 'DELETE' })).status).toBe(404)
  expect(await media.photo(theirs.id)).toMatchObject({ userId: 2 })
})

test('all reads of a gallery count together: a user leaves connections of the pool to others', async () => {
  const paths = [
    '/api/photos?limit=1',
    '/api/photos/months',
    '/api/photos/places',
    '/api/photos/cameras',
    '/api/photos/map/0/0/0',
    '/api/flights',
  ]
  const [running, waiting, tooMany] = [3, 200, 5]
  const locker = await media.pool.connect()
  const answers: Promise<number>[] = []
  try {
    // No read ends before that.
    await locker.query(
      'BEGIN; LOCK TABLE photos, photo_places, photo_cameras, photo_sums, user_usage, flights, flight_changes',
    )
    const rejected = Promise.withResolvers<void>()
    let rejections = 0
    for (let index = 0; index < running + waiting + tooMany; index += 1) {
      const answer = media.call(paths[index % paths.length] ?? '', me).then(({ status }) => {
        rejections += status === 429 ? 1 : 0
        if (rejections === tooMany) rejected.resolve()
        return status
      })
      answers.push(answer)
    }
    await rejected.promise
  } finally {
    await locker.query('ROLLBACK')
    locker.release()
  }
  const statuses = await Promise.all(answers)
  expect(statuses.filter((status) => status === 200)).toHaveLength(running + waiting)
  expect(statuses.filter((status) => status === 429)).toHaveLength(tooMany)
})

test('deletes a photo at once with its event, and schedules the removal of its objects', async () => {
  const photo = await media.upload(1)
  const response = await media.call(`/api/photos/${photo.id}`, me, { method: 'DELETE' })
  expect(response.status).toBe(204)
  expect((await media.call(photo.url, me)).status).toBe(404)
  expect(await media.db.objectRemoval.findMany({ select: { key: true } })).toContainEqual({
    key: originalKey(photo.filename),
  })
  const deleted = await media.db.outbox.findMany({ where: { subject: 'media.photo.deleted' } })
  expect(deleted.length).toBeGreaterThan(0)
  expect((await media.call(`/api/photos/${photo.id}`, me, { method: 'DELETE' })).status).toBe(404)
})

test("lets an administrator delete a user's photo", async () => {
  const photo = await media.upload(1)
  expect((await media.call(`/api/photos/${photo.id}`, admin, { method: 'DELETE' })).status).toBe(204)
})

test('keeps the photos of a deleted folder, without a folder and with their last visibility', async () => {
  folders.set(30, 1, true, 1)
  await folders.announce(30)
  await manyPhotos(1, 450, 30)
  const chosen = await media.upload(1, { isPublic: 'false' })
  await media.json(`/api/photos/${chosen.id}/folder`, me, 'PATCH', { folderId: 30 })
  const before = await media.db.outbox.count({ where: PHOTO_EVENTS })
  await folders.announceDeleted(30, 1)

  const { photos } = await list('/api/photos')
  expect(new Set(photos.map((photo) => photo.folderId))).toEqual(new Set([null]))
  await waitFor(async () => (await media.db.photo.count({ where: { folderId: 30 } })) === 0, { what: 'all have left' })
  expect(await media.db.photo.count({ where: { ownIsPublic: true, revision: 2 } })).toBe(450)
  expect(await media.photo(chosen.id)).toMatchObject({ ownIsPublic: false, privateByChoice: true, revision: 3 })
  expect((await media.db.outbox.count({ where: PHOTO_EVENTS })) - before).toBeGreaterThanOrEqual(451)
  expect((await list('/api/folders/30/photos')).status).toBe(404)
  const response = await media.send('/api/upload-photo', me, [
    ['folderId', '30'],
    ['photo', { name: 'a.jpg', bytes: await jpeg() }],
  ])
  expect(response.status).toBe(404)
})

test('keeps a folder deleted when its creation event arrives after its deletion', async () => {
  await folders.announceDeleted(31, 1, 9)
  folders.set(31, 1, true, 8)
  await folders.announce(31)
  expect(await media.db.folder.findUnique({ where: { id: 31 } })).toMatchObject({ deleted: true, revision: 9 })
})
