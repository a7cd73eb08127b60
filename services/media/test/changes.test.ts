import { waitFor } from '@skyfolio/testkit'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { objectKeysOf } from '../src/files/object-keys.ts'
import type { BulkResult } from '../src/gallery/bulk-change.ts'
import type { PhotoResponse } from '../src/photos/photo-response.ts'
import { admin, PHOTO_EVENTS, startTestMedia, type TestMedia, user, visitor } from './support.ts'

let media: TestMedia
let folders: ReturnType<TestMedia['folders']>
beforeAll(async () => {
  media = await startTestMedia()
  folders = media.folders()
})
afterAll(() => media.close())

const me = user(1)
const setPrivacy = (id: number, isPublic: boolean) =>
  media.json<PhotoResponse>(`/api/photos/${id}/privacy`, me, 'PATCH', { isPublic })
const bulk = (body: object, who = me) => media.json<BulkResult>('/api/photos/bulk', who, 'POST', body)
const lastEvent = () => media.db.outbox.findFirstOrThrow({ where: PHOTO_EVENTS, orderBy: { seq: 'desc' } })
async function uploads(count: number, fields = {}): Promise<number[]> {
  const ids: number[] = []
  for (let index = 0; index < count; index++) ids.push((await media.upload(1, fields)).id)
  return ids
}

test('makes a photo of a public folder private and public again, with an event for each change', async () => {
  folders.set(10, 1, true, 3)
  const photo = await media.upload(1, { folderId: '10' })
  const seen = async () => (await media.call(photo.url, visitor)).status
  expect(await setPrivacy(photo.id, false)).toMatchObject({ isPublic: false, folderId: 10 })
  expect(await seen()).toBe(404)
  expect(await media.photo(photo.id)).toMatchObject({ revision: 2, privateByChoice: true, ownVisibilityRevision: 3 })
  expect(await lastEvent()).toMatchObject({ subject: 'media.photo.changed' })
  expect(await setPrivacy(photo.id, true)).toMatchObject({ isPublic: true })
  expect(await seen()).toBe(200)
  expect(await media.photo(photo.id)).toMatchObject({ revision: 3, privateByChoice: false })
})

test('undoes a move of many photos: each is where it was, shown as before, and follows its folder as before', async () => {
  folders.set(30, 1, false, 1)
  folders.set(31, 1, true, 1)
  folders.set(32, 1, true, 4)
  const [inPrivate = 0, alone = 0, hidden = 0, shown = 0] = [
    (await media.upload(1, { folderId: '30' })).id,
    (await media.upload(1, { folderId: '30' })).id,
    (await media.upload(1, { folderId: '31' })).id,
    (await media.upload(1, { folderId: '30' })).id,
  ]
  await bulk({ ids: [alone], action: 'move', folderId: null })
  await setPrivacy(hidden, false)
  await setPrivacy(shown, true)
  const ids = [inPrivate, alone, hidden, shown]
  const places = async () =>
    (await media.json<PhotoResponse[]>(`/api/photos?ids=${ids}&sort=oldest`, me)).map(({ id, folderId, isPublic }) => ({
      id,
      folderId,
      isPublic,
    }))
  const before = await places()

  const moved = await bulk({ ids, action: 'move', folderId: 32 })
  expect((await places()).map(({ isPublic }) => isPublic)).toEqual([true, true, false, true])
  expect(moved.before?.map((group) => group.ids)).toHaveLength(4)
  for (const group of moved.before ?? []) {
    expect(await bulk({ action: 'restore', ...group })).toMatchObject({ done: group.ids, failed: [] })
  }
  expect(await places()).toEqual(before)
  expect(await media.photo(inPrivate)).toMatchObject({ ownIsPublic: null, privateByChoice: false })
  expect(await media.photo(hidden)).toMatchObject({ privateByChoice: true })
  // A photo without a folder was private, but not by choice: another move shows it again.
  await bulk({ ids: [alone], action: 'move', folderId: 32 })
  expect(await places()).toContainEqual({ id: alone, folderId: 32, isPublic: true })
})

test('undoes a change of the visibility of many photos, and names what it restores only for photos that were changed', async () => {
  folders.set(33, 1, true, 1)
  const [first = 0, second = 0] = await uploads(2, { folderId: '33' })
  await setPrivacy(second, false)
  const ids = [first, second]
  const hidden = await bulk({ ids: [...ids, 4_000_000_0], action: 'privacy', isPublic: false })
  expect(hidden.before).toEqual([
    { folderId: 33, isPublic: true, privateByChoice: false, paired: false, ids: [first] },
    { folderId: 33, isPublic: false, privateByChoice: true, paired: false, ids: [second] },
  ])
  for (const group of hidden.before ?? []) await bulk({ action: 'restore', ...group })
  expect(await media.photo(first)).toMatchObject({ ownIsPublic: null, privateByChoice: false })
  expect(await media.photo(second)).toMatchObject({ ownIsPublic: false, privateByChoice: true })
})

