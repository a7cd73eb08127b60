import { once } from 'node:events'
import { connect } from 'node:net'
import { text } from 'node:stream/consumers'
import { waitFor } from '@skyfolio/testkit'
import { Type } from 'typebox'
import { afterEach, expect, test } from 'vitest'
import {
  type App,
  badRequest,
  buildServer,
  createLogger,
  ErrorBody,
  GATEWAY_HEADER,
  IDENTITY_HEADER,
  type Identity,
  invalidFields,
  requireUser,
  type ServerOptions,
  signIdentity,
  tooManyRequests,
  unavailable,
  visitorIdentity,
} from '../src/index.ts'
import { renderMetrics } from '../src/telemetry/metrics.ts'

const keys = ['key-key-key-key-key-key-key-key-key-key']
const visitor = visitorIdentity('192.0.2.1')
const ada: Identity = { ...visitor, userId: 1, username: 'ada', sessionHash: 'h' }
const lines: Record<string, unknown>[] = []
const apps: App[] = []

async function server(
  add: (app: App) => void,
  identityKeys: string[] = keys,
  options: Partial<ServerOptions> = {},
): Promise<App> {
  const logger = createLogger('test', 'info', { write: (line) => lines.push(JSON.parse(line)) })
  const app = await buildServer({ name: 'test', logger, ...(identityKeys.length > 0 && { identityKeys }), ...options })
  apps.push(app)
  add(app)
  return app
}

afterEach(async () => {
  await Promise.all(apps.splice(0).map((app) => app.close()))
  lines.length = 0
})

function as(identity: Identity): Record<string, string> {
  return { [IDENTITY_HEADER]: signIdentity(identity, keys) }
}

function failing(error: unknown): Promise<App> {
  return server((app) => {
    app.get('/', { config: { access: 'public' } }, async () => {
      throw error
    })
  })
}

const folders = (app: App) => {
  app.post(
    '/folders/:id',
    {
      config: { access: 'public' },
      schema: {
        params: Type.Object({ id: Type.Integer() }),
        body: Type.Object({
          name: Type.String({ minLength: 1, maxLength: 5, 'x-message': { required: 'Name it', minLength: 'Name it' } }),
          note: Type.Optional(Type.Union([Type.String(), Type.Null()], { 'x-message': 'A note is a text' })),
          count: Type.Optional(Type.Integer()),
        }),
        response: { 200: Type.Object({ id: Type.Integer() }), '4xx': ErrorBody },
      },
    },
    async (request) => ({ id: request.params.id, secret: 'hunter2' }),
  )
}

test('rejects a route that does not declare its access', async () => {
  await expect(
    server((app) => {
      app.get('/', { config: {} as never }, async () => 'x')
    }),
  ).rejects.toThrow('Route GET / does not declare its access')
})

test('enforces the access of each route', async () => {
  const app = await server((app) => {
    app.get('/public', { config: { access: 'public' } }, async (request) => ({ address: request.identity.address }))
    app.get('/user', { config: { access: 'user' } }, async (request) => ({ name: requireUser(request).username }))
    app.get('/admin', { config: { access: 'admin' } }, async () => ({}))
    app.get('/gateway', { config: { access: 'gateway' } }, async () => ({}))
  })
  const status = async (url: string, identity: Identity) =>
    (await app.inject({ url, headers: as(identity) })).statusCode
  expect(await status('/public', visitor)).toBe(200)
  expect(await status('/user', visitor)).toBe(401)
  expect(await status('/user', ada)).toBe(200)
  expect(await status('/admin', visitor)).toBe(401)
  expect(await status('/admin', ada)).toBe(403)
  expect(await status('/admin', { ...ada, isAdmin: true })).toBe(200)
  // What the gateway forwards has its identity, but never its header.
  expect(await status('/gateway', { ...ada, isAdmin: true })).toBe(404)
  const own = await app.inject({ url: '/gateway', headers: { ...as(visitor), [GATEWAY_HEADER]: 'page' } })
  expect(own.statusCode).toBe(200)
  const answer = await app.inject({ url: '/public', headers: as(visitor) })
  expect(answer.json()).toEqual({ address: '192.0.2.1' })
})

