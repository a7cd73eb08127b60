import { request as httpRequest } from 'node:http'
import { createServer } from 'node:net'
import { Type } from 'typebox'
import { afterEach, expect, test } from 'vitest'
import { decodeBatch, encodeRequest, signBatch } from '../src/batching/batch-wire.ts'
import {
  type App,
  type BatchClient,
  type BatchedResponse,
  batchRoute,
  buildServer,
  conflict,
  createBatchClient,
  createLogger,
  IDENTITY_HEADER,
  type Identity,
  signIdentity,
  tooManyRequests,
  visitorIdentity,
} from '../src/index.ts'

const keys = ['key-key-key-key-key-key-key-key-key-key']
const visitor = visitorIdentity('192.0.2.1')
const ada: Identity = { ...visitor, userId: 1, username: 'ada', sessionHash: 'h', confirmedAt: 5 }
const ROUTE = '/things/:id'
const BATCH_PATH = '/internal/batches/v1/POST/things/:id'
const lines: Record<string, unknown>[] = []
const cleanups: (() => unknown)[] = []
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup()
  lines.length = 0
})

const logger = () => createLogger('test', 'info', { write: (line) => lines.push(JSON.parse(line)) })

/** A service with one batch route; `work` says how long an item takes. */
async function service(options: { access?: 'public' | 'user'; work?: (name: string) => unknown } = {}) {
  const app = await buildServer({ name: 'test', logger: logger(), identityKeys: keys })
  const batches: number[] = []
  app.addHook('onRequest', async (request) => {
    if (request.url === BATCH_PATH) batches.push(0)
  })
  batchRoute(app, keys, {
    method: 'POST',
    url: ROUTE,
    config: { access: options.access ?? 'public', quiet: true },
    schema: {
      summary: 'Does a thing',
      params: Type.Object({ id: Type.Integer({ minimum: 1 }) }),
      body: Type.Object({ name: Type.String({ maxLength: 20, 'x-message': 'The name is too long' }) }),
      response: { 200: Type.Object({ id: Type.Integer(), name: Type.String(), who: Type.Unknown() }) },
    },
    async handler({ params, body, identity, headers: { cookie } }) {
      batches[batches.length - 1] = (batches.at(-1) ?? 0) + 1
      await options.work?.(body.name)
      if (body.name === 'taken') throw conflict('It is taken')
      if (body.name === 'busy') throw tooManyRequests('Later, please', 1.2, 'things')
      if (body.name === 'broken') throw new Error('the innards')
      const answer = { id: params.id, name: body.name, who: identity.username, secret: 'hunter2' }
      if (!cookie) return { body: answer }
      return { body: answer, headers: { 'set-cookie': [`seen=${cookie}`, `name=${body.name}`] } }
    },
  })
  const url = await app.listen({ port: 0, host: '127.0.0.1' })
  cleanups.push(() => app.close())
  return { app, url, batches }
}

function batchesTo(upstream: string, maxQueued?: number): BatchClient {
  const batches = createBatchClient({
    logger: logger(),
    upstream,
    method: 'POST',
    route: ROUTE,
    identityKeys: keys,
    ...(maxQueued && { maxQueued }),
  })
  cleanups.push(() => batches.close())
  return batches
}

let lastId = 0
const item = (body: unknown, options: { id?: string; identity?: Identity; cookie?: string } = {}) => ({
  id: `request-${++lastId}`,
  identity: options.identity ?? visitor,
  params: { id: options.id ?? '5' },
  query: {},
  body,
  headers: { cookie: options.cookie },
})

const send = async (batches: BatchClient, request: ReturnType<typeof item>) =>
  (await batches.send(request)) as BatchedResponse<string>

async function inBatch(batches: BatchClient, request: ReturnType<typeof item>) {
  const [status, body, headers = {}] = await send(batches, request)
  return [status, body, headers]
}

/** The same request on its own, answered as an item of a batch would be. */
async function alone(app: App, request: ReturnType<typeof item>) {
  const response = await app.inject({
    method: 'POST',
    url: `/things/${request.params.id}`,
    headers: {
      [IDENTITY_HEADER]: signIdentity(request.identity, keys),
      'content-type': 'application/json',
      ...(request.headers.cookie && { cookie: request.headers.cookie }),
    },
    payload: JSON.stringify(request.body),
  })
  const kept = ['set-cookie', 'retry-after'].filter((name) => response.headers[name] !== undefined)
  const headers = Object.fromEntries(kept.map((name) => [name, response.headers[name]]))
  return [response.statusCode, response.body, headers]
}

