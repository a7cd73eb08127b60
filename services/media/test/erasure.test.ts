import { mkdir, rm } from 'node:fs/promises'
import { request } from 'node:http'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { fromBinary } from '@bufbuild/protobuf'
import { emit } from '@skyfolio/kit'
import { ErasureChangedSchema, events, PhotoDeletedSchema } from '@skyfolio/proto'
import { dronePhoto, identityHeaders, waitFor } from '@skyfolio/testkit'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { newId, objectKeysOf, originalKey } from '../src/files/object-keys.ts'
import { redAndBlue } from './print-support.ts'
import { open } from './session-support.ts'
import { jpeg, startTestMedia, type TestMedia, user } from './support.ts'

let media: TestMedia
let folders: ReturnType<TestMedia['folders']>
beforeAll(async () => {
  media = await startTestMedia()
  folders = media.folders()
  media.startWorker()
})
afterAll(() => media.close())

const TABLES = [
  ...[
    'photos',
    'photo_sums',
    'photo_places',
    'photo_cameras',
    'photo_hours',
    'photo_taken_days',
    'flight_changes',
    'flight_photos',
    'flights',
    'photo_cells',
    'user_usage',
    'failed_uploads',
    'print_images',
    'exports',
  ],
  'upload_sessions',
]

/** Publishes that auth deletes the user, and that print-orders has nothing of them. */
async function deleteUser(userId: number): Promise<void> {
  await emit(media.db, events.userDeleted, { userId })
  await emit(media.db, events.ordersErasureChanged, { userId, complete: true, revision: 1 })
  await waitFor(() => media.db.deletedUser.findUnique({ where: { userId } }), { what: 'the tombstone' })
}

const erasure = (userId: number) => media.db.erasure.findUnique({ where: { userId } })
const complete = (userId: number) =>
  waitFor(async () => (await erasure(userId))?.erasedAt, { what: `user ${userId} is erased`, timeoutMs: 60_000 })
const waits = (userId: number, sentence: string) =>
  waitFor(async () => (await erasure(userId))?.waitsFor === sentence, { what: sentence })

async function rowsOf(userId: number): Promise<Record<string, number>> {
  const counts: Record<string, number> = {}
  for (const table of TABLES) {
    const { rowCount } = await media.pool.query(`SELECT FROM ${table} WHERE user_id = $1`, [userId])
    if (rowCount) counts[table] = rowCount
  }
  return counts
}

async function published<T>(subject: string, decode: (bytes: Uint8Array) => T): Promise<T[]> {
  const { rows } = await media.pool.query<{ payload: Uint8Array }>(
    'SELECT payload FROM outbox WHERE subject = $1 ORDER BY seq',
    [subject],
  )
  return rows.map(({ payload }) => decode(payload))
}

/** Starts the upload of a file whose second half is sent by `finish`, which returns the status. */
async function beginUpload(userId: number, field: string, path: string) {
  const bytes = await jpeg(2000, 2000)
  const half = bytes.length >> 1
  const sending = request(media.origin + path, {
    method: 'POST',
    headers: { ...identityHeaders(user(userId)), 'content-type': 'multipart/form-data; boundary=b' },
  })
  const answered = new Promise<number>((resolve, reject) => {
    sending.on('error', reject)
    sending.on('response', (response) => {
      response.resume()
      resolve(response.statusCode ?? 0)
    })
  })
  sending.write(`--b\r\nContent-Disposition: form-data; name="${field}"; filename="a.jpg"\r\n\r\n`)
  sending.write(bytes.subarray(0, half))
  const storing = async () => {
    for await (const _ of media.store.incomplete()) return true
    return false
  }
  await waitFor(storing, { what: 'the file is being stored' })
  return {
    finish: () => {
      sending.end(Buffer.concat([bytes.subarray(half), Buffer.from('\r\n--b--\r\n')]))
      return answered
    },
  }
}

