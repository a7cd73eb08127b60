import { once } from 'node:events'
import { request as httpRequest } from 'node:http'
import { connect } from 'node:net'
import { waitFor } from '@skyfolio/testkit'
import type { RouteHandlerMethod } from 'fastify'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { countStatuses, headOf, openMany, sendFrom } from './many-clients.ts'
import { ORIGIN, startEcho, startGateway, type TestGateway, type Upstream } from './support.ts'

const ADDRESS = '127.0.0.4'

let service: Upstream
let gateway: TestGateway
let [arrived, finished] = [0, 0]
let respond = Promise.withResolvers<void>()
const logged: string[] = []

beforeAll(async () => {
  service = await startEcho((app) => {
    const respondLater: RouteHandlerMethod = async (_request, reply) => {
      arrived += 1
      reply.raw.once('close', () => {
        finished += 1
      })
      await respond.promise
      return { ok: true }
    }
    app.get('/api/folders/:id', respondLater)
    app.post('/api/register', respondLater)
  })
  // One slot for each address.
  const clientLimits = { requestsOfService: 4, waitMs: 10_000, responseMs: 3_000, incompleteRequests: 8 }
  gateway = await startGateway({ upstream: service.url, clientLimits, logTo: (line) => logged.push(line) })
})
afterAll(async () => {
  await gateway.close()
  await service.app.close()
})

/** What the service received of a request whose body is sent in two parts, with exactly these headers. */
async function receivedOf(headers: Record<string, string>, body = '{"name":"Ünïted"}') {
  const request = httpRequest(`${gateway.url}/api/folders`, { method: 'POST', headers: { origin: ORIGIN, ...headers } })
  request.write(body.slice(0, 5))
  setImmediate(() => request.end(body.slice(5)))
  const [response] = await once(request, 'response')
  return JSON.parse((await response.toArray()).join(''))
}

test.each([
  'application/json; charset=UTF-8',
  'application/json',
  'text/plain; format=flowed',
  'application/x-unknown',
])('a body of type %s reaches the service unchanged, with its length', async (type) => {
  const seen = await receivedOf({ 'content-type': type })
  expect(seen.body).toBe('{"name":"Ünïted"}')
  expect(seen.headers).toMatchObject({ 'content-type': type, 'content-length': '19' })
  expect(seen.headers).not.toHaveProperty('transfer-encoding')
})

test('a body without a type stays one', async () => {
  const seen = await receivedOf({})
  expect(seen.body).toBe('{"name":"Ünïted"}')
  expect(seen.headers).not.toHaveProperty('content-type')
})

test('an empty body stays empty', async () => {
  const response = await gateway.call('/api/logout', {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
  })
  expect(response.status).toBe(200)
  expect((await response.json()).body).toBe('')
})

test('a vote in two parts is counted, one that is cut off is not', async () => {
  const vote = JSON.stringify({ fingerprint: 'f'.repeat(16), rank: 'first', folderId: 1 })
  const head = headOf('POST /api/photos/1/rank', vote.length)
  const [whole] = openMany(gateway, ADDRESS, 1, [head + vote.slice(0, 9)])
  const [half] = openMany(gateway, ADDRESS, 1, [head + vote.slice(0, 9)])
  if (!whole || !half) throw new Error('no connections')
  await Promise.all([once(whole.socket, 'connect'), once(half.socket, 'connect')])
  half.socket.end()
  whole.socket.write(vote.slice(9))
  await waitFor(() => whole.status() === 200 && half.isClosed, { what: 'both have ended' })
  expect(half.status()).not.toBe(200)
  whole.socket.destroy()
})

test('the slot of a client that leaves is free as soon as the service has responded', async () => {
  respond = Promise.withResolvers<void>()
  const before = arrived
  const [leaving] = openMany(gateway, ADDRESS, 1, ['GET /api/folders/1 HTTP/1.1\r\nHost: x\r\n\r\n'])
  await waitFor(() => arrived === before + 1, { what: 'the service has the request' })
  leaving?.socket.destroy()
  const next = sendFrom(gateway, ADDRESS, 'GET /api/folders')
  respond.resolve()
  expect(await next).toBe(200)
  expect(await sendFrom(gateway, ADDRESS, 'GET /api/folders')).toBe(200)
})

test('a client that leaves before the response to its whole request is no failure', async () => {
  respond = Promise.withResolvers<void>()
  const before = { arrived, finished }
  const [leaving] = openMany(gateway, ADDRESS, 1, [`${headOf('POST /api/register', 2)}{}`])
  await waitFor(() => arrived === before.arrived + 1, { what: 'the service has the request' })
  leaving?.socket.destroy()
  await waitFor(() => leaving?.isClosed === true, { what: 'the client has left' })
  // The gateway knows it, too, when it responds to the next one.
  await sendFrom(gateway, ADDRESS, 'GET /api/folders')
  respond.resolve()
  await waitFor(() => finished === before.finished + 1, { what: 'the service has responded' })
  expect(await sendFrom(gateway, ADDRESS, 'GET /api/folders')).toBe(200)
  expect(logged).toEqual([])
})

test('a service that does not begin to respond to a GET costs 503 and frees the slot', async () => {
  respond = Promise.withResolvers<void>()
  const before = finished
  expect(await sendFrom(gateway, ADDRESS, 'GET /api/folders/1')).toBe(503)
  await waitFor(() => finished === before + 1, { what: 'the connection to the service has ended' })
  expect(await sendFrom(gateway, ADDRESS, 'GET /api/folders')).toBe(200)
})

test('a connection that was opened ahead of need is closed without a response', async () => {
  const quick = await startGateway({ upstream: service.url, clientLimits: { headersMs: 200 } })
  const { hostname, port } = new URL(quick.url)
  const socket = connect(Number(port), hostname)
  let received = ''
  socket.on('data', (chunk) => {
    received += chunk
  })
  await once(socket, 'close')
  expect(received).toBe('')
  await quick.close()
})

test('sites that fill all places for incomplete requests lose one to a site that has none', async () => {
  const body = JSON.stringify({ name: 'Above the water' })
  const half = headOf('POST /api/folders', body.length) + body.slice(0, 5)
  const others = ['127.0.0.5', '127.0.0.6', '127.0.0.7', '127.0.0.8'].flatMap((address) =>
    openMany(gateway, address, 2, [half]),
  )
  const [another] = openMany(gateway, '127.0.0.5', 1, [half])
  await waitFor(() => another?.status() === 503, { what: 'all places are taken' })
  const [newcomer] = openMany(gateway, ADDRESS, 1, [half])
  await waitFor(() => countStatuses(others)[503] === 1, { what: 'the oldest one of a site with two is rejected' })
  newcomer?.socket.write(body.slice(5))
  await waitFor(() => newcomer?.status() === 200, { what: "the newcomer's request is complete" })
  for (const client of [...others, newcomer, another]) client?.socket.destroy()
})

test('an upload that gets no slot is read to its end, so that its client sees the 503', async () => {
  const busy = await startGateway({ upstream: service.url, clientLimits: { uploads: 4, waitingRequests: 0 } })
  const head = headOf('POST /api/upload-photos', 1024, 'multipart/form-data; boundary=x')
  const [first] = openMany(busy, ADDRESS, 1, [`${head}--x`])
  const upload = () => sendFrom(busy, ADDRESS, 'POST /api/upload-photos', { body: Buffer.alloc(3 * 1024 * 1024) })
  await waitFor(async () => (await upload()) === 503, { what: 'the only slot of the address is taken' })
  first?.socket.destroy()
  await busy.close()
})
