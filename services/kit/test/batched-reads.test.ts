import { createHash } from 'node:crypto'
import { Type } from 'typebox'
import { afterEach, expect, test } from 'vitest'
import { decodeResponses, encodeResponses } from '../src/batching/batch-wire.ts'
import {
  type BatchClient,
  type BatchedResponse,
  batchRoute,
  buildServer,
  createBatchClient,
  createLogger,
  IDENTITY_HEADER,
  notFound,
  signIdentity,
  visitorIdentity,
} from '../src/index.ts'

const keys = ['key-key-key-key-key-key-key-key-key-key']
const visitor = visitorIdentity('192.0.2.1')
const ROUTE = '/books/:id'
const LARGEST = 64 * 1024
/** Of all books the same, as a cached beginning would be. */
const BEGINNING = Buffer.from([0, 1, 2, 0xff, 0xfe])
const lines: Record<string, unknown>[] = []
const cleanups: (() => unknown)[] = []
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup()
  lines.length = 0
})

const logger = () => createLogger('test', 'info', { write: (line) => lines.push(JSON.parse(line)) })

/** A service whose books are bytes with a tag; each response says who asked for it. */
async function library() {
  const app = await buildServer({ name: 'test', logger: logger(), identityKeys: keys })
  batchRoute(app, keys, {
    method: 'GET',
    url: ROUTE,
    config: { access: 'public' },
    schema: {
      summary: 'A book',
      params: Type.Object({ id: Type.Integer({ minimum: 1 }) }),
      querystring: Type.Object({ bytes: Type.Optional(Type.Integer({ maximum: 1e6 })) }),
      response: { 200: Type.Object({ title: Type.String() }) },
    },
    async handler({ params, query, headers: { cookie = 'none', ...asked } }) {
      if (params.id === 404) throw notFound('There is no such book')
      if (params.id === 1) return { body: { title: `ä ${cookie}`, secret: 1 }, headers: { 'x-who': cookie } }
      const end = Buffer.alloc(query.bytes ?? 10, `${cookie}.`)
      const etag = `"${createHash('sha256').update(end).digest('hex').slice(0, 8)}"`
      const headers = { etag, 'x-who': cookie, 'x-encodings': asked['accept-encoding'] ?? '' }
      if (asked['if-none-match'] === etag) return { status: 304, bytes: [], headers }
      const typed = { ...headers, 'content-type': 'application/x-book', 'set-cookie': `of=${cookie}` }
      return { status: 200, bytes: [BEGINNING, end], headers: typed }
    },
  })
  const url = await app.listen({ port: 0, host: '127.0.0.1' })
  cleanups.push(() => app.close())
  return { app, url }
}

function batchesTo(upstream: string): BatchClient {
  const batches = createBatchClient({ logger: logger(), upstream, method: 'GET', route: ROUTE, identityKeys: keys })
  cleanups.push(() => batches.close())
  return batches
}

interface Asked {
  id?: string
  query?: Record<string, string>
  headers?: Record<string, string>
}

let lastId = 0

const inBatch = (batches: BatchClient, { id = '5', query = {}, headers = {} }: Asked) =>
  batches.send({ id: `request-${++lastId}`, identity: visitor, params: { id }, query, body: undefined, headers })

/** The same request on its own, in the form of a response of a batch. */
async function alone(url: string, { id = '5', query = {}, headers = {} }: Asked, method = 'GET') {
  const response = await fetch(`${url}/books/${id}?${new URLSearchParams(query)}`, {
    method,
    headers: { 'accept-encoding': '', ...headers, [IDENTITY_HEADER]: signIdentity(visitor, keys) },
  })
  return { status: response.status, headers: response.headers, bytes: Buffer.from(await response.arrayBuffer()) }
}

const ada = { cookie: 'ada' }