test('leaves nothing of a deleted user but tombstones, and everything of the others', async () => {
  const before = await media.keys()
  folders.set(10, 1, true)
  await folders.announce(10)
  const located = await dronePhoto({ latitude: 40.7, longitude: -74 })
  const mine = [await media.upload(1, { folderId: '10' }, located), await media.upload(1)]
  const screen = await media.upload(1, { metadata: 'true' })
  const other = await media.upload(2, {}, located)
  for (const { id } of [...mine, screen, other]) await media.processed(id)
  // Renditions of the same picture may be one object for photos of several users.
  const { thumbnail } = await media.photo(other.id)
  await media.store.remove(`renditions/${(await media.photo(mine[0]?.id ?? 0)).thumbnail}`)
  await media.db.photo.update({ where: { id: mine[0]?.id ?? 0 }, data: { thumbnail } })
  await media.db.failedUpload.create({ data: { userId: 1, photoId: mine[1]?.id ?? 0 } })
  const exportId = newId()
  const key = `exports/${exportId}/0`
  await media.store.put(key, Readable.from([Buffer.from('{}')]), { contentType: 'application/json' })
  await media.pool.query("INSERT INTO exports (id, user_id, expires_at) VALUES ($1, 1, now() + interval '7 days')", [
    exportId,
  ])
  await open(media, user(1), await jpeg())
  // Whether it was published yet is beside the point.
  const usageOf = () => media.db.userUsage.findUnique({ where: { userId: 2 }, omit: { publishedRevision: true } })
  const usage = await usageOf()

  await deleteUser(1)
  await complete(1)
  expect(await rowsOf(1)).toEqual({})
  expect(await media.db.folder.findUnique({ where: { id: 10 } })).toMatchObject({ deleted: true, isPublic: false })
  expect(await media.db.user.findUnique({ where: { id: 1 } })).toMatchObject({ deleted: true, quota: null })
  const kept = await media.photo(other.id)
  expect(kept.small).not.toBeNull()
  expect((await media.keys()).filter((one) => !before.includes(one))).toEqual(objectKeysOf(kept).sort())
  const deletions = await published(events.photoDeleted.subject, (bytes) => fromBinary(PhotoDeletedSchema, bytes))
  expect(deletions.map(({ photoId }) => photoId)).toEqual(mine.map(({ id }) => id).sort((a, b) => a - b))
  const said = await published(events.mediaErasureChanged.subject, (bytes) => fromBinary(ErasureChangedSchema, bytes))
  expect(said.at(-1)).toMatchObject({ userId: 1, complete: true, waitsFor: '' })
  expect(await usageOf()).toEqual(usage)

  // A late event of a folder that media did not know.
  await emit(media.db, events.folderChanged, {
    folder: { id: 11, userId: 1, name: 'Late', isPublic: true, visibilityRevision: 1 },
    revision: 1,
  })
  await waitFor(() => media.db.folder.findFirst({ where: { id: 11, deleted: true } }), { what: 'a tombstone' })
})

test.each([
  ['of the gallery', 'photo', '/api/upload-photo'],
  ['for prints', 'image', '/api/walgreens/upload-image'],
])('an upload %s that is in progress is rejected at its end and leaves no file', async (purpose, field, path) => {
  const userId = purpose === 'for prints' ? 5 : 6
  const before = new Set(await media.keys())
  const upload = await beginUpload(userId, field, path)
  await deleteUser(userId)
  await complete(userId)
  expect(await upload.finish()).toBe(404)
  await waitFor(async () => (await media.keys()).every((key) => before.has(key)), { what: 'the file is removed' })
  expect(await rowsOf(userId)).toEqual({})
})

test('an upload to the metadata screen is rejected too', async () => {
  await deleteUser(7)
  const sent = await media.send('/api/upload-photo', user(7), [
    ['metadata', 'true'],
    ['photo', { name: 'a.jpg', bytes: await jpeg() }],
  ])
  expect(sent.status).toBe(404)
  expect(await rowsOf(7)).toEqual({})
})

test('the processing of a photo that is deleted with its user writes nothing and leaves no rendition', async () => {
  const before = new Set(await media.keys())
  const { id } = await media.upload(8, {}, await redAndBlue(8000, 6000))
  await waitFor(() => media.db.photo.findFirst({ where: { id, starts: 1 } }), {
    what: 'the processing has begun',
  })
  const [last] = await media.pool
    .query<{ seq: string }>('SELECT coalesce(max(seq), 0) AS seq FROM outbox')
    .then(({ rows }) => rows)
  await deleteUser(8)
  await complete(8)
  expect((await media.keys()).filter((key) => !before.has(key))).toEqual([])
  expect(await rowsOf(8)).toEqual({})
  const { rows } = await media.pool.query('SELECT subject FROM outbox WHERE seq > $1 AND subject = $2', [
    last?.seq,
    events.photoChanged.subject,
  ])
  expect(rows).toEqual([])
})

test('changes of photos while they are erased bring none back', async () => {
  const ids: number[] = []
  for (let count = 0; count < 30; count += 1) ids.push((await media.upload(9)).id)
  const change = (body: object) =>
    media.call('/api/photos/bulk', user(9), {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ ids, ...body }),
    })
  let isErasing = true
  const changing = (async () => {
    for (let isPublic = true; isErasing; isPublic = !isPublic) await change({ action: 'privacy', isPublic })
  })()
  await deleteUser(9)
  await complete(9)
  isErasing = false
  await changing
  expect(await rowsOf(9)).toEqual({})
})

test('is not complete before the objects are removed', async () => {
  const { id } = await media.upload(12)
  const { filename } = await media.processed(id)
  // What is no file cannot be removed, as in an outage.
  const path = join(media.env.OBJECT_STORE_DIR ?? '', 'objects', originalKey(filename))
  await rm(path)
  await mkdir(join(path, 'stuck'), { recursive: true })
  await deleteUser(12)
  await waits(12, 'Files are still to be removed from the object store.')
  expect((await erasure(12))?.erasedAt).toBeNull()
  await rm(path, { recursive: true })
  await media.pool.query('UPDATE object_removals SET not_before = now()')
  await complete(12)
  expect(await media.db.objectRemoval.count({ where: { userId: 12 } })).toBe(0)
})

test('a repeated deletion erases what a restored database has again', async () => {
  await deleteUser(13)
  await complete(13)
  await media.pool.query('DELETE FROM deleted_users WHERE user_id = 13')
  await media.processed((await media.upload(13)).id)
  await deleteUser(13)
  await complete(13)
  expect(await rowsOf(13)).toEqual({})
})