test.each([
  ['no identity', {}, 401],
  ['a forged identity', { [IDENTITY_HEADER]: signIdentity(ada, ['another-key-another-key-another-key-1']) }, 401],
  ['an expired identity', { [IDENTITY_HEADER]: signIdentity(ada, keys, [Date.now() - 61_000, 0]) }, 503],
])('with %s every request is rejected, also for public and unknown routes', async (_what, headers, status) => {
  const app = await server((app) => {
    app.get('/', { config: { access: 'public' } }, async () => 'x')
  })
  for (const url of ['/', '/unknown']) {
    const answer = await app.inject({ url, headers })
    expect(answer.statusCode).toBe(status)
    expect(answer.json()).toMatchObject({ code: status === 401 ? 'identity_invalid' : 'unavailable' })
  }
})

test('reads a body only from permitted callers', async () => {
  const app = await server((app) => {
    app.post('/', { config: { access: 'user' } }, async () => 'x')
  })
  const answer = await app.inject({
    method: 'POST',
    url: '/',
    headers: { ...as(visitor), 'content-type': 'application/json' },
    payload: 'not json',
  })
  expect(answer.json()).toMatchObject({ code: 'unauthenticated', message: 'Please log in.' })
})

test('a hook of its own sets the identity before access is checked when there are no keys (the gateway)', async () => {
  const app = await server((app) => {
    app.addHook('onRequest', async (request) => {
      expect(request.identity).toEqual({ ...visitor, address: '127.0.0.1' })
      if (request.headers.cookie) request.identity = ada
    })
    app.get('/', { config: { access: 'user' } }, async () => 'x')
  }, [])
  expect((await app.inject({ url: '/' })).statusCode).toBe(401)
  expect((await app.inject({ url: '/', headers: { cookie: 'sid=1' } })).statusCode).toBe(200)
})

test('an unknown path is a 404 in the error model', async () => {
  const app = await server(folders)
  const answer = await app.inject({ url: '/nothing?lat=38.1', headers: as(visitor) })
  expect(answer.statusCode).toBe(404)
  expect(answer.json()).toEqual({ code: 'not_found', message: 'There is nothing at GET /nothing.' })
})

test.each([
  ['malformed JSON', '{"name":', 'application/json', 400, 'The request body is not valid JSON.'],
  ['an empty JSON body', '', 'application/json', 400, 'The request body is not valid JSON.'],
  ['a poisoned JSON body', '{"__proto__":{}}', 'application/json', 400, 'The request body is not valid JSON.'],
  ['an oversized body', `"${'x'.repeat(300_000)}"`, 'application/json', 413, 'The request is too large.'],
  ['another type of body', 'x', 'text/csv', 415, 'This type of content is not accepted here.'],
])('%s is rejected in the error model', async (_what, payload, type, status, message) => {
  const app = await server(folders)
  const headers = { ...as(visitor), 'content-type': type }
  const answer = await app.inject({ method: 'POST', url: '/folders/1', headers, payload })
  expect(answer.statusCode).toBe(status)
  expect(answer.json()).toEqual({ code: expect.any(String), message })
})

test.each([
  ['a missing field', {}, { name: 'Name it' }, 'Name it'],
  ['an empty field', { name: '' }, { name: 'Name it' }, 'Name it'],
  ['a field without a sentence', { name: 'too long' }, { name: 'This value is not valid.' }, undefined],
  ['null where text must be', { name: null }, { name: 'This value is not valid.' }, undefined],
  ['a number as text', { name: 'x', count: '5' }, { count: 'This value is not valid.' }, undefined],
  ['a field of several types', { name: 'x', note: 5 }, { note: 'A note is a text' }, 'A note is a text'],
  ['two fields', { name: '', count: 'x' }, { name: 'Name it', count: 'This value is not valid.' }, 'Name it'],
])('%s is rejected with the sentence of the schema', async (_what, payload, fields, message) => {
  const app = await server(folders)
  const answer = await app.inject({ method: 'POST', url: '/folders/1', headers: as(visitor), payload })
  expect(answer.statusCode).toBe(400)
  const general = 'Some fields are missing or not valid.'
  expect(answer.json()).toEqual({ code: 'invalid_fields', message: message ?? general, fields })
})

test('path values become numbers, and a response contains only the fields of its schema', async () => {
  const app = await server(folders)
  const headers = as(visitor)
  const answer = await app.inject({ method: 'POST', url: '/folders/7', headers, payload: { name: 'x', note: null } })
  expect(answer.json()).toEqual({ id: 7 })
  const wrong = await app.inject({ method: 'POST', url: '/folders/seven', headers, payload: { name: 'x' } })
  expect(wrong.json()).toMatchObject({ code: 'invalid_fields', fields: { id: 'This value is not valid.' } })
})

