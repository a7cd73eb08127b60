import { once } from 'node:events'
import { Readable } from 'node:stream'
import { Worker } from 'node:worker_threads'
import { waitFor } from '@skyfolio/testkit'
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import { CLIENT_LIMITS } from '../../src/client-limits.ts'
import { countStatuses, headOf, openMany, type RawClient, sendFrom } from '../many-clients.ts'
import { startEcho, startGateway, type TestGateway, type Upstream } from '../support.ts'

const ATTACKER = '127.0.0.2'
const NEIGHBOUR = '127.0.0.3'
const MANY = 600
/** The quarter of one site. */
const MAX_INCOMPLETE = CLIENT_LIMITS.incompleteRequests / 4
const MB = 1024 * 1024
/** Shorter than shipped, and long enough for the neighbour's requests meanwhile. */
const LIMITS = {
  headersMs: 4_000,
  bodyMs: 4_000,
  uploadStallMs: 4_000,
  waitMs: 300,
  downloadWaitMs: 300,
  // Fewer than shipped: each fills the buffers of two connections.
  downloads: 80,
  readAheadBytes: 16 * MB,
  slowReaders: { windowMs: 4_000 },
}
const VOTE = JSON.stringify({ fingerprint: 'f'.repeat(16), rank: 'first', folderId: 1 })
const SIGN_IN = JSON.stringify({ username: 'pilot', password: 'correct horse' })

let service: Upstream
let gateway: TestGateway
/** Requests that reached the service, and those that it has not finished. */
const reached = new Map<string, number>()
let unfinished = 0
const clients: RawClient[] = []
const drips: NodeJS.Timeout[] = []
const logged: string[] = []

beforeAll(async () => {
  service = await startEcho((app) => {
    app.addHook('onRequest', async ({ url }, { raw }) => {
      reached.set(url, countReached(url) + 1)
      unfinished += 1
      raw.once('close', () => {
        unfinished -= 1
      })
    })
    app.get('/api/uploads/endless', (_request, reply) => {
      const body = new Readable({ read: () => void body.push(Buffer.alloc(64 * 1024)) })
      return reply.send(body)
    })
  })
  const logTo = (line: string) => void logged.push(line)
  gateway = await startGateway({ upstream: service.url, clientLimits: LIMITS, maxStreams: 200, logTo })
})
afterEach(() => {
  for (const drip of drips.splice(0)) clearInterval(drip)
  for (const { socket } of clients.splice(0)) socket.destroy()
})
afterAll(async () => {
  await gateway.close()
  await service.app.close()
})

const countReached = (url: string) => reached.get(url) ?? 0

function attack(texts: string[], count = MANY): RawClient[] {
  const opened = openMany(gateway, ATTACKER, count, texts)
  clients.push(...opened)
  return opened
}

/** Signs in, votes, looks and uploads from another address. */
async function useFromElsewhere(): Promise<number[]> {
  const send = (line: string, body?: string) => sendFrom(gateway, NEIGHBOUR, line, body ? { body } : {})
  return [
    await send('POST /api/login', SIGN_IN),
    await send('GET /api/user'),
    await send('POST /api/photos/1/rank', VOTE),
    await send('GET /api/share/abc'),
    await send('GET /'),
    await send('GET /api/uploads/a.jpg'),
    await sendFrom(gateway, NEIGHBOUR, 'POST /api/upload-photos', { body: Buffer.alloc(MB) }),
  ]
}
const ALL_SERVED = Array(7).fill(200)

const allClosed = (opened: RawClient[]) =>
  waitFor(() => opened.every(({ isClosed }) => isClosed), { what: 'all connections have ended' })

test('half a header from 600 connections holds nobody up, and ends with 408', async () => {
  const opened = attack(['GET /api/user HTTP/1.1\r\nHost: x\r\nX-Half: '])
  expect(await useFromElsewhere()).toEqual(ALL_SERVED)
  await allClosed(opened)
  expect(countStatuses(opened)).toEqual({ 408: MANY })
  expect(opened[0]?.received).toContain('"code":"request_timeout"')
})

