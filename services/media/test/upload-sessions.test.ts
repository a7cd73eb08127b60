import { hash, randomBytes } from 'node:crypto'
import { buffer } from 'node:stream/consumers'
import { createLogger } from '@skyfolio/kit'
import { waitFor } from '@skyfolio/testkit'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { originalKey } from '../src/files/object-keys.ts'
import { removeDueObjects } from '../src/files/object-removals.ts'
import { ask, complete, declare, open, store } from './session-support.ts'
import { jpeg, jpegOfSize, startTestMedia, type TestMedia, user } from './support.ts'

const MIB = 1024 * 1024
const UNKNOWN = '0'.repeat(32)

let media: TestMedia
beforeAll(async () => {
  media = await startTestMedia({
    env: { USER_QUOTA_MEGABYTES: '16' },
    api: { sessionLimits: { sessionsPerUser: 3, bytesPerUser: 20 * MIB } },
  })
})
afterAll(() => media.close())

const create = (userId: number, files: object[], fields: object = {}) =>
  ask(media, user(userId), 'POST', '', { files, ...fields })

/** Executes the scheduled removals. */
const removeUnused = () =>
  removeDueObjects({ db: media.db, store: media.store, logger: createLogger('sessions', 'silent') })

async function keyOf(id: string): Promise<string> {
  const { rows } = await media.pool.query('SELECT object_id FROM upload_sessions WHERE id = $1', [id])
  return originalKey(rows[0].object_id)
}

test('creates a session of each file, and finds it again with what is missing', async () => {
  const bytes = randomBytes(6 * MIB)
  const first = await create(1, [declare(bytes, 'dir/a\u202e.jpg')], { description: 'One' })
  expect(first.status).toBe(201)
  expect(first.body.quota).toEqual({ used: 6 * MIB, limit: 16 * MIB })
  const { session } = first.body.results[0]
  expect(session).toEqual({
    ...{ id: expect.stringMatching(/^[0-9a-f]{32}$/), name: 'a.jpg', sha256: hash('sha256', bytes) },
    ...{ size: 6 * MIB, partBytes: 5 * MIB, state: 'open', missing: [1, 2], uploads: null, uploadsExpireAt: null },
    ...{ createdAt: expect.any(String), expiresAt: expect.any(String), photoId: null, message: null },
  })
  expect(Date.parse(session.expiresAt) - Date.parse(session.createdAt)).toBe(168 * 3_600_000)

  await store(media, 1, session.id, bytes, [2])
  // Another browser may choose parts of another size: the session keeps those that it has.
  const resumed = { ...session, name: 'b.jpg', missing: [1] }
  for (const partBytes of [5 * MIB, 8 * MIB]) {
    const again = await create(1, [declare(bytes, 'b.jpg', partBytes)], { description: 'Two' })
    expect([again.status, again.body.results]).toEqual([200, [{ state: 'open', session: resumed }]])
  }
  expect((await ask(media, user(1), 'GET', `/${session.id}`)).body).toEqual(resumed)
  expect((await ask(media, user(1), 'GET')).body).toEqual({ sessions: [{ ...resumed, missing: null }] })
  expect((await media.pool.query('SELECT description FROM upload_sessions')).rows).toEqual([{ description: 'Two' }])
  expect(await media.json('/api/photos/storage', user(1))).toMatchObject({ used: 0, uploading: 6 * MIB })
})

test('a file whose parts changed gets a new session, and the parts of the former one go', async () => {
  const bytes = randomBytes(6 * MIB)
  const first = await open(media, user(2), bytes)
  await store(media, 2, first.id, bytes, [1])
  const changed = { ...declare(bytes), parts: [hash('sha256', 'a'), hash('sha256', 'b')] }
  const { status, body } = await create(2, [changed])
  expect([status, body.results[0].session.missing]).toEqual([201, [1, 2]])
  expect((await ask(media, user(2), 'GET', `/${first.id}`)).status).toBe(404)
  expect(body.quota.used).toBe(6 * MIB)
})