const SPELLINGS: [text: string, status: number][] = [
  ['7', 200],
  ['%37', 200],
  ['2147483647', 200],
  ...[
    ...['2147483648', '9007199254740993', '99999999999999999999', '0', '-1'],
    ...['1e1', '1E1', '0x10', '0b1', '0o7', '+1', '%2B1', '01', '00', '-0', '1.0', '1.', '.5', '1_0', '1n', 'NaN'],
    ...['%201', '1%20', '%091', '1%0a', '1%00', '%EF%BC%91', '%D9%A1', '%E2%82%81', 'true', 'null', '', '%20'],
  ].map((text): [string, number] => [text, 400]),
]

test.each(SPELLINGS)('an id in the path and in the query is spelt in decimal digits: %j', async (text, status) => {
  const Id = Type.Integer({ minimum: 1, maximum: 2 ** 31 - 1 })
  const schema = { params: Type.Object({ id: Id }), querystring: Type.Object({ after: Type.Optional(Id) }) }
  const app = await server((app) => {
    app.get('/things/:id', { config: { access: 'public' }, schema }, async ({ params }) => params)
  })
  const get = (url: string) => app.inject({ url, headers: as(visitor) })
  const [inPath, inQuery] = [await get(`/things/${text}`), await get(`/things/7?after=${text}`)]
  expect([inPath.statusCode, inQuery.statusCode]).toEqual([status, status])
  if (status === 200) return
  expect(inPath.json()).toMatchObject({ code: 'invalid_fields', fields: { id: 'This value is not valid.' } })
  expect(inQuery.json()).toMatchObject({ code: 'invalid_fields', fields: { after: 'This value is not valid.' } })
})

test('an AppError becomes a response with its message', async () => {
  const refuse = async (error: unknown) => {
    const app = await failing(error)
    const answer = await app.inject({ url: '/', headers: as(visitor) })
    return { status: answer.statusCode, retryAfter: answer.headers['retry-after'], ...answer.json() }
  }
  expect(await refuse(badRequest('No.', { issues: ['a', 'b'] }))).toMatchObject({ status: 400, issues: ['a', 'b'] })
  expect(await refuse(invalidFields({ name: 'Name it' }))).toEqual({
    status: 400,
    retryAfter: undefined,
    code: 'invalid_fields',
    message: 'Name it',
    fields: { name: 'Name it' },
  })
  expect(await refuse(tooManyRequests('Slow down.', 2.5, 'requests'))).toMatchObject({ status: 429, retryAfter: '3' })
})

test('an unknown error is a 500 without internals, and is logged with its cause', async () => {
  const app = await failing(new Error('SELECT secret', { cause: new Error('the cause') }))
  const answer = await app.inject({ url: '/', headers: as(visitor) })
  expect(answer.statusCode).toBe(500)
  expect(answer.json()).toEqual({ code: 'internal', message: 'Something went wrong. Please try again.' })
  const line = lines.find((line) => line.msg === 'request failed')
  expect(line).toMatchObject({ level: 50, err: { message: 'SELECT secret', cause: { message: 'the cause' } } })
})

test.each(['a text', undefined, null, 5])('%j thrown is a 500 too', async (thrown) => {
  const app = await failing(thrown)
  expect((await app.inject({ url: '/', headers: as(visitor) })).statusCode).toBe(500)
})

test.each([
  Object.assign(new Error('connect'), { code: 'ECONNREFUSED' }),
  new Error('query failed', { cause: Object.assign(new Error('terminating'), { code: '57P01' }) }),
  Object.assign(new Error('gone'), { name: 'MaxRetriesPerRequestError' }),
  Object.assign(new Error('no answer'), { name: 'NoResponders' }),
])('a server that is out of reach is a 503 to try again (%s)', async (error) => {
  const app = await failing(error)
  const answer = await app.inject({ url: '/', headers: as(visitor) })
  expect(answer.statusCode).toBe(503)
  expect(Number(answer.headers['retry-after'])).toBeGreaterThan(0)
  expect(answer.json()).toEqual({
    code: 'unavailable',
    message: 'The service is temporarily unavailable. Please try again in a moment.',
  })
})