test('restores nothing into a folder of somebody else, or one that is gone', async () => {
  folders.set(34, 2, true, 1)
  const [id = 0] = await uploads(1)
  const place = { isPublic: true, privateByChoice: false }
  for (const folderId of [34, 35]) {
    const body = JSON.stringify({ ids: [id], action: 'restore', folderId, ...place })
    const headers = { 'content-type': 'application/json' }
    expect((await media.call('/api/photos/bulk', me, { method: 'POST', body, headers })).status).toBe(404)
  }
  expect((await media.photo(id)).folderId).toBeNull()
})

test('changes nothing when a privacy change is repeated', async () => {
  const photo = await media.upload(1, { isPublic: 'false' })
  await setPrivacy(photo.id, true)
  const events = await media.db.outbox.count({ where: PHOTO_EVENTS })
  await setPrivacy(photo.id, true)
  expect(await media.photo(photo.id)).toMatchObject({ revision: 2, ownIsPublic: true })
  expect(await media.db.outbox.count({ where: PHOTO_EVENTS })).toBe(events)
})

test('keeps a private photo private in another folder, until the folder flips', async () => {
  folders.set(11, 1, false, 1)
  folders.set(12, 1, true, 5)
  const { id } = await media.upload(1, { folderId: '11' })
  await setPrivacy(id, false)
  const moved = await media.json<PhotoResponse>(`/api/photos/${id}/folder`, me, 'PATCH', { folderId: 12 })
  expect(moved.isPublic).toBe(false)
  folders.set(12, 1, true, 6)
  await folders.announce(12)
  const [listed] = await media.json<PhotoResponse[]>(`/api/photos?ids=${id}`, me)
  expect(listed?.isPublic).toBe(true)
})

test('applies a privacy change right after a flip, however old the projection is', async () => {
  folders.set(13, 1, false, 1)
  const photo = await media.upload(1, { folderId: '13' })
  // The response is cached for a moment, and the event of the flip has not arrived.
  expect((await media.call(photo.url, visitor)).status).toBe(404)
  folders.set(13, 1, true, 2)
  expect(await setPrivacy(photo.id, false)).toMatchObject({ isPublic: false })
  expect(await media.photo(photo.id)).toMatchObject({ ownVisibilityRevision: 2 })
  await folders.announce(13)
  const [listed] = await media.json<PhotoResponse[]>(`/api/photos?ids=${photo.id}`, me)
  expect(listed?.isPublic).toBe(false)
})

test('moves, publishes and deletes many photos in one request, and names those that fail', async () => {
  folders.set(20, 1, false)
  const ids = await uploads(3)
  const foreign = await media.upload(2)
  const failed = [
    { id: foreign.id, message: 'Photo not found' },
    { id: 999_999, message: 'Photo not found' },
  ]
  const asked = [...ids, foreign.id, 999_999, ids[0]]
  expect(await bulk({ ids: asked, action: 'move', folderId: 20 })).toMatchObject({ done: ids, failed })
  expect(await media.db.photo.count({ where: { folderId: 20, id: { in: ids } } })).toBe(3)
  expect(await bulk({ ids: asked, action: 'privacy', isPublic: true })).toMatchObject({ done: ids, failed })
  expect(await media.db.photo.count({ where: { ownIsPublic: true, revision: 3, id: { in: ids } } })).toBe(3)
  expect(await bulk({ ids: asked, action: 'move' })).toMatchObject({ done: ids, failed })
  expect(await media.db.photo.count({ where: { folderId: null, ownIsPublic: true, id: { in: ids } } })).toBe(3)

  const before = await media.db.outbox.count({ where: PHOTO_EVENTS })
  expect(await bulk({ ids: asked, action: 'delete' })).toEqual({ done: ids, photos: 3, failed })
  expect(await media.db.photo.count({ where: { id: { in: ids } } })).toBe(0)
  const events = await media.db.outbox.findMany({ where: PHOTO_EVENTS, orderBy: { seq: 'asc' }, skip: before })
  expect(events.map(({ subject }) => subject)).toEqual(ids.map(() => 'media.photo.deleted'))
  expect(await media.photo(foreign.id)).toMatchObject({ userId: 2, revision: 1 })
})