test.each([
  ['a good one', item({ name: 'a' })],
  ['one of a user', item({ name: 'ä "quoted" \n 😀' }, { identity: ada })],
  ['one with a cookie, which gets two', item({ name: 'a' }, { cookie: 'voter=1; other=2' })],
  ['a wrong parameter', item({ name: 'a' }, { id: 'x' })],
  ['a parameter out of range', item({ name: 'a' }, { id: '0' })],
  ['a field that is missing', item({})],
  ['a field of a wrong type', item({ name: 5 })],
  ['a field with a sentence of its own', item({ name: 'x'.repeat(21) })],
  ['no object', item('text')],
  ['null', item(null)],
  ['a rejection', item({ name: 'taken' })],
  ['a rejection with a time', item({ name: 'busy' })],
  ['a failure', item({ name: 'broken' })],
])('in a batch and on its own, %s gets the same response', async (_name, request) => {
  const { app, url } = await service()
  expect(await inBatch(batchesTo(url), request)).toEqual(await alone(app, request))
})

test('each request of a batch passes the access rule by its own identity', async () => {
  const { app, url } = await service({ access: 'user' })
  const batches = batchesTo(url)
  const requests = [item({ name: 'a' }), item({ name: 'b' }, { identity: ada })]
  const answers = await Promise.all(requests.map((request) => inBatch(batches, request)))
  expect(answers.map(([status]) => status)).toEqual([401, 200])
  expect(answers).toEqual(await Promise.all(requests.map((request) => alone(app, request))))
})

test('an invalid request never affects the others', async () => {
  const { url } = await service()
  const batches = batchesTo(url)
  const names = ['a', 'broken', 'b', 'taken', 'x'.repeat(30), 'c']
  const answers = await Promise.all(names.map((name) => send(batches, item({ name }))))
  expect(answers.map(([status]) => status)).toEqual([200, 500, 200, 409, 400, 200])
})

test('requests that arrive while two batches are in flight share the next one', async () => {
  const gates: Record<string, PromiseWithResolvers<void>> = {
    one: Promise.withResolvers(),
    two: Promise.withResolvers(),
  }
  const started: string[] = []
  const { url, batches: sizes } = await service({
    work: (name) => {
      started.push(name)
      return gates[name]?.promise
    },
  })
  const batches = batchesTo(url)
  const first = send(batches, item({ name: 'one' }))
  await expect.poll(() => started).toEqual(['one'])
  const second = send(batches, item({ name: 'two' }))
  await expect.poll(() => started).toEqual(['one', 'two'])
  const rest = Array.from({ length: 50 }, (_, index) => send(batches, item({ name: `${index}` })))
  gates.one?.resolve()
  expect((await Promise.all(rest)).map(([, body]) => JSON.parse(body).name)).toEqual(rest.map((_, index) => `${index}`))
  gates.two?.resolve()
  await Promise.all([first, second])
  expect(sizes).toEqual([1, 1, 50])
})

test('a failing request is logged with its own request id, and its error is hidden from the client', async () => {
  const { url } = await service()
  const request = item({ name: 'broken' })
  const [status, body] = await send(batchesTo(url), request)
  expect([status, body.includes('innards')]).toEqual([500, false])
  expect(lines.filter((line) => line.requestId === request.id).map((line) => line.msg)).toEqual([
    'request failed',
    'request',
  ])
})

const unavailable = { status: 503, code: 'unavailable', retryAfter: 1 }

test('an unavailable service is 503 with Retry-After for each request, and the next batch succeeds after the outage', async () => {
  const { app, url } = await service()
  const batches = batchesTo(url)
  await app.close()
  const answers = await Promise.allSettled(['a', 'b'].map((name) => send(batches, item({ name }))))
  expect(answers).toMatchObject([{ reason: unavailable }, { reason: unavailable }])
  const again = await service()
  expect((await send(batchesTo(again.url), item({ name: 'a' })))[0]).toBe(200)
})

