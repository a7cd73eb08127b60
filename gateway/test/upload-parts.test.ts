import { createHash, randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { type ClientRequest, request as httpRequest, type IncomingMessage } from 'node:http'
import type { Socket } from 'node:net'
import { IDENTITY_HEADER, verifyIdentity } from '@skyfolio/kit'
import { UPLOAD_PARTS } from '@skyfolio/proto'
import { TEST_IDENTITY_KEYS, waitFor } from '@skyfolio/testkit'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { ORIGIN, startEcho, startGateway, type TestGateway, type Upstream } from './support.ts'

const MB = 1024 * 1024
const ID = 'a'.repeat(32)
const STALLED = 'b'.repeat(32)
const REJECTED = 'c'.repeat(32)
const RESET = 'd'.repeat(32)
const SUPERSEDED = 'e'.repeat(32)
const pathOf = (id: string) => `/api/upload-sessions/${id}/parts/1`

/** What the service recorded. */
const seen = { requests: 0, bytes: 0, aborted: 0, connections: new Set<Socket>() }
let service: Upstream
let gateway: TestGateway
beforeAll(async () => {
  service = await startEcho((app) => {
    app.put<{ Params: { id: string } }>('/api/upload-sessions/:id/parts/:number', async (request, reply) => {
      const { raw, params, headers } = request
      seen.requests += 1
      seen.connections.add(raw.socket)
      if (params.id === REJECTED) return reply.code(409).send({ code: 'upload_closed', message: 'No.' })
      if (params.id === RESET) return raw.socket.resetAndDestroy()
      if (params.id === SUPERSEDED) {
        await once(raw, 'data')
        return reply.code(409).header('retry-after', 2).send({ code: 'part_superseded', message: 'Sent again.' })
      }
      raw.once('close', () => {
        if (!raw.complete) seen.aborted += 1
      })
      const hash = createHash('sha256')
      for await (const chunk of raw as AsyncIterable<Buffer>) {
        seen.bytes += chunk.length
        hash.update(chunk)
      }
      return { headers, hash: hash.digest('hex') }
    })
  })
  // Of four slots one address has one.
  const clientLimits = { uploads: 4, waitMs: 100, uploadStallMs: 1_000 }
  gateway = await startGateway({ upstream: service.url, clientLimits })
})
afterAll(async () => {
  await gateway.close()
  await service.app.close()
})
beforeEach(() => void Object.assign(seen, { requests: 0, bytes: 0, aborted: 0, connections: new Set() }))

function put(id: string, headers: Record<string, string | number>): ClientRequest {
  const request = httpRequest(`${gateway.url}${pathOf(id)}`, { method: 'PUT', headers: { origin: ORIGIN, ...headers } })
  return request.on('error', () => {})
}

async function responseOf(request: ClientRequest) {
  const [response] = (await once(request, 'response')) as [IncomingMessage]
  const body = JSON.parse((await response.toArray()).join(''))
  return { status: response.statusCode, headers: response.headers, body }
}

const sendSmall = () => responseOf(put(ID, { 'content-length': 3 }).end('abc'))
/** The address has one slot. */
const slotIsFree = () => waitFor(async () => (await sendSmall()).status === 200, { what: 'the slot is given back' })

test('sends a part to media with its length, type and checksum, and with the identity of the user', async () => {
  const { cookie } = await gateway.signIn({ userId: 7 })
  const bytes = randomBytes(5 * MB)
  const checksum = { 'x-amz-checksum-sha256': createHash('sha256').update(bytes).digest('base64') }
  const others = { cookie, 'x-forwarded-host': 'elsewhere', 'x-skyfolio-gateway': 'yes', te: 'trailers' }
  const { status, body } = await responseOf(
    put(ID, { 'content-length': bytes.length, 'content-type': 'image/jpeg', ...checksum, ...others }).end(bytes),
  )
  expect(status).toBe(200)
  expect(body.hash).toBe(createHash('sha256').update(bytes).digest('hex'))
  const { [IDENTITY_HEADER]: identity, 'x-request-id': requestId, host, ...headers } = body.headers
  expect(verifyIdentity(identity, TEST_IDENTITY_KEYS).userId).toBe(7)
  expect(requestId).toMatch(/^[\w-]{36}$/)
  const length = String(bytes.length)
  const forwarded = { 'content-length': length, 'content-type': 'image/jpeg', ...checksum, connection: 'keep-alive' }
  expect(headers).toEqual(forwarded)
  await slotIsFree()
})

test('sends a part without a type', async () => {
  const { status, body } = await responseOf(put(ID, { 'content-length': 3 }).end('abc'))
  expect([status, body.headers['content-type']]).toEqual([200, undefined])
})

test('media sees a part whose body does not begin', async () => {
  const request = put(ID, { 'content-length': 3 })
  request.flushHeaders()
  await waitFor(() => seen.requests === 1, { what: 'the request arrives' })
  const responded = responseOf(request)
  request.end('abc')
  expect((await responded).status).toBe(200)
})

test('requires the length', async () => {
  const { status, body } = await responseOf(put(ID, { 'transfer-encoding': 'chunked' }).end('abc'))
  expect([status, body.code, seen.requests]).toEqual([411, 'length_required', 0])
})

test('rejects a part above the largest one before it is sent', async () => {
  const request = put(ID, { 'content-length': UPLOAD_PARTS.maxBytes + 1 })
  request.flushHeaders()
  const { status, body } = await responseOf(request)
  expect([status, body.code, seen.requests]).toEqual([413, 'payload_too_large', 0])
  request.destroy()
})

test('a rejection reaches a client that sends the whole part before it reads', async () => {
  const bytes = Buffer.alloc(UPLOAD_PARTS.maxBytes)
  const request = put(REJECTED, { 'content-length': bytes.length })
  const sent = new Promise((resolve) => request.end(bytes, () => resolve(null)))
  const responded = responseOf(request)
  await sent
  const { status, headers, body } = await responded
  expect([status, body.code, headers.connection]).toEqual([409, 'upload_closed', 'close'])
  await slotIsFree()
})

test('a part that hangs gets the response of media', async () => {
  const request = put(SUPERSEDED, { 'content-length': 8 * MB })
  request.write(randomBytes(MB))
  const { status, headers, body } = await responseOf(request)
  expect([status, headers['retry-after'], body.message]).toEqual([409, '2', 'Sent again.'])
  request.destroy()
  await slotIsFree()
})

test('a client that disconnects ends the request to media and gives its slot back', async () => {
  const request = put(STALLED, { 'content-length': 8 * MB })
  request.write(randomBytes(MB))
  await waitFor(() => seen.bytes > 0, { what: 'media reads' })
  request.destroy()
  await waitFor(() => seen.aborted === 1, { what: 'media sees the end' })
  await slotIsFree()
})

test('a client that stalls is disconnected; meanwhile the next part of its address waits, and then gets 503', async () => {
  const stalled = put(STALLED, { 'content-length': 8 * MB })
  stalled.write(randomBytes(MB))
  await waitFor(() => seen.bytes > 0, { what: 'media reads' })
  const { status, body } = await sendSmall()
  expect([status, body.code]).toEqual([503, 'unavailable'])
  await waitFor(() => stalled.destroyed && seen.aborted === 1, { what: 'the connections have ended' })
  await slotIsFree()
})

test('a part whose connection to media breaks gets 503 and is not sent again', async () => {
  const { status, headers, body } = await responseOf(put(RESET, { 'content-length': 3 }).end('abc'))
  expect([status, headers['retry-after'], body.code, seen.requests]).toEqual([503, '5', 'unavailable', 1])
  await slotIsFree()
})

test('a connection to media is replaced after 500 parts, so that new replicas get their share', async () => {
  for (let sent = 0; sent < 510; sent += 1) expect((await sendSmall()).status).toBe(200)
  expect(seen.connections.size).toBe(2)
})

test('returns 503 while media is unavailable', async () => {
  const unused = await startEcho()
  await unused.app.close()
  const lonely = await startGateway({ upstream: unused.url })
  try {
    const response = await lonely.call(pathOf(ID), { method: 'PUT', body: 'abc' })
    expect([response.status, (await response.json()).code]).toEqual([503, 'unavailable'])
  } finally {
    await lonely.close()
  }
})

test('a part that is on its way when the process stops gets a response with which it is sent again', async () => {
  const leaving = await startGateway({ upstream: service.url })
  const headers = { origin: ORIGIN, 'content-length': 3 * MB }
  const request = httpRequest(`${leaving.url}${pathOf(ID)}`, { method: 'PUT', headers }).on('error', () => {})
  request.write(randomBytes(MB))
  await waitFor(() => seen.bytes > 0, { what: 'its first bytes have arrived' })
  leaving.app.drainMs = 6_000
  const answer = responseOf(request)
  const closed = leaving.close()
  expect(await answer).toMatchObject({ status: 503, headers: { connection: 'close', 'retry-after': '1' } })
  await closed
  await waitFor(() => seen.aborted === 1, { what: 'media knows' })
})