test('equal files of a request share a session, and parallel requests create one', async () => {
  const file = declare(randomBytes(100))
  const responses = await Promise.all([create(3, [file, file]), create(3, [file]), create(3, [file])])
  const ids = responses.flatMap(({ body }) =>
    body.results.map(({ session }: { session: { id: string } }) => session.id),
  )
  expect(new Set(ids).size).toBe(1)
  expect(responses.map(({ status }) => status).sort()).toEqual([200, 200, 201])
})

test('files of a request with one SHA-256 and two sizes are rejected', async () => {
  const file = declare(randomBytes(100))
  const response = await create(13, [file, { ...file, size: 99 }])
  expect([response.status, Object.keys(response.body.fields)]).toEqual([400, ['files.1.sha256']])
})

test('names the known photo of a file, but not while its SHA-256 is a claim', async () => {
  const bytes = await jpeg()
  const { id } = await media.upload(4, {}, bytes)
  expect((await create(4, [declare(bytes)])).body.results).toEqual([{ state: 'known', photoId: id }])
  await media.db.photo.update({ where: { id }, data: { sha256Verified: false } })
  expect((await create(4, [declare(bytes)])).body.results).toMatchObject([{ state: 'open' }])
})

test('rejects single files: empty, too large, over the quota, too many', async () => {
  const files = [
    declare(Buffer.alloc(0), 'empty.jpg'),
    { ...declare(randomBytes(10), 'huge.dng'), size: 151 * MIB },
    { ...declare(randomBytes(10), 'gross.JPG'), size: 26 * MIB, parts: new Array(6).fill(hash('sha256', 'a')) },
    { ...declare(randomBytes(10), 'big.jpg'), size: 17 * MIB, parts: new Array(4).fill(hash('sha256', 'a')) },
    ...['a', 'b', 'c', 'd'].map((name) => declare(randomBytes(10), name)),
  ]
  const { status, body } = await create(5, files)
  expect(status).toBe(201)
  expect(body.results.slice(0, 4)).toEqual([
    { state: 'rejected', issue: '"empty.jpg" is empty.' },
    { state: 'rejected', issue: '"huge.dng" is larger than 150 MB.', code: 'too_large' },
    { state: 'rejected', issue: '"gross.JPG" is larger than 25 MB.', code: 'too_large' },
    {
      ...{ state: 'rejected', code: 'quota_exceeded' },
      issue: '"big.jpg" does not fit into your storage: 16.00 MB of 16.00 MB left. Delete photos to upload more.',
    },
  ])
  expect(body.results.slice(4)).toMatchObject([
    ...[{ state: 'open' }, { state: 'open' }, { state: 'open' }],
    {
      ...{ state: 'rejected', code: 'too_many_uploads' },
      issue: '"d" has to wait. Other uploads of yours are not finished. Please finish or discard them first.',
    },
  ])
})

test('bytes of open sessions are reserved until they end', async () => {
  const first = await open(media, user(6), randomBytes(9 * MIB))
  const second = declare(randomBytes(9 * MIB))
  expect((await create(6, [second])).body).toMatchObject({
    results: [{ state: 'rejected', code: 'quota_exceeded' }],
    quota: { used: 9 * MIB },
  })
  expect((await ask(media, user(6), 'DELETE', `/${first.id}`)).status).toBe(204)
  expect((await create(6, [second])).body.results).toMatchObject([{ state: 'open' }])
})

test('rejects requests that are not valid', async () => {
  const file = declare(randomBytes(6 * MIB))
  const invalid = async (files: object[], fields: object = {}) => {
    const { status, body } = await create(7, files, fields)
    return [status, body.fields ?? body.code]
  }
  const partSize = 'Parts have 5 to 32 MiB; only the last one may be shorter.'
  expect(await invalid([{ ...file, partBytes: 4 * MIB }])).toEqual([400, { 'files.0.partBytes': partSize }])
  expect(await invalid([{ ...file, partBytes: 33 * MIB }])).toEqual([400, { 'files.0.partBytes': partSize }])
  expect(await invalid([{ ...file, parts: file.parts.slice(1) }])).toEqual([
    ...[400, { 'files.0.parts': 'Each part of the file needs its SHA-256.' }],
  ])
  expect(await invalid([{ ...file, sha256: 'x' }])).toEqual([400, { 'files.0.sha256': 'This value is not valid.' }])
  expect(await invalid([file], { description: 'x'.repeat(5001) })).toMatchObject([400, { description: /5000/ }])
  expect(await invalid(new Array(21).fill(file))).toMatchObject([400, {}])
  expect((await create(7, [file], { folderId: 77 })).status).toBe(503)
})

