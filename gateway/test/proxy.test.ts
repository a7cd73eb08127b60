import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { request as httpRequest } from 'node:http'
import { verifyIdentity } from '@skyfolio/kit'
import { TEST_IDENTITY_KEYS } from '@skyfolio/testkit'
import Fastify from 'fastify'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { ORIGIN, startEcho, startGateway, type TestGateway, type Upstream } from './support.ts'

let echo: Upstream
let gateway: TestGateway
beforeAll(async () => {
  echo = await startEcho((app) => {
    app.get('/api/uploads/ranged.jpg', (request, reply) => {
      if (request.headers['if-none-match'] === '"e1"') return reply.code(304).send()
      reply.headers({ 'content-type': 'image/jpeg', 'content-range': 'bytes 2-4/10', etag: '"e1"', server: 'secret' })
      return reply.code(206).send(Buffer.from(String(request.headers.range)))
    })
  })
  gateway = await startGateway({ upstream: echo.url })
})
afterAll(async () => {
  await gateway.close()
  await echo.app.close()
})

const identityOf = (headers: Record<string, string>) =>
  verifyIdentity(headers['x-skyfolio-identity'], TEST_IDENTITY_KEYS)

test('method, path, query and body reach the service, with a signed identity', async () => {
  const response = await gateway.call('/api/folders/7?x=%2F1', {
    method: 'PUT',
    headers: { 'content-type': 'application/json', cookie: 'voter=v1' },
    body: '{"name":"Ünïted"}',
  })
  const seen = await response.json()
  expect(seen).toMatchObject({ method: 'PUT', url: '/api/folders/7?x=%2F1', body: '{"name":"Ünïted"}' })
  expect(seen.headers.cookie).toBe('voter=v1')
  expect(identityOf(seen.headers)).toEqual({
    userId: null,
    username: null,
    isAdmin: false,
    sessionHash: null,
    address: '127.0.0.1',
    confirmedAt: null,
  })
})

test('a session becomes an identity, and its token goes no further', async () => {
  const { cookie, hash } = await gateway.signIn({ userId: 42, username: 'amelia', isAdmin: true })
  const response = await gateway.call('/api/photos', { headers: { cookie: `a=1; ${cookie}; voter=v1` } })
  const { headers } = await response.json()
  expect(headers.cookie).toBe('a=1; voter=v1')
  expect(identityOf(headers)).toMatchObject({ userId: 42, username: 'amelia', isAdmin: true, sessionHash: hash })
})

test.each(['/api/photos', '/api/share/abc'])('a page in a frame reaches no session: %s', async (path) => {
  const { cookie } = await gateway.signIn({ userId: 42 })
  const embed = { cookie: `${cookie}; voter=v1`, 'x-embed': 'true' }
  const { headers, identity } = await (await gateway.call(path, { headers: embed })).json()
  expect(headers).toMatchObject({ cookie: 'voter=v1', 'x-embed': 'true' })
  expect(identity ?? identityOf(headers)).toMatchObject({ userId: null, sessionHash: null })
  const own = await gateway.call('/api/user', { headers: embed })
  expect([identityOf((await own.json()).headers).userId, own.headers.getSetCookie()]).toEqual([null, []])
})

test('ignores headers of the client that only the gateway may set', async () => {
  const headers = {
    'x-skyfolio-identity': 'forged',
    'x-skyfolio-anything': 'forged',
    'x-forwarded-for': '9.9.9.9',
    forwarded: 'for=9.9.9.9',
    'x-request-id': 'chosen-by-the-client',
  }
  const response = await gateway.call('/api/folders', { headers })
  const seen = (await response.json()).headers
  expect(identityOf(seen)).toMatchObject({ userId: null, address: '127.0.0.1' })
  expect(seen).not.toHaveProperty('x-skyfolio-anything')
  expect(seen).not.toHaveProperty('x-forwarded-for')
  expect(seen).not.toHaveProperty('forwarded')
  expect(seen['x-request-id']).toBe(response.headers.get('x-request-id'))
  expect(seen['x-request-id']).not.toBe('chosen-by-the-client')
})