test('a service keeps the request id of the gateway when it is one, the gateway makes its own', async () => {
  const route = (app: App) => {
    app.get('/', { config: { access: 'public' } }, async (request) => ({ id: request.id }))
  }
  const service = await server(route)
  const id = async (app: App, given: string) => {
    const answer = await app.inject({ url: '/', headers: { ...as(visitor), 'x-request-id': given } })
    expect(answer.headers['x-request-id']).toBe(answer.json().id)
    return answer.json().id
  }
  expect(await id(service, 'request-0001')).toBe('request-0001')
  expect(lines.at(-1)).toMatchObject({ msg: 'request', requestId: 'request-0001', route: '/', status: 200 })
  expect(await id(service, 'bad id\tinjected')).toMatch(/^[0-9a-f-]{36}$/)
  expect(await id(await server(route, []), 'request-0001')).toMatch(/^[0-9a-f-]{36}$/)
})

test('a quiet route logs its errors and only a sample of its successes', async () => {
  let refuse = false
  const app = await server((app) => {
    app.get('/', { config: { access: 'public', quiet: true } }, async () => {
      if (refuse) throw badRequest('No.')
      return {}
    })
  })
  for (let i = 0; i < 20; i++) await app.inject({ url: '/', headers: as(visitor) })
  expect(lines).toMatchObject([{ msg: 'request', status: 200, sampled: 1000 }])
  refuse = true
  await app.inject({ url: '/', headers: as(visitor) })
  expect(lines.at(-1)).toMatchObject({ msg: 'request', status: 400, code: 'bad_request' })
})

test('rejections by a limit are logged once for each network and limit, and counted', async () => {
  const app = await server((app) => {
    app.get('/:limit', { config: { access: 'public' } }, async ({ params }) => {
      throw tooManyRequests('Slow down.', 1, (params as { limit: string }).limit)
    })
  })
  const send = (limit: string, address: string) =>
    app.inject({ url: `/${limit}`, headers: as(visitorIdentity(address)) })
  for (let times = 0; times < 50; times += 1) await send('searches', '192.0.2.7')
  await send('sign-ins', '192.0.2.7')
  for (const end of ['1', '2', '3']) await send('searches', `2001:db8::${end}`)
  const rejected = {
    level: 40,
    msg: 'request rejected by a limit',
    route: '/:limit',
    status: 429,
    requestId: expect.any(String),
  }
  expect(lines).toMatchObject([
    { ...rejected, limit: 'searches', network: '192.0.2.7' },
    { ...rejected, limit: 'sign-ins', network: '192.0.2.7' },
    { ...rejected, limit: 'searches', network: '2001:db8:0:0::/64' },
  ])
  const { text: measured } = await renderMetrics()
  expect(measured).toContain('skyfolio_rate_limited_total{limit="searches"} 53')
  await app.close()
  expect(lines.slice(3)).toMatchObject([
    { limit: 'searches', network: '192.0.2.7', repeated: 49 },
    { limit: 'searches', network: '2001:db8:0:0::/64', repeated: 2 },
  ])
})

test('a share that is used up is logged like a limit, with the network and without a stack', async () => {
  const app = await failing(unavailable('Too many at once.', 1, 'slots'))
  for (let times = 0; times < 3; times += 1) await app.inject({ url: '/', headers: as(visitor) })
  const expected = { level: 40, msg: 'request rejected by a limit', status: 503, limit: 'slots', network: '192.0.2.1' }
  expect(lines).toMatchObject([expected])
  await app.close()
  expect(lines.slice(1)).toMatchObject([{ ...expected, repeated: 2 }])
})

test('an outage is logged once for each route and cause, not once for each request', async () => {
  const app = await failing(Object.assign(new Error('connect'), { code: 'ECONNREFUSED' }))
  for (let times = 0; times < 30; times += 1) await app.inject({ url: '/', headers: as(visitor) })
  expect(lines).toMatchObject([
    { level: 50, msg: 'request failed', route: '/', err: { code: 'ECONNREFUSED' } },
    { level: 30, msg: 'request', route: '/', status: 503 },
  ])
  await app.close()
  expect(lines.slice(2)).toMatchObject([
    { msg: 'request failed', repeated: 29 },
    { msg: 'request', repeated: 29 },
  ])
})

test('the log holds the pattern of a path, not the path, so no share code and no query', async () => {
  const app = await server((app) => {
    app.get('/share/:code', { config: { access: 'public' } }, async () => ({}))
  })
  await app.inject({ url: '/share/abc123?lat=38.04', headers: as(visitor) })
  expect(lines).toMatchObject([{ route: '/share/:code' }])
  expect(JSON.stringify(lines)).not.toMatch(/abc123|38\.04/)
})