test('a session is its own user’s only', async () => {
  const bytes = randomBytes(100)
  const { id } = await open(media, user(8), bytes)
  const stranger = (method: string, path: string, body?: object) => ask(media, user(9), method, path, body)
  expect((await stranger('GET', `/${id}`)).status).toBe(404)
  expect((await stranger('POST', `/${id}/urls`, { parts: [1] })).status).toBe(404)
  expect((await stranger('POST', `/${id}/complete`, {})).status).toBe(404)
  expect((await stranger('DELETE', `/${id}`)).status).toBe(204)
  expect((await stranger('DELETE', `/${UNKNOWN}`)).status).toBe(204)
  expect((await stranger('GET', '')).body).toEqual({ sessions: [] })
  expect((await ask(media, user(8), 'GET', `/${id}`)).body.missing).toEqual([1])
  const { status, body } = await ask(media, user(8), 'POST', `/${id}/urls`, { parts: [1] })
  expect([status, body.code]).toEqual([404, 'not_direct'])
})

test('completes a session with the response of an upload, once and again', async () => {
  const bytes = await jpeg()
  const before = await media.upload(10)
  const { id } = await open(media, user(10), bytes, { description: 'A hill', isPublic: false })
  const early = await complete(media, user(10), id)
  expect([early.status, early.body.code, early.body.missing]).toEqual([409, 'parts_missing', [1]])
  await store(media, 10, id, bytes)
  const response = await complete(media, user(10), id)
  expect([response.status, Object.keys(response.body)]).toEqual([201, Object.keys(before)])
  const { id: photoId, filename } = response.body
  expect(response.body).toMatchObject({
    title: 'photo',
    description: 'A hill',
    isPublic: false,
    filesize: bytes.length,
  })
  expect(await media.photo(photoId)).toMatchObject({
    sha256: hash('sha256', bytes),
    sha256Verified: false,
    crc32: null,
  })
  const stored = await media.store.get(originalKey(filename))
  expect(stored && (await buffer(stored.body))).toEqual(bytes)

  expect(await complete(media, user(10), id)).toMatchObject({ status: 201, body: response.body })
  expect((await create(10, [declare(bytes)])).body.results).toMatchObject([
    { state: 'completed', session: { id, state: 'completed', photoId, missing: [] } },
  ])
  expect((await ask(media, user(10), 'DELETE', `/${id}`)).status).toBe(204)
  expect((await ask(media, user(10), 'GET', '')).body).toEqual({ sessions: [] })
  expect(await media.json('/api/photos/storage', user(10))).toMatchObject({ uploading: 0 })
  await media.call(`/api/photos/${photoId}`, user(10), { method: 'DELETE' })
  const gone = await complete(media, user(10), id)
  expect([gone.status, gone.body.code, gone.body.state]).toEqual([409, 'upload_closed', 'completed'])
})

test('photos keep the order of their selection, whichever is completed first', async () => {
  const sizes = [3001, 3002, 3003]
  const images = await Promise.all(sizes.map(jpegOfSize))
  const names = sizes.map((size) => `${size}.jpg`)
  const { body } = await create(
    20,
    images.map((bytes, index) => declare(bytes, names[index])),
  )
  const ids: string[] = body.results.map(({ session }: { session: { id: string } }) => session.id)
  for (const index of [2, 0]) {
    await store(media, 20, ids[index] ?? '', images[index] ?? Buffer.alloc(0))
    expect((await complete(media, user(20), ids[index] ?? '')).status).toBe(201)
  }
  const titles = async () => (await media.json<{ title: string }[]>('/api/photos', user(20))).map(({ title }) => title)
  expect(await titles()).toEqual(['3003', '3001'])

  // What is declared again within the hour keeps its place.
  await create(20, [declare(images[1] ?? Buffer.alloc(0), names[1])])
  await store(media, 20, ids[1] ?? '', images[1] ?? Buffer.alloc(0))
  expect((await complete(media, user(20), ids[1] ?? '')).status).toBe(201)
  expect(await titles()).toEqual(['3003', '3002', '3001'])
})