test('accepts a repeated bulk request', async () => {
  folders.set(21, 1, true)
  const ids = await uploads(2)
  const request = { ids, action: 'move', folderId: 21 }
  const responses = await Promise.all([bulk(request), bulk(request), bulk(request)])
  for (const { done, failed } of responses) expect({ done, failed }).toEqual({ done: ids, failed: [] })
  for (const id of ids) expect(await media.photo(id)).toMatchObject({ folderId: 21, revision: 2 })
})

test('changes 500 photos in one request and rejects 501', async () => {
  const rows = await media.db.photo.createManyAndReturn({
    data: Array.from({ length: 500 }, (_, index) => ({
      userId: 3,
      title: 'x',
      filename: `many-${index}.jpg`,
      originalName: 'x',
      filesize: 1,
      sha256: `${index}`,
    })),
  })
  const ids = rows.map(({ id }) => id)
  const response = await bulk({ ids, action: 'privacy', isPublic: true }, user(3))
  expect(response.done).toHaveLength(500)
  expect(await media.db.photo.count({ where: { userId: 3, ownIsPublic: true, revision: 2 } })).toBe(500)
  expect((await bulk({ ids, action: 'delete' }, admin)).done).toHaveLength(500)
  expect(await bulk({ ids: [...ids, 1], action: 'delete' })).toMatchObject({ code: 'invalid_fields' })
})

test.each<[string, object, number]>([
  ["another user's folder", { action: 'move', folderId: 22 }, 404],
  ['an unknown folder', { action: 'move', folderId: 404 }, 404],
  ['privacy without a flag', { action: 'privacy' }, 400],
  ['an unknown action', { action: 'print' }, 400],
  ['exceptions beside ids', { action: 'delete', except: [1] }, 400],
  ['a mistyped filter', { action: 'delete', ids: undefined, filter: { Q: 'sea' } }, 400],
  ['a mistyped field', { action: 'delete', ids: undefined, filter: {}, excpet: [1] }, 400],
])('changes nothing for a bulk request with %s', async (_what, body, status) => {
  folders.set(22, 2, true)
  const { id } = await media.upload(1)
  const response = await media.call('/api/photos/bulk', me, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ ids: [id], ...body }),
  })
  expect(response.status).toBe(status)
  expect(await media.photo(id)).toMatchObject({ revision: 1, folderId: null })
})

test('returns the status of own photos, without deleted and foreign ones', async () => {
  const [first = 0, gone = 0] = await uploads(2)
  const foreign = await media.upload(2)
  await media.db.photo.update({ where: { id: first }, data: { status: 'failed', statusMessage: 'It is damaged.' } })
  await media.json(`/api/photos/${gone}`, me, 'DELETE').catch(() => {})
  const ids = [gone, first, foreign.id]
  expect(await media.json('/api/photos/status', me, 'POST', { ids })).toEqual([
    { id: first, status: 'failed', statusMessage: 'It is damaged.' },
  ])
})

test('processes a photo again on request, keeps its renditions until then, and removes them afterwards', async () => {
  media.startWorker()
  const { id } = await media.upload(1)
  const before = await media.processed(id)
  await media.db.photo.update({ where: { id }, data: { status: 'failed', statusMessage: 'Bad luck.', starts: 9 } })

  const again = await media.json<PhotoResponse>(`/api/photos/${id}/reprocess`, me, 'POST')
  expect(again).toMatchObject({ id, status: 'processing', statusMessage: null, thumbnailUrl: expect.any(String) })
  const after = await media.processed(id)
  expect(after).toMatchObject({ status: 'ready', run: 1, starts: 1 })
  expect(after.thumbnail).not.toBe(before.thumbnail)
  await waitFor(async () => (await media.db.objectRemoval.count()) === 0, { what: 'the old renditions are removed' })
  const keys = await media.keys()
  const renditionsOf = (photo: typeof before) => objectKeysOf(photo).filter((key) => key.startsWith('renditions/'))
  for (const key of renditionsOf(before)) expect(keys).not.toContain(key)
  for (const key of renditionsOf(after)) expect(keys).toContain(key)
})

test('does not restart the processing of a photo that is processing', async () => {
  const jobs = await media.queues.photos.ready()
  await jobs.pause()
  const { id } = await media.upload(4)
  await media.startOn(id)
  expect(await media.json(`/api/photos/${id}/reprocess`, user(4), 'POST')).toMatchObject({ status: 'processing' })
  expect(await media.photo(id)).toMatchObject({ run: 0, starts: 1, revision: 1 })
  await jobs.resume()
})
