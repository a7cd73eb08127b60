import { request as httpRequest } from 'node:http'
import { createServer } from 'node:net'
import { Type } from 'typebox'
import { afterEach, expect, test } from 'vitest'
import { encodeRequest, signBatch } from '../src/batching/batch-wire.ts'
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
} from '../src/index.ts'

const keys = ['key-key-key-key-key-key-key-key-key-key']
const visitor: Identity = { userId: null, username: null, isAdmin: false, sessionHash: null, address: '192.0.2.1' }
const ada: Identity = { ...visitor, userId: 1, username: 'ada', sessionHash: 'h' }
const ROUTE = '/things/:id'
const FOLDS = '/internal/folds/v1/POST/things/:id'
const lines: Record<string, unknown>[] = []
const cleanups: (() => unknown)[] = []
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup()
  lines.length = 0
})

const logger = () => createLogger('test', 'info', { write: (line) => lines.push(JSON.parse(line)) })

/** A service with one foldable route; `work` says how long an item takes. */
async function service(o: { access?: 'public' | 'user'; work?: (name: string) => unknown } = {}) {
  const app = await buildServer({ name: 'test', logger: logger(), identityKeys: keys })
  const folds: number[] = []
  app.addHook('onRequest', async (request) => {
    if (request.url === FOLDS) folds.push(0)
  })
  batchRoute(app, keys, {
    method: 'POST',
    url: ROUTE,
    config: { access: o.access ?? 'public', quiet: true },
    schema: {
      summary: 'Does a thing',
      params: Type.Object({ id: Type.Integer({ minimum: 1 }) }),
      body: Type.Object({ name: Type.String({ maxLength: 20, 'x-message': 'The name is too long' }) }),
      response: { 200: Type.Object({ id: Type.Integer(), name: Type.String(), who: Type.Unknown() }) },
    },
    async handler({ params, body, identity, headers: { cookie } }) {
      folds[folds.length - 1] = (folds.at(-1) ?? 0) + 1
      await o.work?.(body.name)
      if (body.name === 'taken') throw conflict('It is taken')
      if (body.name === 'busy') throw tooManyRequests('Later, please', 1.2)
      if (body.name === 'broken') throw new Error('the innards')
      const answer = { id: params.id, name: body.name, who: identity.username, secret: 'hunter2' }
      return cookie ? { body: answer, headers: { 'set-cookie': `seen=${cookie}` } } : { body: answer }
    },
  })
  const url = await app.listen({ port: 0, host: '127.0.0.1' })
  cleanups.push(() => app.close())
  return { app, url, folds }
}

function foldsTo(upstream: string, maxQueued?: number): BatchClient {
  const folds = createBatchClient({
    logger: logger(),
    upstream,
    method: 'POST',
    route: ROUTE,
    identityKeys: keys,
    ...(maxQueued && { maxQueued }),
  })
  cleanups.push(() => folds.close())
  return folds
}

let lastId = 0
const item = (body: unknown, o: { id?: string; identity?: Identity; cookie?: string } = {}) => ({
  id: `request-${++lastId}`,
  identity: o.identity ?? visitor,
  params: { id: o.id ?? '5' },
  query: {},
  body,
  headers: { cookie: o.cookie },
})

const send = async (folds: BatchClient, request: ReturnType<typeof item>) =>
  (await folds.send(request)) as BatchedResponse<string>

async function inFold(folds: BatchClient, request: ReturnType<typeof item>) {
  const [status, body, headers = {}] = await send(folds, request)
  return [status, body, headers]
}

/** The same request on its own, answered as an item of a fold would be. */
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
  const headers = Object.fromEntries(kept.map((name) => [name, String(response.headers[name])]))
  return [response.statusCode, response.body, headers]
}

test.each([
  ['a good one', item({ name: 'a' })],
  ['one of a user', item({ name: 'ä "quoted" \n 😀' }, { identity: ada })],
  ['one with a cookie', item({ name: 'a' }, { cookie: 'voter=1; other=2' })],
  ['a wrong parameter', item({ name: 'a' }, { id: 'x' })],
  ['a parameter out of range', item({ name: 'a' }, { id: '0' })],
  ['a field that is missing', item({})],
  ['a field of a wrong type', item({ name: 5 })],
  ['a field with a sentence of its own', item({ name: 'x'.repeat(21) })],
  ['no object', item('text')],
  ['null', item(null)],
  ['a refusal', item({ name: 'taken' })],
  ['a refusal with a time', item({ name: 'busy' })],
  ['a failure', item({ name: 'broken' })],
])('in a fold and on its own, %s gets the same answer', async (_name, request) => {
  const { app, url } = await service()
  expect(await inFold(foldsTo(url), request)).toEqual(await alone(app, request))
})

test('each item of a fold passes the access rule by its own identity', async () => {
  const { app, url } = await service({ access: 'user' })
  const folds = foldsTo(url)
  const requests = [item({ name: 'a' }), item({ name: 'b' }, { identity: ada })]
  const answers = await Promise.all(requests.map((request) => inFold(folds, request)))
  expect(answers.map(([status]) => status)).toEqual([401, 200])
  expect(answers).toEqual(await Promise.all(requests.map((request) => alone(app, request))))
})

test('a bad item never harms its neighbours', async () => {
  const { url } = await service()
  const folds = foldsTo(url)
  const names = ['a', 'broken', 'b', 'taken', 'x'.repeat(30), 'c']
  const answers = await Promise.all(names.map((name) => send(folds, item({ name }))))
  expect(answers.map(([status]) => status)).toEqual([200, 500, 200, 409, 400, 200])
})