test('a file is as old as its client says, but neither of the future nor more than an hour', async () => {
  const bytes = await Promise.all([3011, 3012, 3013].map(jpegOfSize))
  const before = Date.now()
  const inMinutes = (minutes: number) => new Date(before + minutes * 60_000).toISOString()
  const files = [inMinutes(-10), inMinutes(10), '1999-12-31T23:59:60Z'].map((selectedAt, index) => {
    return { ...declare(bytes[index] ?? Buffer.alloc(0)), selectedAt }
  })
  const { body } = await create(22, files)
  const ages = body.results.map(({ session }: { session: { createdAt: string } }) => {
    return before - Date.parse(session.createdAt)
  })
  expect(ages[0]).toBe(600_000)
  expect(ages[1]).toBeLessThanOrEqual(0)
  expect(ages[1]).toBeGreaterThan(-60_000)
  expect(ages[2]).toBeLessThanOrEqual(3_600_000)
  expect(ages[2]).toBeGreaterThan(3_540_000)
  expect((await create(22, [{ ...files[0], selectedAt: 'yesterday' }])).status).toBe(400)
})

test('an upload that is completed a day after it was begun is no older than an hour', async () => {
  const bytes = await jpegOfSize(3005)
  const { id } = await open(media, user(23), bytes)
  await media.pool.query("UPDATE upload_sessions SET created_at = now() - interval '1 day' WHERE id = $1", [id])
  await store(media, 23, id, bytes)
  const { body } = await complete(media, user(23), id)
  expect(Date.now() - Date.parse(body.createdAt)).toBeLessThan(3_660_000)
})

test('an upload that is continued later is one of that time', async () => {
  const bytes = await jpegOfSize(3004)
  const { id } = await open(media, user(21), bytes)
  await media.pool.query("UPDATE upload_sessions SET created_at = now() - interval '3 days' WHERE id = $1", [id])
  const { createdAt } = await open(media, user(21), bytes)
  expect(Date.now() - Date.parse(createdAt)).toBeLessThan(3_600_000)
  await store(media, 21, id, bytes)
  expect((await complete(media, user(21), id)).body).toMatchObject({ createdAt })
})

test('a file that arrives twice at once becomes one photo', async () => {
  const bytes = await jpeg()
  const { id } = await open(media, user(11), bytes)
  await store(media, 11, id, bytes)
  const photo = await media.upload(11, {}, bytes)
  const response = await complete(media, user(11), id)
  expect(response).toMatchObject({ status: 200, body: { id: photo.id, duplicate: true } })
  expect(await complete(media, user(11), id)).toMatchObject({ status: 200, body: { id: photo.id, duplicate: true } })
  await removeUnused()
  expect(await media.store.head(await keyOf(id))).toBeNull()
})

test('a rejected file fails its session and frees its bytes', async () => {
  const bytes = Buffer.from('no photo')
  const { id } = await open(media, user(12), bytes)
  await store(media, 12, id, bytes)
  const rejected = await media.send('/api/upload-photo', user(12), [['photo', { name: 'photo.jpg', bytes }]])
  const response = await complete(media, user(12), id)
  expect(response).toMatchObject({ status: 415, body: rejected.body })
  expect(await complete(media, user(12), id)).toMatchObject({ status: 415, body: rejected.body })
  expect((await ask(media, user(12), 'GET', `/${id}`)).body).toMatchObject({
    ...{ state: 'failed', message: rejected.body.issues[0], missing: [], photoId: null },
  })
  await removeUnused()
  expect(await media.store.head(await keyOf(id))).toBeNull()
  // It may be sent again.
  expect((await open(media, user(12), bytes)).missing).toEqual([1])
})