test.each<[string, Asked]>([
  ['bytes', {}],
  ['bytes of a length that was asked for', { query: { bytes: '1000' } }],
  ['none', { query: { bytes: '0' }, headers: ada }],
  ['as many bytes as a batch takes', { query: { bytes: `${LARGEST - BEGINNING.length}` } }],
  ['JSON', { id: '1', headers: ada }],
  ['another tag', { headers: { ...ada, 'if-none-match': '"other"' } }],
  ['encodings', { headers: { 'accept-encoding': 'gzip, br' } }],
  ['a rejection', { id: '404' }],
  ['a wrong parameter', { id: 'x' }],
  ['a wrong query', { query: { bytes: 'many' } }],
])('read in a batch and on its own, %s is the same', async (_name, asked) => {
  const { url } = await library()
  const own = await alone(url, asked)
  const [status, body, headers = {}] = (await inBatch(batchesTo(url), asked)) ?? []
  expect([status, Buffer.from(body ?? '')]).toEqual([own.status, own.bytes])
  expect(Object.fromEntries(Object.keys(headers).map((name) => [name, own.headers.get(name)]))).toEqual(headers)
  if (typeof body === 'string') expect(own.headers.get('content-type')).toMatch(/^application\/json/)
})

test('an unchanged page is 304 without a body, in a batch and on its own', async () => {
  const { url } = await library()
  const batches = batchesTo(url)
  const [, , first] = (await inBatch(batches, { headers: ada })) ?? []
  const again = { headers: { ...ada, 'if-none-match': String(first?.etag) } }
  expect(await inBatch(batches, again)).toEqual([304, Buffer.alloc(0), expect.objectContaining({ etag: first?.etag })])
  const own = await alone(url, again)
  expect([own.status, own.bytes.length, own.headers.get('content-type')]).toEqual([304, 0, null])
})

test('readers in one batch get their own bytes, headers and cookies, though they share a beginning', async () => {
  const { url } = await library()
  const batches = batchesTo(url)
  const cookies = Array.from({ length: 200 }, (_, index) => `reader-${index}`)
  const answers = await Promise.all(cookies.map((cookie) => inBatch(batches, { headers: { cookie } })))
  for (const [index, answer] of answers.entries()) {
    const cookie = `${cookies[index]}`
    const [, body, headers] = answer ?? []
    expect(body).toEqual(Buffer.concat([BEGINNING, Buffer.alloc(10, `${cookie}.`)]))
    expect([headers?.['x-who'], headers?.['set-cookie']]).toEqual([cookie, `of=${cookie}`])
  }
})

test('a response too large for a batch must be read on its own, and is logged only there', async () => {
  const { url } = await library()
  const asked = { query: { bytes: `${LARGEST - BEGINNING.length + 1}` } }
  const [large, small] = await Promise.all([inBatch(batchesTo(url), asked), inBatch(batchesTo(url), {})])
  expect([large, small?.[0]]).toEqual([null, 200])
  expect((await alone(url, asked)).bytes.length).toBe(LARGEST + 1)
  await expect.poll(() => lines.filter(({ route }) => route === ROUTE).length).toBe(2)
})

test('after a failed batch, each request must be sent on its own', async () => {
  const { app, url } = await library()
  await app.close()
  const batches = batchesTo(url)
  expect(await Promise.all([inBatch(batches, {}), inBatch(batches, { id: '1' })])).toEqual([null, null])
  expect(lines.filter(({ msg }) => msg === 'request batch failed').length).toBe(1)
})

test('HEAD has the length of the response and no body', async () => {
  const { url } = await library()
  const own = await alone(url, {}, 'HEAD')
  expect([own.status, own.headers.get('content-length'), own.bytes.length]).toEqual([200, '15', 0])
})

test('a part that responses share is sent once', () => {
  const shared = Buffer.alloc(10_000, 'x')
  const answers = Array.from({ length: 100 }, (): BatchedResponse<Buffer[]> => [200, [shared, Buffer.from('a')], {}])
  const bytes = encodeResponses([...answers, null, [404, '{"ü":1}']])
  expect(bytes.length).toBeLessThan(20_000)
  const read = decodeResponses(bytes)
  expect(read.slice(-2)).toEqual([null, [404, '{"ü":1}']])
  for (const answer of read.slice(0, -2)) expect(answer?.[1]).toEqual(Buffer.concat([shared, Buffer.from('a')]))
})
