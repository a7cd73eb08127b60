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

const okay = 'HTTP/1.1 200 OK\r\nContent-Length: 2\r\nContent-Type: application/json\r\n\r\n{}'

/** A service that answers what `act` says for its n-th request, counted over all connections. */
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

test('a service that is down is answered 503, and used again when it is back', async () => {
  const echo = await startEcho()
  const gateway = await gatewayTo(echo.url)
  const folders = () => gateway.call('/api/folders')
  expect((await folders()).status).toBe(200)

  await echo.app.close()
  const refused = await folders()
  expect(refused.status).toBe(503)
  expect(refused.headers.get('retry-after')).toBe('5')
  expect(await refused.json()).toEqual({
    code: 'unavailable',
    message: 'The service is temporarily unavailable. Please try again in a moment.',
  })

  const { port } = new URL(echo.url)
  const again = await startEcho(undefined, Number(port))
  cleanups.push(() => again.app.close())
  expect((await folders()).status).toBe(200)
})

test('a connection that died while idle is not noticed by who reads', async () => {
  const raw = await startRaw((socket, n) => (n === 2 ? socket.resetAndDestroy() : socket.write(okay)))
  const gateway = await gatewayTo(raw.url)
  expect((await gateway.call('/api/folders')).status).toBe(200)
  expect((await gateway.call('/api/folders')).status).toBe(200)
  expect(raw.requests()).toBe(3)
})

test('a write on a connection that died is never sent twice', async () => {
  const raw = await startRaw((socket) => socket.resetAndDestroy())
  const gateway = await gatewayTo(raw.url)
  const response = await gateway.call('/api/folders', { method: 'POST', body: '{}' })
  expect([response.status, raw.requests()]).toEqual([503, 1])
})

test('a 503 of a service is passed on at once', async () => {
  const raw = await startRaw((socket) =>
    socket.write('HTTP/1.1 503 Busy\r\nContent-Length: 0\r\nRetry-After: 9\r\n\r\n'),
  )
  const gateway = await gatewayTo(raw.url)
  const response = await gateway.call('/api/folders')
  expect([response.status, response.headers.get('retry-after'), raw.requests()]).toEqual([503, '9', 1])
})

test('what the gateway itself refuses at /api/geocode says so in `error` too', async () => {
  const echo = await startEcho()
  const gateway = await startGateway({ upstream: echo.url, rateLimits: { requestsPerMinute: 3 } })
  cleanups.push(() => gateway.close())
  await echo.app.close()
  const ask = async (body: string, headers = {}) => {
    const answer = await gateway.call('/api/geocode', { method: 'POST', body, headers })
    const { message, error } = await answer.json()
    expect(error).toBe(message)
    return answer.status
  }
  expect(await ask('{}')).toBe(503)
  expect(await ask('x'.repeat(100_000))).toBe(413)
  expect(await ask('{}', { origin: 'https://elsewhere.example' })).toBe(403)
  expect(await ask('{}')).toBe(429)
})

const vote = (gateway: TestGateway) =>
  gateway.call('/api/photos/1/rank', {
    method: 'POST',
    body: JSON.stringify({ fingerprint: 'f'.repeat(16), rank: 'first', folderId: 1 }),
    headers: { 'content-type': 'application/json' },
  })

test('a gateway that drains answers the votes that it has taken', async () => {
  const taken = Promise.withResolvers<void>()
  const gate = Promise.withResolvers<void>()
  const service = Fastify({ forceCloseConnections: true })
  service.post('/internal/folds/v1/POST/api/photos/:id/rank', async (_request, reply) => {
    taken.resolve()
    await gate.promise
    const head = Buffer.from(JSON.stringify([[], [[200, '{"rankings":{}}']]]))
    return reply.send(Buffer.concat([Buffer.from([0, 0, 0, head.length]), head]))
  })
  cleanups.push(() => service.close())
  const gateway = await startGateway({ upstream: await service.listen({ port: 0, host: '127.0.0.1' }) })
  const answer = vote(gateway)
  await taken.promise
  const closed = gateway.close()
  gate.resolve()
  const response = await answer
  expect([response.status, await response.json()]).toEqual([200, { rankings: {} }])
  await closed
})

test('votes for a service that is down are 503 with a time, and counted when it is back', async () => {
  const echo = await startEcho()
  const gateway = await gatewayTo(echo.url)
  expect((await vote(gateway)).status).toBe(200)
  await echo.app.close()
  const refused = await vote(gateway)
  expect([refused.status, refused.headers.get('retry-after')]).toEqual([503, '1'])
  expect((await refused.json()).code).toBe('unavailable')
  const again = await startEcho(undefined, Number(new URL(echo.url).port))
  cleanups.push(() => again.app.close())
  expect((await vote(gateway)).status).toBe(200)
})

test('a busy connection is made anew now and then, so that replicas that came later get their share', async () => {
  const sockets = new Set<Socket>()
  const raw = await startRaw((socket) => {
    sockets.add(socket)
    socket.write(okay)
  })
  const gateway = await gatewayTo(raw.url)
  for (let sent = 0; sent < 510; sent += 1) expect((await gateway.call('/api/folders')).status).toBe(200)
  expect(sockets.size).toBe(2)
})