test('a session without room for its photo stays open with its bytes', async () => {
  const bytes = await jpeg()
  const { id } = await open(media, user(13), bytes)
  await store(media, 13, id, bytes)
  const large = await media.upload(13, {}, await jpegOfSize(16 * MIB - 100))
  const { get } = media.store
  media.store.get = () => Promise.reject(new Error('the file is read'))
  for (let attempt = 0; attempt < 2; attempt += 1) {
    const response = await complete(media, user(13), id)
    expect(response).toMatchObject({ status: 413, body: { code: 'quota_exceeded', issues: [expect.any(String)] } })
  }
  media.store.get = get
  await removeUnused()
  expect((await ask(media, user(13), 'GET', `/${id}`)).body).toMatchObject({ state: 'open', missing: [] })
  await media.call(`/api/photos/${large.id}`, user(13), { method: 'DELETE' })
  expect((await complete(media, user(13), id)).status).toBe(201)
})

test('stores a photo of the metadata screen', async () => {
  const bytes = await jpeg()
  await media.upload(14, {}, bytes)
  const { id } = await open(media, user(14), bytes, { metadata: true })
  await store(media, 14, id, bytes)
  const { status, body } = await complete(media, user(14), id)
  expect(status).toBe(201)
  expect(await media.photo(body.id)).toMatchObject({ purpose: 'metadata', ownIsPublic: false, sha256Verified: false })
})

test('a file whose photo is not verified yet is not sent again in parts of another size', async () => {
  const bytes = await jpegOfSize(6 * MIB)
  const first = await open(media, user(15), bytes)
  await store(media, 15, first.id, bytes)
  const { id: photoId } = (await complete(media, user(15), first.id)).body
  const other = declare(bytes, 'b.jpg', 6 * MIB)
  expect((await create(15, [other])).body.results).toMatchObject([{ state: 'completed', session: { photoId } }])

  await media.pool.query('DELETE FROM upload_sessions WHERE photo_id = $1', [photoId])
  const again = (await create(15, [other])).body.results[0].session
  await store(media, 15, again.id, bytes)
  const { status, body } = await complete(media, user(15), again.id)
  expect([status, body.id, body.duplicate]).toEqual([200, photoId, true])
})

test('a user ends a few sessions at the same time, and not any number waits', async () => {
  const sessions = await Promise.all(['a', 'b', 'c'].map((content) => open(media, user(16), Buffer.from(content))))
  const { complete: completeAtStore } = media.store.parts
  const { promise, resolve } = Promise.withResolvers<void>()
  let calls = 0
  media.store.parts.complete = async (...given) => {
    calls += 1
    await promise
    return completeAtStore(...given)
  }
  const completions = sessions.map(({ id }) => complete(media, user(16), id))
  await waitFor(async () => calls === 3, { what: 'three are being completed' })
  const others = Array.from({ length: 21 }, () => ask(media, user(16), 'DELETE', `/${UNKNOWN}`))
  expect((await Promise.race(others)).status).toBe(429)
  resolve()
  const statuses = (await Promise.all(others)).map(({ status }) => status)
  expect(statuses.sort()).toEqual([...new Array(20).fill(204), 429])
  expect((await Promise.all(completions)).map(({ body }) => body.code)).toEqual(new Array(3).fill('parts_missing'))
  media.store.parts.complete = completeAtStore
})

test('a file whose SHA-256 another one wrongly claims is uploaded, and becomes a photo once the worker has decided', async () => {
  const [real, other] = [await jpeg(), await jpeg()]
  const claimed = { ...declare(other), sha256: hash('sha256', real) }
  const wrong = (await create(14, [claimed])).body.results[0].session
  await store(media, 14, wrong.id, other)
  const { id: photoId } = (await complete(media, user(14), wrong.id)).body

  // Only the same parts are the same file.
  expect((await create(14, [claimed])).body.results).toMatchObject([{ state: 'completed', session: { photoId } }])
  const { id } = await open(media, user(14), real)
  expect(id).not.toBe(wrong.id)
  await store(media, 14, id, real)
  const early = await complete(media, user(14), id)
  expect([early.status, early.body.code]).toEqual([409, 'upload_busy'])

  media.startWorker()
  expect(await media.processed(photoId)).toMatchObject({ status: 'failed', sha256: hash('sha256', other) })
  const { status, body } = await complete(media, user(14), id)
  expect([status, body.id === photoId]).toEqual([201, false])
})