/** Sends the path as it is; `fetch` would normalize it. */
async function sendRaw(path: string): Promise<number | undefined> {
  const request = httpRequest(gateway.url, { path }).end()
  const [response] = await once(request, 'response')
  response.resume()
  return response.statusCode
}

test.each([
  'x\\..\\..\\..\\picture-bytes\\a.webp',
  'x\\..\\..\\..\\share-cards\\code',
  '..\\folders',
  '%2e%2e',
  '.%2E',
])('a path that would reach another route of the service is rejected: %s', async (name) => {
  expect(await sendRaw(`/api/uploads/${name}`)).toBe(400)
})

test('takes the address that a trusted proxy names', async () => {
  const behind = await startGateway({ upstream: echo.url, trustedProxies: ['127.0.0.0/8'] })
  const response = await behind.call('/api/folders', { headers: { 'x-forwarded-for': '1.1.1.1, 203.0.113.9' } })
  expect(identityOf((await response.json()).headers).address).toBe('203.0.113.9')
  await behind.close()
})

test('ignores the ports that proxies write behind addresses, of the client and of their own', async () => {
  const behind = await startGateway({
    upstream: echo.url,
    trustedProxies: ['127.0.0.0/8', '10.0.0.0/8', '2001:db8:9::/48'],
  })
  const addressFor = async (forwardedFor: string) => {
    const response = await behind.call('/api/folders', { headers: { 'x-forwarded-for': forwardedFor } })
    return identityOf((await response.json()).headers).address
  }
  expect(await addressFor('203.0.113.9:51234')).toBe('203.0.113.9')
  expect(await addressFor('[2001:db8:1::7]:51234')).toBe('2001:db8:1::7')
  expect(await addressFor('1.1.1.1, 203.0.113.9:51234, 10.0.0.1:8080, [2001:db8:9::1]:443')).toBe('203.0.113.9')
  await behind.close()
})

test('clients behind a proxy that writes ports are limited one by one, whatever their ports', async () => {
  const behind = await startGateway({
    upstream: echo.url,
    trustedProxies: ['127.0.0.0/8'],
    rateLimits: { requestsPerMinute: 3 },
  })
  const statusesOf = async (client: string) => {
    const send = (port: number) =>
      behind.call('/api/folders', { headers: { 'x-forwarded-for': `${client}:${port}, 127.0.0.1:80` } })
    return (await Promise.all([5001, 5002, 5003, 5004].map(send))).map(({ status }) => status).toSorted()
  }
  expect(await statusesOf('203.0.113.9')).toEqual([200, 200, 200, 429])
  expect(await statusesOf('203.0.113.10')).toEqual([200, 200, 200, 429])
  await behind.close()
})

test('does not forward hop-by-hop headers', async () => {
  const request = httpRequest(`${gateway.url}/api/folders`, {
    method: 'POST',
    headers: {
      origin: ORIGIN,
      connection: 'keep-alive, x-once',
      'x-once': '1',
      'keep-alive': 'timeout=9',
      te: 'trailers',
      expect: '100-continue',
      'content-type': 'text/plain',
    },
  })
  request.end('hello')
  const [response] = await once(request, 'response')
  const text = (await response.toArray()).join('')
  const seen = JSON.parse(text)
  expect(seen.body).toBe('hello')
  for (const name of ['x-once', 'keep-alive', 'te', 'expect']) expect(seen.headers).not.toHaveProperty(name)
})

test('forwards ranges and conditions, but not the server header of the service', async () => {
  const part = await gateway.call('/api/uploads/ranged.jpg', { headers: { range: 'bytes=2-4' } })
  expect([part.status, part.headers.get('content-range'), await part.text()]).toEqual([
    206,
    'bytes 2-4/10',
    'bytes=2-4',
  ])
  expect(part.headers.get('server')).toBeNull()
  const same = await gateway.call('/api/uploads/ranged.jpg', { headers: { 'if-none-match': '"e1"' } })
  expect(same.status).toBe(304)
  const head = await gateway.call('/api/uploads/ranged.jpg', { method: 'HEAD' })
  expect([head.status, head.headers.get('content-type')]).toEqual([206, 'image/jpeg'])
})