test.each([
  ['a sign-in', 'POST /api/login', SIGN_IN],
  ['a vote', 'POST /api/photos/1/rank', VOTE],
  ['what no route expects', 'POST /api/nothing', SIGN_IN],
])(
  'half of %s, then a byte every moment, never reaches the service: a quarter may wait, and ends with 408',
  async (_what, line, body) => {
    const before = countReached('/api/login')
    const opened = attack([headOf(line, body.length) + body.slice(0, 20)])
    let sent = 20
    drips.push(
      setInterval(() => {
        if (sent < body.length - 1) for (const { socket } of opened) socket.write(body.charAt(sent))
        sent += 1
      }, 250),
    )
    await waitFor(() => countStatuses(opened)[503], { what: 'what exceeds the share is rejected' })
    expect(await useFromElsewhere()).toEqual(ALL_SERVED)
    await allClosed(opened)
    const { 408: late = 0, 503: rejected = 0, ...others } = countStatuses(opened)
    expect([late + rejected, others]).toEqual([MANY, {}])
    // On a slow machine the last ones arrive when the first are late.
    expect(late).toBeGreaterThanOrEqual(MAX_INCOMPLETE)
    expect(opened.find((client) => client.status() === 503)?.received).toMatch(/\r\nretry-after: 1\r\n/)
    expect(countReached('/api/login') - before).toBe(1)
    // Nothing of the share is lost.
    expect(await sendFrom(gateway, ATTACKER, 'POST /api/login', { body: SIGN_IN })).toBe(200)
  },
)

test('600 clients that stop reading a large file hold a quarter of the downloads, until they are disconnected', async () => {
  const head = 'GET /api/uploads/endless HTTP/1.1\r\nHost: x\r\n\r\n'
  for (let round = 0; round < 2; round += 1) {
    const opened = attack([head])
    for (const { socket } of opened) socket.once('data', () => socket.pause())
    await waitFor(() => opened.every(({ received }) => received !== ''), { what: 'every request has its response' })
    const { 200: begun = 0, 503: rejected = 0, ...others } = countStatuses(opened)
    expect([begun + rejected, others], `round ${round}`).toEqual([MANY, {}])
    expect(begun).toBeGreaterThanOrEqual(LIMITS.downloads / 4)
    expect(begun).toBeLessThan(LIMITS.downloads)
    expect(await useFromElsewhere()).toEqual(ALL_SERVED)
    for (const { socket, status } of opened) if (status() === 503) socket.destroy()
    // A paused client does not notice the end of its connection; the gateway does.
    await waitFor(() => unfinished === 0, { what: 'the service has no open response' })
  }
})

test('half an upload from 600 connections leaves room for others, and ends below its least rate', async () => {
  const before = countReached('/api/upload-photos')
  const opened = attack([headOf('POST /api/upload-photos', MB, 'application/octet-stream') + 'x'.repeat(1_000)])
  await waitFor(() => countReached('/api/upload-photos') - before === MANY, { what: 'the uploads have arrived' })
  expect(await useFromElsewhere()).toEqual(ALL_SERVED)
  await allClosed(opened)
  await waitFor(() => unfinished === 0, { what: 'the service has no open request' })
})

test('event streams of one address leave room for others', async () => {
  const users = await Promise.all(
    Array.from({ length: 60 }, (_, index) => gateway.signIn({ userId: 1_000 + index, username: `pilot${index}` })),
  )
  const heads = users.map(({ cookie }) => `GET /api/events HTTP/1.1\r\nHost: x\r\nCookie: ${cookie}\r\n\r\n`)
  const opened = attack(heads)
  await waitFor(() => opened.every(({ received }) => received !== ''), { what: 'every request has its response' })
  expect(countStatuses(opened)).toEqual({ 200: 50, 503: 550 })
  expect(await useFromElsewhere()).toEqual(ALL_SERVED)
  const elsewhere = openMany(gateway, NEIGHBOUR, 1, heads)
  clients.push(...elsewhere)
  await waitFor(() => elsewhere[0]?.status() === 200, { what: 'a stream from elsewhere' })
  for (const { socket } of opened) socket.destroy()
  const again = () => attack(heads.slice(0, 1), 1)
  await waitFor(
    async () => {
      const [stream] = again()
      await waitFor(() => stream?.received !== '', { what: 'a response' })
      return stream?.status() === 200
    },
    { what: 'the share is free again' },
  )
})

// Another thread, since the reset must arrive while the gateway's is busy.
const RESETTING_CLIENTS = `
const { connect } = require('node:net')
const { workerData: { port, count } } = require('node:worker_threads')
const request = 'GET /api/user HTTP/1.1\\r\\nHost: x\\r\\n\\r\\n'
for (let index = 0; index < count; index++) {
  const socket = connect(port, '127.0.0.1', () => socket.write(request, () => socket.resetAndDestroy()))
  socket.on('error', () => {})
}`

test('connections that are reset right after their request cost no error', async () => {
  const busy = setInterval(() => {
    const since = performance.now()
    while (performance.now() - since < 30);
  }, 31)
  const workerData = { port: Number(new URL(gateway.url).port), count: 300 }
  await once(new Worker(RESETTING_CLIENTS, { eval: true, workerData }), 'exit')
  clearInterval(busy)
  expect(await useFromElsewhere()).toEqual(ALL_SERVED)
  expect(logged.filter((line) => line.includes('request failed'))).toEqual([])
})
