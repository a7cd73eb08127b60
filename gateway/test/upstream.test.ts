import { once } from 'node:events'
import { createServer, type Server, type Socket } from 'node:net'
import Fastify from 'fastify'
import { afterEach, expect, test } from 'vitest'
import { startEcho, startGateway, type TestGateway } from './support.ts'

const cleanups: (() => unknown)[] = []
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup()
})

async function gatewayTo(upstream: string): Promise<TestGateway> {
  const gateway = await startGateway({ upstream })
  cleanups.push(() => gateway.close())
  return gateway
}

const OK = 'HTTP/1.1 200 OK\r\nContent-Length: 2\r\nContent-Type: application/json\r\n\r\n{}'

/** Starts a server that calls `act` with the number of each request, counted over all connections. */
async function startRaw(act: (socket: Socket, n: number) => void): Promise<{ url: string; requests: () => number }> {
  let requests = 0
  const server: Server = createServer((socket) => {
    socket.on('error', () => {})
    socket.on('data', () => act(socket, ++requests))
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  cleanups.push(() => server.close())
  const address = server.address() as { port: number }
  return { url: `http://127.0.0.1:${address.port}`, requests: () => requests }
}

test('returns 503 while a service is unavailable, and uses it again afterwards', async () => {
  const echo = await startEcho()
  const gateway = await gatewayTo(echo.url)
  const folders = () => gateway.call('/api/folders')
  expect((await folders()).status).toBe(200)

  await echo.app.close()
  const rejected = await folders()
  expect(rejected.status).toBe(503)
  expect(rejected.headers.get('retry-after')).toBe('5')
  expect(await rejected.json()).toEqual({
    code: 'unavailable',
    message: 'The service is temporarily unavailable. Please try again in a moment.',
  })

  const { port } = new URL(echo.url)
  const restarted = await startEcho(undefined, Number(port))
  cleanups.push(() => restarted.app.close())
  expect((await folders()).status).toBe(200)
})

test('retries a read on a connection that was reset while idle', async () => {
  const raw = await startRaw((socket, n) => (n === 2 ? socket.resetAndDestroy() : socket.write(OK)))
  const gateway = await gatewayTo(raw.url)
  expect((await gateway.call('/api/folders')).status).toBe(200)
  expect((await gateway.call('/api/folders')).status).toBe(200)
  expect(raw.requests()).toBe(3)
})

test('never sends a write twice after a connection reset', async () => {
  const raw = await startRaw((socket) => socket.resetAndDestroy())
  const gateway = await gatewayTo(raw.url)
  const response = await gateway.call('/api/folders', { method: 'POST', body: '{}' })
  expect([response.status, raw.requests()]).toEqual([503, 1])
})

test('forwards a 503 of a service at once', async () => {
  const raw = await startRaw((socket) =>
    socket.write('HTTP/1.1 503 Busy\r\nContent-Length: 0\r\nRetry-After: 9\r\n\r\n'),
  )
  const gateway = await gatewayTo(raw.url)
  const response = await gateway.call('/api/folders')
  expect([response.status, response.headers.get('retry-after'), raw.requests()]).toEqual([503, '9', 1])
})

test('/api/geocode errors of the gateway carry the message in `error` too', async () => {
  const echo = await startEcho()
  const gateway = await startGateway({ upstream: echo.url, rateLimits: { requestsPerMinute: 3 } })
  cleanups.push(() => gateway.close())
  await echo.app.close()
  const geocode = async (body: string, headers = {}) => {
    const response = await gateway.call('/api/geocode', { method: 'POST', body, headers })
    const { message, error } = await response.json()
    expect(error).toBe(message)
    return response.status
  }
  expect(await geocode('{}')).toBe(503)
  expect(await geocode('x'.repeat(100_000))).toBe(413)
  expect(await geocode('{}', { origin: 'https://elsewhere.example' })).toBe(403)
  expect(await geocode('{}')).toBe(429)
})

const vote = (gateway: TestGateway) =>
  gateway.call('/api/photos/1/rank', {
    method: 'POST',
    body: JSON.stringify({ fingerprint: 'f'.repeat(16), rank: 'first', folderId: 1 }),
    headers: { 'content-type': 'application/json' },
  })

test('responses to votes pass by no other onSend hooks than the two that have nothing to do for them', async () => {
  const echo = await startEcho()
  const { app } = await gatewayTo(echo.url)
  const symbol = Object.getOwnPropertySymbols(app).find(({ description }) => description === 'fastify.hooks')
  const hooks = Reflect.get(app, symbol as symbol) as { onSend: unknown[] }
  // That of draining (`mayRespondDirectly`) and that of bodies whose response comes early (`forwardVote`).
  expect(hooks.onSend).toHaveLength(2)
})

test('a draining gateway still completes the votes that it accepted', async () => {
  const received = Promise.withResolvers<void>()
  const release = Promise.withResolvers<void>()
  const service = Fastify({ forceCloseConnections: true })
  service.post('/internal/batches/v1/POST/api/photos/:id/rank', async (_request, reply) => {
    received.resolve()
    await release.promise
    const head = Buffer.from(JSON.stringify([[], [[200, '{"rankings":{}}']]]))
    return reply.send(Buffer.concat([Buffer.from([0, 0, 0, head.length]), head]))
  })
  cleanups.push(() => service.close())
  const gateway = await startGateway({ upstream: await service.listen({ port: 0, host: '127.0.0.1' }) })
  const pending = vote(gateway)
  await received.promise
  const closed = gateway.close()
  release.resolve()
  const response = await pending
  expect([response.status, await response.json()]).toEqual([200, { rankings: {} }])
  expect(response.headers.get('connection')).toBe('close')
  await closed
})

test('votes get 503 with Retry-After while their service is unavailable, and are accepted afterwards', async () => {
  const echo = await startEcho()
  const gateway = await gatewayTo(echo.url)
  expect((await vote(gateway)).status).toBe(200)
  await echo.app.close()
  const rejected = await vote(gateway)
  expect([rejected.status, rejected.headers.get('retry-after')]).toEqual([503, '1'])
  expect((await rejected.json()).code).toBe('unavailable')
  const restarted = await startEcho(undefined, Number(new URL(echo.url).port))
  cleanups.push(() => restarted.app.close())
  expect((await vote(gateway)).status).toBe(200)
})

test('replaces a busy connection regularly, so that new replicas get their share', async () => {
  const sockets = new Set<Socket>()
  const raw = await startRaw((socket) => {
    sockets.add(socket)
    socket.write(OK)
  })
  const gateway = await gatewayTo(raw.url)
  for (let sent = 0; sent < 510; sent += 1) expect((await gateway.call('/api/folders')).status).toBe(200)
  expect(sockets.size).toBe(2)
})