describe('write requests', () => {
  const post = async (headers: Record<string, string>) => {
    const request = httpRequest(`${gateway.url}/api/folders`, { method: 'POST', headers })
    request.end()
    const [response] = await once(request, 'response')
    return { status: response.statusCode, body: JSON.parse((await response.toArray()).join('')) }
  }

  test.each(['https://evil.example', 'null', 'http://skyfolio.test.evil.example', 'https://skyfolio.test'])(
    'are rejected when they come from %s',
    async (foreign) => {
      const { status, body } = await post({ origin: foreign })
      expect([status, body.code]).toEqual([403, 'foreign_origin'])
    },
  )

  test('are accepted from a page of our own', async () => {
    expect((await post({ origin: ORIGIN })).status).toBe(200)
  })

  test('are rejected however their path is encoded', async () => {
    const response = await gateway.call('/%61pi/folders', {
      method: 'POST',
      headers: { origin: 'https://evil.example', 'content-type': 'application/json' },
      body: '{}',
    })
    expect([response.status, (await response.json()).code]).toEqual([403, 'foreign_origin'])
    expect(response.headers.get('content-security-policy')).toContain('sandbox')
  })

  test('are rejected without an origin only with a session cookie', async () => {
    expect((await post({})).status).toBe(200)
    const { cookie } = await gateway.signIn()
    expect((await post({ cookie })).body.code).toBe('foreign_origin')
  })

  test('need an origin, reads do not', async () => {
    const response = await gateway.call('/api/folders', { headers: { origin: 'https://evil.example' } })
    expect(response.status).toBe(200)
    expect(response.headers.get('access-control-allow-origin')).toBeNull()
  })
})

describe('returns errors in the error model for', () => {
  test('an oversized body', async () => {
    const body = JSON.stringify({ name: 'x'.repeat(300_000) })
    const response = await gateway.call('/api/folders', {
      method: 'POST',
      body,
      headers: { 'content-type': 'application/json' },
    })
    expect([response.status, await response.json()]).toEqual([
      413,
      { code: 'payload_too_large', message: 'The request is too large.' },
    ])
  })

  test('an oversized body without declared length', async () => {
    async function* pieces() {
      for (let index = 0; index < 40; index++) yield Buffer.alloc(8 * 1024, ' ')
    }
    const response = await gateway.call('/api/folders', {
      method: 'POST',
      body: ReadableStream.from(pieces()),
      duplex: 'half',
      headers: { 'content-type': 'application/json' },
    } as RequestInit)
    expect([response.status, (await response.json()).code]).toEqual([413, 'payload_too_large'])
  })

  test('a malformed vote', async () => {
    const response = await gateway.call('/api/photos/1/rank', {
      method: 'POST',
      body: '{"fingerprint":',
      headers: { 'content-type': 'application/json' },
    })
    expect([response.status, (await response.json()).code]).toEqual([400, 'bad_request'])
  })

  test('an unknown path, also with path traversal', async () => {
    for (const path of ['/api/nothing', '/api/uploads/..%2f..%2fuser', '/api/photos/1/unknown']) {
      const response = await gateway.call(path)
      expect([path, response.status >= 400 && response.status < 500]).toEqual([path, true])
      expect(await response.json()).toMatchObject({ code: expect.any(String), message: expect.any(String) })
    }
  })

  test('a broken escape in the path', async () => {
    const response = await gateway.call('/api/uploads/%ff')
    expect(response.status).toBeGreaterThanOrEqual(400)
    expect(response.status).toBeLessThan(500)
  })
})