test('invalid HTTP is rejected in the error model', async () => {
  const app = await server(folders)
  await app.listen({ port: 0, host: '127.0.0.1' })
  const address = app.server.address()
  if (typeof address !== 'object' || !address) throw new Error('no port')
  const socket = connect(address.port, '127.0.0.1')
  socket.write('NONSENSE\r\n\r\n')
  const answer = await text(socket)
  expect(answer).toContain('400 Bad Request')
  expect(JSON.parse(answer.split('\r\n\r\n')[1] ?? '')).toEqual({
    code: 'bad_request',
    message: 'The request is not valid.',
  })
  const bad = await app.inject({ url: '/%zz', headers: as(visitor) })
  expect(bad.json()).toEqual({ code: 'bad_request', message: 'The request is not valid.' })
})

test('closing lets requests in progress finish', async () => {
  const started = Promise.withResolvers<void>()
  const release = Promise.withResolvers<void>()
  const app = await server((app) => {
    app.get('/', { config: { access: 'public' } }, async () => {
      started.resolve()
      await release.promise
      return { done: true }
    })
  })
  const url = await app.listen({ port: 0, host: '127.0.0.1' })
  const answer = fetch(url, { headers: as(visitor) })
  await started.promise
  const closed = app.close()
  release.resolve()
  expect(await (await answer).json()).toEqual({ done: true })
  await closed
  await expect(fetch(url)).rejects.toThrow()
})

test('during the lame-duck time requests are served, and each response closes its connection', async () => {
  const app = await server((app) => app.get('/', { config: { access: 'public' } }, async () => ({})))
  app.lameDuckMs = 3_000
  const url = await app.listen({ port: 0, host: '127.0.0.1' })
  const connection = async () => (await fetch(url, { headers: as(visitor) })).headers.get('connection')
  expect(await connection()).toBe('keep-alive')
  const begun = performance.now()
  const closed = app.close()
  await waitFor(async () => (await connection()) === 'close', { what: 'an answer that ends its connection' })
  expect(await connection()).toBe('close')
  await closed
  expect(performance.now() - begun).toBeGreaterThan(2_900)
  await expect(fetch(url)).rejects.toThrow()
})

test('a request that takes longer than the drain is asked to end, and its connection is closed', async () => {
  const started = Promise.withResolvers<void>()
  let wasAsked = false
  const app = await server((app) => {
    app.get('/', { config: { access: 'public' } }, async () => {
      started.resolve()
      await once(app.ending, 'abort')
      wasAsked = true
      await new Promise(() => {})
    })
  })
  app.drainMs = 500
  const url = await app.listen({ port: 0, host: '127.0.0.1' })
  const answer = fetch(url, { headers: as(visitor) }).catch((error) => error)
  await started.promise
  await app.close()
  expect(wasAsked).toBe(true)
  expect(await answer).toBeInstanceOf(Error)
})

test('routes describe themselves as OpenAPI', async () => {
  const app = await server(folders)
  await app.ready()
  expect(app.swagger()).toMatchObject({ openapi: '3.1.0', paths: { '/folders/{id}': { post: {} } } })
})

test('the OpenAPI document says which routes need a session, and whose', async () => {
  const app = await server((app) => {
    for (const access of ['public', 'user', 'admin'] as const)
      app.get(`/${access}`, { config: { access } }, async () => ({}))
  })
  await app.ready()
  expect(app.swagger()).toMatchObject({
    components: { securitySchemes: { session: { type: 'apiKey', in: 'cookie', name: 'sid' } } },
    paths: {
      '/public': { get: { security: [] } },
      '/user': { get: { security: [{ session: [] }] } },
      '/admin': { get: { security: [{ session: ['administrator'] }] } },
    },
  })
})

test('errors below configured paths repeat their message as `error`', async () => {
  const add = (app: App) => {
    app.post('/api/geocode', { config: { access: 'public' } }, async () => {
      throw tooManyRequests('Slow down.', 1, 'requests')
    })
  }
  const app = await server(add, [], { errorFieldPaths: ['/api/geocode', '/api/walgreens'] })
  const bodyOf = async (url: string, payload = {}) => (await app.inject({ method: 'POST', url, payload })).json()
  const slow = { code: 'too_many_requests', message: 'Slow down.', error: 'Slow down.' }
  expect(await bodyOf('/api/geocode')).toEqual(slow)
  expect(await bodyOf('/api/geoc%6fde?q=1')).toEqual(slow)
  for (const url of ['/api/walgreens/stores', '/api/geocode/%zz']) {
    const { error, message } = await bodyOf(url)
    expect([url, error]).toEqual([url, message])
  }
  expect(await bodyOf('/api/geocoder')).not.toHaveProperty('error')
})