test('a batch whose connection breaks is not sent again', async () => {
  let requests = 0
  const server = createServer((socket) => {
    socket.on('error', () => {})
    socket.once('data', () => {
      requests += 1
      socket.resetAndDestroy()
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  cleanups.push(() => server.close())
  const { port } = server.address() as { port: number }
  await expect(batchesTo(`http://127.0.0.1:${port}`).send(item({ name: 'a' }))).rejects.toMatchObject(unavailable)
  expect(requests).toBe(1)
})

test('a full queue is 503 with Retry-After at once', async () => {
  const gate = Promise.withResolvers<void>()
  const { url } = await service({ work: () => gate.promise })
  const batches = batchesTo(url, 3)
  const taken = ['a', 'b', 'c'].map((name) => send(batches, item({ name })))
  await expect(send(batches, item({ name: 'd' }))).rejects.toMatchObject(unavailable)
  gate.resolve()
  expect((await Promise.all(taken)).map(([status]) => status)).toEqual([200, 200, 200])
})

test('a service that closes finishes the batches that it has accepted', async () => {
  const gate = Promise.withResolvers<void>()
  const started = Promise.withResolvers<void>()
  const { app, url } = await service({
    work: () => {
      started.resolve()
      return gate.promise
    },
  })
  const answer = send(batchesTo(url), item({ name: 'a' }))
  await started.promise
  const closed = app.close()
  gate.resolve()
  expect((await answer)[0]).toBe(200)
  await closed
})

test('batches share a connection, which is replaced from time to time', async () => {
  const { app, url } = await service()
  let connections = 0
  app.server.on('connection', () => {
    connections += 1
  })
  const batches = batchesTo(url)
  for (let count = 0; count < 499; count += 1) await send(batches, item({ name: 'a' }))
  expect(connections).toBe(1)
  for (let count = 0; count < 2; count += 1) expect((await send(batches, item({ name: 'a' })))[0]).toBe(200)
  expect(connections).toBe(2)
})

function post(url: string, body: string, headers: Record<string, string>): Promise<number | undefined> {
  return new Promise((resolve, reject) => {
    const request = httpRequest(url, { method: 'POST', headers: { 'content-type': 'application/json', ...headers } })
    request.on('response', (response) => {
      response.resume()
      resolve(response.statusCode)
    })
    request.on('error', reject)
    request.end(body)
  })
}

test('rejects a batch without a valid, fresh signature of this batch', async () => {
  const { url } = await service()
  const batch = `[${encodeRequest(item({ name: 'a' }, { identity: ada }))}]`
  const identity = { [IDENTITY_HEADER]: signIdentity(visitor, keys) }
  const send = (headers: Record<string, string>, body = batch) => post(`${url}${BATCH_PATH}`, body, headers)
  const signed = (...args: Parameters<typeof signBatch>) => ({ 'x-skyfolio-batch': signBatch(...args) })

  expect(await send({ ...identity, ...signed(BATCH_PATH, batch, keys) })).toBe(200)
  expect(await send(signed(BATCH_PATH, batch, keys))).toBe(401)
  expect(await send(identity)).toBe(401)
  expect(await send({ ...identity, 'x-skyfolio-batch': identity[IDENTITY_HEADER] as string })).toBe(401)
  expect(await send({ ...identity, ...signed(BATCH_PATH, batch, ['another-key-another-key-another-key']) })).toBe(401)
  expect(await send({ ...identity, ...signed('/internal/batches/others', batch, keys) })).toBe(401)
  expect(await send({ ...identity, ...signed(BATCH_PATH, batch, keys, [Date.now() - 61_000, 0]) })).toBe(503)
  expect(await send({ ...identity, ...signed(BATCH_PATH, batch, keys) }, batch.replace('ada', 'eve'))).toBe(401)
})

test('a request of a batch says when the password was entered, and none of a visitor does', () => {
  const decoded = (batch: string) => decodeBatch(BATCH_PATH, batch, signBatch(BATCH_PATH, batch, keys), keys)
  const [now, never] = [ada, { ...ada, confirmedAt: null }].map((identity) =>
    encodeRequest(item({ name: 'a' }, { identity })),
  )
  expect(JSON.parse(never ?? '')).toHaveLength(10)
  expect(decoded(`[${now},${never}]`).map(({ identity, trace }) => [identity.confirmedAt, trace])).toEqual([
    [5, undefined],
    [null, undefined],
  ])
  const traced = encodeRequest(item({ name: 'a' }, { identity: ada }), { traceparent: 't' })
  expect(decoded(`[${traced}]`)).toMatchObject([{ identity: ada, trace: { traceparent: 't' } }])
})

test('a service of a release without the batch route receives each request on its own', async () => {
  const app = await buildServer({ name: 'test', logger: logger(), identityKeys: keys })
  const url = await app.listen({ port: 0, host: '127.0.0.1' })
  cleanups.push(() => app.close())
  const batches = batchesTo(url)
  expect(await Promise.all([batches.send(item({ name: 'one' })), batches.send(item({ name: 'two' }))])).toEqual([
    null,
    null,
  ])
})