test('a vote reaches the service completely', async () => {
  const body = { fingerprint: randomBytes(8).toString('hex'), rank: 'first', folderId: 3 }
  const { cookie } = await gateway.signIn({ userId: 7, username: 'ada' })
  const response = await gateway.call('/api/photos/9/rank', {
    method: 'POST',
    body: JSON.stringify(body),
    headers: { 'content-type': 'application/json', cookie: `voter=abc; device=d; ${cookie}` },
  })
  const seen = await response.json()
  expect(seen).toMatchObject({ params: { id: '9' }, body, headers: { cookie: 'voter=abc' } })
  expect(seen.identity).toMatchObject({ userId: 7, username: 'ada', address: '127.0.0.1' })
  expect(seen.requestId).toBe(response.headers.get('x-request-id'))
  // All of them: votes are answered without Fastify's hooks.
  expect(Object.fromEntries(response.headers)).toEqual({
    'cache-control': 'private, no-store',
    connection: 'keep-alive',
    'content-length': String(JSON.stringify(seen).length),
    'content-security-policy': "default-src 'none'; frame-ancestors 'none'; sandbox",
    'content-type': 'application/json; charset=utf-8',
    'cross-origin-resource-policy': 'same-origin',
    date: expect.any(String),
    'keep-alive': expect.any(String),
    'x-content-type-options': 'nosniff',
    'x-echo': 'batch',
    'x-request-id': seen.requestId,
  })
})

test('batches share pages with all that they depend on, and keeps the caching headers and cookies of the service', async () => {
  const { cookie } = await gateway.signIn({ userId: 7 })
  const getPage = (headers: Record<string, string> = {}) =>
    gateway.call('/api/share/abc?fingerprint=f%201', { headers })
  const kept = { 'accept-encoding': 'gzip', 'if-none-match': '"e0"', 'x-share-code': 'def' }
  const response = await getPage({ cookie: `voter=v1; ${cookie}`, ...kept })
  const seen = await response.json()
  expect(seen).toMatchObject({ params: { shareCode: 'abc' }, query: { fingerprint: 'f 1' }, identity: { userId: 7 } })
  expect(seen.headers).toEqual({ cookie: 'voter=v1', ...kept })
  expect(seen.requestId).toBe(response.headers.get('x-request-id'))
  const { headers } = response
  expect([headers.get('x-echo'), headers.get('etag'), headers.get('cache-control')]).toEqual([
    'batch',
    '"e1"',
    'private, no-cache',
  ])
  expect([headers.get('content-type'), headers.get('x-content-type-options')]).toEqual(['application/json', 'nosniff'])
  // The service of this test says '*'.
  expect(headers.get('content-security-policy')).toContain('sandbox')
  const unchanged = await getPage({ 'if-none-match': '"e1"' })
  expect([unchanged.status, await unchanged.text(), unchanged.headers.get('etag')]).toEqual([304, '', '"e1"'])
  for (const { headers } of [response, unchanged]) expect(headers.getSetCookie()).toEqual(['voter=v2', 'links=l2'])
  expect(unchanged.headers.get('content-type')).toBeNull()
})

test('forwards a share page on its own when it is too large for a batch or the request is HEAD', async () => {
  const large = await gateway.call('/api/share/large?a=1')
  expect(large.headers.get('x-echo')).toBeNull()
  expect(await large.json()).toMatchObject({ method: 'GET', url: '/api/share/large?a=1' })
  const head = await gateway.call('/api/share/abc', { method: 'HEAD' })
  expect([head.status, head.headers.get('x-echo'), await head.text()]).toEqual([200, null, ''])
})

test('forwards share pages on their own when their batch failed', async () => {
  const service = Fastify()
  service.get('/api/share/:code', async ({ url }) => ({ url }))
  const gatewayToService = await startGateway({ upstream: await service.listen({ port: 0, host: '127.0.0.1' }) })
  const pages = await Promise.all(['a', 'b', 'c'].map((code) => gatewayToService.call(`/api/share/${code}`)))
  const urls = await Promise.all(pages.map(async (page) => (await page.json()).url))
  expect(urls).toEqual(['/api/share/a', '/api/share/b', '/api/share/c'])
  await gatewayToService.close()
  await service.close()
})

test('does not expose the internal batch routes of services', async () => {
  for (const method of ['GET', 'POST']) {
    const response = await gateway.call('/internal/batches/v1/POST/api/photos/:id/rank', { method })
    expect(await response.text()).not.toContain('identity')
    expect(response.headers.get('x-echo')).toBeNull()
  }
})