test('what arrives while two folds are under way goes together in the next', async () => {
  const gates: Record<string, PromiseWithResolvers<void>> = {
    one: Promise.withResolvers(),
    two: Promise.withResolvers(),
  }
  const started: string[] = []
  const { url, folds: sizes } = await service({
    work: (name) => {
      started.push(name)
      return gates[name]?.promise
    },
  })
  const folds = foldsTo(url)
  const first = send(folds, item({ name: 'one' }))
  await expect.poll(() => started).toEqual(['one'])
  const second = send(folds, item({ name: 'two' }))
  await expect.poll(() => started).toEqual(['one', 'two'])
  const rest = Array.from({ length: 50 }, (_, index) => send(folds, item({ name: `${index}` })))
  gates.one?.resolve()
  expect((await Promise.all(rest)).map(([, body]) => JSON.parse(body).name)).toEqual(rest.map((_, index) => `${index}`))
  gates.two?.resolve()
  await Promise.all([first, second])
  expect(sizes).toEqual([1, 1, 50])
})

test('each item is logged with its own request id when it fails, and its trouble is not told to the client', async () => {
  const { url } = await service()
  const request = item({ name: 'broken' })
  const [status, body] = await send(foldsTo(url), request)
  expect([status, body.includes('innards')]).toEqual([500, false])
  expect(lines.filter((line) => line.requestId === request.id).map((line) => line.msg)).toEqual([
    'request failed',
    'request',
  ])
})

const unavailable = { status: 503, code: 'unavailable', retryAfter: 1 }

test('a service that is away is 503 with a time for each item, and the next fold finds it when it is back', async () => {
  const { app, url } = await service()
  const folds = foldsTo(url)
  await app.close()
  const answers = await Promise.allSettled(['a', 'b'].map((name) => send(folds, item({ name }))))
  expect(answers).toMatchObject([{ reason: unavailable }, { reason: unavailable }])
  const again = await service()
  expect((await send(foldsTo(again.url), item({ name: 'a' })))[0]).toBe(200)
})

test('a fold whose connection breaks is not sent again', async () => {
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
  await expect(foldsTo(`http://127.0.0.1:${port}`).send(item({ name: 'a' }))).rejects.toMatchObject(unavailable)
  expect(requests).toBe(1)
})

test('a full queue is 503 with a time at once', async () => {
  const gate = Promise.withResolvers<void>()
  const { url } = await service({ work: () => gate.promise })
  const folds = foldsTo(url, 3)
  const taken = ['a', 'b', 'c'].map((name) => send(folds, item({ name })))
  await expect(send(folds, item({ name: 'd' }))).rejects.toMatchObject(unavailable)
  gate.resolve()
  expect((await Promise.all(taken)).map(([status]) => status)).toEqual([200, 200, 200])
})

test('a service that closes ends the folds that it has taken', async () => {
  const gate = Promise.withResolvers<void>()
  const started = Promise.withResolvers<void>()
  const { app, url } = await service({
    work: () => {
      started.resolve()
      return gate.promise
    },
  })
  const answer = send(foldsTo(url), item({ name: 'a' }))
  await started.promise
  const closed = app.close()
  gate.resolve()
  expect((await answer)[0]).toBe(200)
  await closed
})

test('folds share a connection, which is made anew now and then', async () => {
  const { app, url } = await service()
  let connections = 0
  app.server.on('connection', () => {
    connections += 1
  })
  const folds = foldsTo(url)
  for (let count = 0; count < 499; count += 1) await send(folds, item({ name: 'a' }))
  expect(connections).toBe(1)
  for (let count = 0; count < 2; count += 1) expect((await send(folds, item({ name: 'a' })))[0]).toBe(200)
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

test('a fold is worth nothing without a genuine, fresh signature of this very fold', async () => {
  const { url } = await service()
  const fold = `[${encodeRequest(item({ name: 'a' }, { identity: ada }))}]`
  const identity = { [IDENTITY_HEADER]: signIdentity(visitor, keys) }
  const send = (headers: Record<string, string>, body = fold) => post(`${url}${FOLDS}`, body, headers)
  const signed = (...args: Parameters<typeof signBatch>) => ({ 'x-skyfolio-fold': signBatch(...args) })

  expect(await send({ ...identity, ...signed(FOLDS, fold, keys) })).toBe(200)
  expect(await send(signed(FOLDS, fold, keys))).toBe(401)
  expect(await send(identity)).toBe(401)
  expect(await send({ ...identity, 'x-skyfolio-fold': identity[IDENTITY_HEADER] as string })).toBe(401)
  expect(await send({ ...identity, ...signed(FOLDS, fold, ['another-key-another-key-another-key']) })).toBe(401)
  expect(await send({ ...identity, ...signed('/internal/folds/others', fold, keys) })).toBe(401)
  expect(await send({ ...identity, ...signed(FOLDS, fold, keys, Date.now() - 61_000) })).toBe(401)
  expect(await send({ ...identity, ...signed(FOLDS, fold, keys) }, fold.replace('ada', 'eve'))).toBe(401)
})

test('a service of another release, which knows no such fold, is asked for each request on its own', async () => {
  const app = await buildServer({ name: 'test', logger: logger(), identityKeys: keys })
  const url = await app.listen({ port: 0, host: '127.0.0.1' })
  cleanups.push(() => app.close())
  const folds = foldsTo(url)
  expect(await Promise.all([folds.send(item({ name: 'one' })), folds.send(item({ name: 'two' }))])).toEqual([
    null,
    null,
  ])
})
