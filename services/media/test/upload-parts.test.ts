import { hash, randomBytes, randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { readFile } from 'node:fs/promises'
import { type ClientRequest, request as httpRequest, type IncomingMessage } from 'node:http'
import { join } from 'node:path'
import { identityHeaders, testDirectory, waitFor } from '@skyfolio/testkit'
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest'
import { newObjectId, partsOf, readSession, type SessionRow, uploadOf } from '../src/upload-sessions/rows.ts'
import { startTestMedia, type TestMedia, user, visitor } from './support.ts'

const OWNER = 1
const PART_BYTES = 1_000_000
/** Three parts; the last one is short. */
const FILE = randomBytes(2_500_000)

const objects = join(testDirectory(), `objects-${randomUUID()}`)
const incoming = join(objects, 'incoming')

let media: TestMedia
beforeAll(async () => {
  // Longer than any part waits here: one that hangs must not be ended because it stalls.
  const api = { stallMs: 15_000, shares: { openPerUser: 2 } }
  media = await startTestMedia({ env: { OBJECT_STORE_DIR: objects }, api })
})
afterAll(() => media.close())

const partOf = (number: number, file = FILE) => file.subarray((number - 1) * PART_BYTES, number * PART_BYTES)
const pathOf = ({ id }: SessionRow, number: number | string) => `/api/upload-sessions/${id}/parts/${number}`
const storedNumbers = async (row: SessionRow) =>
  (await media.store.parts.list(uploadOf(row)))?.map(({ number }) => number).sort()

/** Opens a session of the file as `POST /api/upload-sessions` does. */
async function openSession(userId = OWNER): Promise<SessionRow> {
  const [id, objectId] = [randomBytes(16).toString('hex'), newObjectId()]
  const uploadId = await media.store.parts.begin(`originals/${objectId}`, FILE.length)
  const hashes = Buffer.concat([1, 2, 3].map((number) => hash('sha256', partOf(number), 'buffer')))
  await media.pool.query(
    `INSERT INTO upload_sessions
      (id, user_id, name, size, sha256, part_bytes, part_hashes, object_id, upload_id, expires_at)
    VALUES ($1, $2, 'a.jpg', $3, $4, $5, $6, $7, $8, now() + interval '1 hour')`,
    [id, userId, FILE.length, randomBytes(32).toString('hex'), PART_BYTES, hashes, objectId, uploadId],
  )
  const row = await readSession(media.db, userId, id)
  if (!row) throw new Error('the session is not there')
  return row
}

/** Starts a request whose body the caller sends. */
function begin(
  row: SessionRow,
  number: number,
  { bytes = partOf(number).length, checksum = {}, at = media } = {},
): ClientRequest {
  const headers = { ...identityHeaders(user(OWNER)), 'content-length': bytes, ...checksum }
  return httpRequest(at.origin + pathOf(row, number), { method: 'PUT', headers }).on('error', () => {})
}

async function responseOf(request: ClientRequest) {
  const [response] = (await once(request, 'response')) as [IncomingMessage]
  const { statusCode: status, headers } = response
  return { status, headers, body: JSON.parse((await response.toArray()).join('') || 'null') }
}

/** The response to headers alone. */
async function rejectionOf(request: ClientRequest) {
  request.flushHeaders()
  const { status, headers, body } = await responseOf(request)
  request.destroy()
  return { status, retryAfter: headers['retry-after'], code: body.code, message: body.message }
}

/** A part of which the first half was sent, and some is written. */
async function sendHalf(row: SessionRow, number: number, at = media) {
  const bytes = partOf(number)
  const request = begin(row, number, { at })
  const half = bytes.length / 2
  request.write(bytes.subarray(0, half))
  const answer = responseOf(request)
  const isBegun = async () => (await readFile(join(incoming, `${row.uploadId}.data`))).includes(bytes.subarray(0, 1000))
  await waitFor(isBegun, { what: 'some of the part is written' })
  return { request, answer, finish: () => request.end(bytes.subarray(half)) }
}

async function put(
  row: SessionRow,
  number: number | string,
  body: Uint8Array,
  { who = user(OWNER), headers = {}, at = media }: { who?: object; headers?: object; at?: TestMedia } = {},
) {
  const init = { method: 'PUT', body: new Uint8Array(body), headers: { ...headers } }
  const response = await at.call(pathOf(row, number), who, init)
  const text = await response.text()
  return { status: response.status, body: text === '' ? null : JSON.parse(text) }
}

test('stores parts in any order and at the same time, and the same one again', async () => {
  const row = await openSession()
  const third = await put(row, 3, partOf(3))
  expect(third).toEqual({ status: 204, body: null })
  const checksum = { 'x-amz-checksum-sha256': hash('sha256', partOf(1), 'base64'), 'content-type': 'image/jpeg' }
  const others = await Promise.all([put(row, 1, partOf(1), { headers: checksum }), put(row, 2, partOf(2))])
  expect(others.map(({ status }) => status)).toEqual([204, 204])
  expect((await put(row, 3, partOf(3))).status).toBe(204)
  expect(await media.store.parts.complete(uploadOf(row), partsOf(row))).toEqual({ missing: [] })
  const object = await media.store.get(uploadOf(row).key)
  expect(Buffer.concat((await object?.body.toArray()) ?? [])).toEqual(FILE)
})

test('a part of a foreign or unknown session, or beyond the last one, is 404', async () => {
  const row = await openSession()
  expect((await put(row, 1, partOf(1), { who: visitor })).status).toBe(401)
  // Remembered from here on.
  expect((await put(row, 1, partOf(1))).status).toBe(204)
  const rejected = [
    await put(row, 2, partOf(2), { who: user(2) }),
    await put({ ...row, id: 'f'.repeat(32) }, 2, partOf(2)),
    await put(row, 4, partOf(2)),
  ]
  expect(rejected.map(({ status, body }) => [status, body.code])).toEqual(Array(3).fill([404, 'not_found']))
  for (const number of ['0', '-1', '1.5', 'x', '10001']) expect((await put(row, number, partOf(2))).status).toBe(400)
  expect(await storedNumbers(row)).toEqual([1])
})

test('another length and another checksum are rejected before the body is read', async () => {
  const row = await openSession()
  expect(await rejectionOf(begin(row, 1, { bytes: PART_BYTES + 1 }))).toMatchObject({
    status: 400,
    code: 'part_length',
  })
  const checksum = { 'x-amz-checksum-sha256': hash('sha256', partOf(2), 'base64') }
  const other = await rejectionOf(begin(row, 1, { checksum }))
  expect(other).toMatchObject({ status: 422, code: 'part_checksum' })
})

test('other bytes than declared are 422 and are not stored', async () => {
  const row = await openSession()
  const { status, body } = await put(row, 1, partOf(2))
  expect([status, body]).toEqual([
    422,
    { code: 'part_checksum', message: 'The file has changed while it was being uploaded. Choose it again.' },
  ])
  expect(await storedNumbers(row)).toEqual([])
  expect((await put(row, 1, partOf(1))).status).toBe(204)
})

test('a part after the end of its session is 409 with the state, and changes nothing', async () => {
  const ended = await openSession()
  await media.pool.query(`UPDATE upload_sessions SET state = 'failed' WHERE id = $1`, [ended.id])
  expect(await put(ended, 1, partOf(1))).toMatchObject({
    status: 409,
    body: { code: 'upload_closed', state: 'failed' },
  })

  const row = await openSession()
  for (const number of [1, 2, 3]) await put(row, number, partOf(number))
  await media.store.parts.complete(uploadOf(row), partsOf(row))
  await media.pool.query(`UPDATE upload_sessions SET state = 'completing' WHERE id = $1`, [row.id])
  expect(await put(row, 1, partOf(1))).toMatchObject({ status: 409, body: { code: 'upload_busy' } })
  await media.pool.query(`UPDATE upload_sessions SET state = 'completed' WHERE id = $1`, [row.id])
  // What is remembered of the session is no longer true.
  const late = await put(row, 1, partOf(1))
  expect(late).toMatchObject({ status: 409, body: { code: 'upload_closed', state: 'completed' } })
})

test('a part that breaks off leaves nothing, and is accepted when it is sent again', async () => {
  const row = await openSession()
  const broken = await sendHalf(row, 1)
  broken.answer.catch(() => {})
  broken.request.destroy()
  await waitFor(async () => (await put(row, 1, partOf(1))).status === 204, { what: 'it is accepted' })
  expect(await storedNumbers(row)).toEqual([1])
})

test('a part that is being sent already is 409 at once, and the request under way stores it', async () => {
  const row = await openSession()
  await put(row, 3, partOf(3))
  const first = await sendHalf(row, 1)
  const message = 'This part is being sent already.'
  const rejection = { status: 409, retryAfter: '2', code: 'part_superseded', message }
  expect(await rejectionOf(begin(row, 1))).toEqual(rejection)
  first.finish()
  expect((await first.answer).status).toBe(204)
  expect(await storedNumbers(row)).toEqual([1, 3])
})

test('a part that hangs gives its place to the next request of it, and gets the reason', async () => {
  const row = await openSession()
  const hanging = await sendHalf(row, 1)
  const other = await sendHalf(row, 2)
  // The user has as many open as one may have.
  expect(await rejectionOf(begin(row, 3))).toMatchObject({ status: 429 })
  await waitFor(async () => (await put(row, 1, partOf(1))).status === 204, { what: 'its client is back' })
  expect(await hanging.answer).toMatchObject({
    status: 409,
    body: { code: 'part_superseded', message: 'This part was sent again.' },
  })
  other.finish()
  expect((await other.answer).status).toBe(204)
  expect(await storedNumbers(row)).toEqual([1, 2])
  hanging.request.destroy()
})

test('a part that stalls gets the reason, and its place is free', async () => {
  const { DATABASE_URL: databaseUrl, NATS_URL: natsUrl, REDIS_URL: redisUrl } = media.env
  const env = { OBJECT_STORE_DIR: objects }
  const api = { stallMs: 1_000, shares: { openPerUser: 1 } }
  const at = await startTestMedia({ databaseUrl, natsUrl, redisUrl, env, api })
  onTestFinished(() => at.close())
  const row = await openSession()
  const stalled = await sendHalf(row, 1, at)
  expect(await stalled.answer).toMatchObject({ status: 408, body: { code: 'request_timeout' } })
  await waitFor(async () => (await put(row, 2, partOf(2), { at })).status === 204, { what: 'its place is free' })
  stalled.request.destroy()
})

test('a part that is on its way when the process stops gets the reason before its connection is closed', async () => {
  const { DATABASE_URL: databaseUrl, NATS_URL: natsUrl, REDIS_URL: redisUrl } = media.env
  const at = await startTestMedia({ databaseUrl, natsUrl, redisUrl, env: { OBJECT_STORE_DIR: objects } })
  onTestFinished(() => at.close())
  const row = await openSession()
  const slow = await sendHalf(row, 1, at)
  at.app.drainMs = 6_000
  const closed = at.app.close()
  expect(await slow.answer).toMatchObject({ status: 503, headers: { 'retry-after': '1' } })
  slow.request.destroy()
  await closed
  expect(await storedNumbers(row)).toEqual([])
})
