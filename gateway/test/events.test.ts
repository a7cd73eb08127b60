import { once } from 'node:events'
import { connect } from 'node:net'
import { openRedis, publishHint, sessionKey } from '@skyfolio/kit'
import { events, hints } from '@skyfolio/proto'
import { startNats, startRedis, waitFor } from '@skyfolio/testkit'
import { afterAll, beforeAll, expect, onTestFinished, test, vi } from 'vitest'
import { createLiveEvents } from '../src/live/live-events.ts'
import { startEcho, startGateway, type TestGateway, type Upstream } from './support.ts'

let echo: Upstream
let gateway: TestGateway
beforeAll(async () => {
  echo = await startEcho()
  gateway = await startGateway({ upstream: echo.url, streamsPerUser: 2 })
})
afterAll(async () => {
  await gateway.close()
  await echo.app.close()
})

/** Opens a stream and records its events and its end. */
async function openStream(cookie: string, at = gateway) {
  const abort = new AbortController()
  const response = await at.call('/api/events', { headers: { cookie }, signal: abort.signal })
  const stream = { response, events: [] as unknown[], text: '', ended: false, close: () => abort.abort() }
  if (response.status !== 200) return stream
  const read = async () => {
    for await (const chunk of response.body as unknown as AsyncIterable<Uint8Array>) {
      stream.text += Buffer.from(chunk).toString()
      stream.events = [...stream.text.matchAll(/(?<!^event: ready\n)^data: (.*)$/gm)].map(([, json]) =>
        JSON.parse(json ?? ''),
      )
    }
  }
  void read()
    .catch(() => {})
    .finally(() => {
      stream.ended = true
    })
  return stream
}

const photo = (changes: { id: number; userId: number; folderId?: number }) => ({
  photo: { title: 'secret', latitude: '46.78', ...changes },
  revision: 1,
})

test('a browser receives hints about its own photos, folders, rankings and orders, without their content', async () => {
  const mine = await gateway.signIn({ userId: 101 })
  const stream = await openStream(mine.cookie)
  expect(stream.response.headers.get('content-type')).toBe('text/event-stream')
  expect(stream.response.headers.get('cache-control')).toBe('no-store')
  const { nats } = gateway
  publishHint(nats, events.photoChanged, photo({ id: 7, userId: 102 }))
  publishHint(nats, events.photoChanged, photo({ id: 1, userId: 101, folderId: 5 }))
  publishHint(nats, events.photoChanged, photo({ id: 2, userId: 101 }))
  publishHint(nats, events.photoDeleted, { photoId: 3, userId: 101, folderId: 5, revision: 2 })
  publishHint(nats, events.folderChanged, { folder: { id: 5, userId: 101, name: 'secret' }, revision: 1 })
  publishHint(nats, events.folderDeleted, { folderId: 6, userId: 101, revision: 2 })
  publishHint(nats, hints.contentsChanged, { userId: 101 })
  publishHint(nats, hints.rankingsChanged, { folderId: 5, userId: 101 })
  publishHint(nats, events.orderChanged, { order: { id: 9, userId: 102, storeNumber: '59' }, revision: 1 })
  publishHint(nats, events.orderChanged, { order: { id: 8, userId: 101, storeNumber: '59' }, revision: 2 })
  await waitFor(() => stream.events.length >= 8, { what: 'eight events' })
  expect(stream.events).toHaveLength(8)
  expect(stream.events).toEqual(
    expect.arrayContaining([
      { type: 'photo.changed', id: 1, folderId: 5 },
      { type: 'photo.changed', id: 2 },
      { type: 'photo.deleted', id: 3, folderId: 5 },
      { type: 'folder.changed', id: 5 },
      { type: 'folder.deleted', id: 6 },
      { type: 'contents.changed', id: 101 },
      { type: 'rankings.changed', id: 5 },
      { type: 'order.changed', id: 8 },
    ]),
  )
  stream.close()
})

test('a stream begins with how long there has been no event of its user', async () => {
  const live = createLiveEvents()
  vi.useFakeTimers()
  onTestFinished(() => void vi.useRealTimers())
  live.endAll()
  vi.advanceTimersByTime(5_000)
  vi.setSystemTime(Date.now() + 3_600_000) // Corrects the computer's clock: no time has passed.
  expect(live.quietMs(1)).toBe(5_000)
  live.deliver(1, { type: 'photo.changed', id: 1 })
  vi.advanceTimersByTime(2_000)
  live.deliver(2, { type: 'photo.changed', id: 1 })
  expect([live.quietMs(1), live.quietMs(2), live.quietMs(3)]).toEqual([2_000, 0, 7_000])
  vi.advanceTimersByTime(100_000)
  expect([live.quietMs(1), live.quietMs(3)]).toEqual([60_000, 60_000])
  // After an outage nothing is known of the time before.
  live.endAll()
  expect(live.quietMs(3)).toBe(0)

  vi.useRealTimers()
  const { cookie } = await gateway.signIn({ userId: 109 })
  const opened = await openStream(cookie)
  await waitFor(() => /^event: ready\ndata: {"quietMs":\d+}$/m.test(opened.text), { what: 'the event ready' })
  opened.close()
})

test('requests without a session get no stream', async () => {
  expect((await openStream('')).response.status).toBe(401)
})

test('limits the streams of a user, and frees the place of a closed one', async () => {
  const { cookie } = await gateway.signIn({ userId: 103 })
  const [first, second] = [await openStream(cookie), await openStream(cookie)]
  const third = await openStream(cookie)
  expect([third.response.status, (await third.response.json()).code]).toEqual([429, 'too_many_requests'])
  first.close()
  const again = await waitFor(
    async () => {
      const stream = await openStream(cookie)
      return stream.response.status === 200 && stream
    },
    { what: 'a free place for another stream' },
  )
  again.close()
  second.close()
})

test('browsers that leave while their session is read take no places', async () => {
  const redis = await startRedis()
  const control = openRedis(redis.url, 'events-test')
  const at = await startGateway({ upstream: echo.url, redisUrl: redis.url, streamsPerUser: 2 })
  const { hostname, port } = new URL(at.url)
  const { cookie } = await at.signIn({ userId: 104 })
  await control.call('CLIENT', 'PAUSE', 500, 'ALL')
  for (let count = 0; count < 2; count++) {
    const socket = connect(Number(port), hostname)
    await once(socket, 'connect')
    socket.write(`GET /api/events HTTP/1.1\r\nHost: x\r\nCookie: ${cookie}\r\n\r\n`, () => socket.destroy())
    await once(socket, 'close')
  }
  const stream = await openStream(cookie, at)
  expect(stream.response.status).toBe(200)
  stream.close()
  await at.close()
  control.disconnect()
  await redis.stop()
})

test('ends the stream of a revoked session, and no other', async () => {
  const [revoked, other] = [await gateway.signIn({ userId: 104 }), await gateway.signIn({ userId: 104 })]
  const [ending, staying] = [await openStream(revoked.cookie), await openStream(other.cookie)]
  await gateway.redis.del(sessionKey(revoked.hash))
  publishHint(gateway.nats, hints.sessionRevoked, { sessionHash: revoked.hash })
  await waitFor(() => ending.ended, { what: 'the end of the stream' })
  expect((await openStream(revoked.cookie)).response.status).toBe(401)
  publishHint(gateway.nats, hints.rankingsChanged, { folderId: 9, userId: 104 })
  await waitFor(() => staying.events.length === 1, { what: 'the other stream continues' })
  staying.close()
})

test('a stream has heartbeats, ends when its session expires, and survives an outage of Redis', async () => {
  const redis = await startRedis()
  const quick = await startGateway({ upstream: echo.url, redisUrl: redis.url, heartbeatMs: 50 })
  const { cookie, hash } = await quick.signIn({ userId: 105 })
  const stream = await openStream(cookie, quick)
  const heartbeats = () => stream.text.split(': heartbeat\n\n').length - 1
  await waitFor(() => heartbeats() >= 2, { what: 'heartheartbeats' })

  await redis.stop()
  const before = heartbeats()
  // Longer than the gateway caches a session, so that it tries to read from Redis.
  await waitFor(() => heartbeats() >= before + 60, { what: 'heartheartbeats without Redis' })
  expect(stream.ended).toBe(false)

  await redis.start()
  await waitFor(() => quick.redis.del(sessionKey(hash)), { what: 'the session is deleted' })
  await waitFor(() => stream.ended, { what: 'the end of the stream' })
  await quick.close()
  await redis.stop()
}, 30_000)

test('streams end after an outage of NATS, and a browser that reconnects receives all hints again', async () => {
  const nats = await startNats()
  const shaky = await startGateway({ upstream: echo.url, natsUrl: nats.url })
  const { cookie } = await shaky.signIn({ userId: 106 })
  const before = await openStream(cookie, shaky)
  await nats.stop()
  await nats.start()
  await waitFor(() => before.ended, { what: 'the end of the stream' })
  const after = await openStream(cookie, shaky)
  publishHint(shaky.nats, hints.rankingsChanged, { folderId: 4, userId: 106 })
  await waitFor(() => after.events.length === 1, { what: 'an event' })
  after.close()
  await shaky.close()
  await nats.stop()
}, 30_000)

test('a draining gateway ends its streams and closes, even while a browser keeps an idle connection', async () => {
  const draining = await startGateway({ upstream: echo.url })
  const { hostname, port } = new URL(draining.url)
  await once(connect(Number(port), hostname), 'connect')
  const { cookie } = await draining.signIn({ userId: 107 })
  const stream = await openStream(cookie, draining)
  await draining.close()
  await waitFor(() => stream.ended, { what: 'the end of the stream' })
})

test('a browser that reads nothing is disconnected when too much waits for it', async () => {
  const { cookie } = await gateway.signIn({ userId: 108 })
  const { hostname, port } = new URL(gateway.url)
  const socket = connect(Number(port), hostname)
  socket.write(`GET /api/events HTTP/1.1\r\nHost: x\r\nCookie: ${cookie}\r\n\r\n`)
  await once(socket, 'readable')
  const connections = () => new Promise<number>((resolve) => gateway.app.server.getConnections((_, n) => resolve(n)))
  const before = await connections()
  await waitFor(
    async () => {
      for (let sent = 0; sent < 5_000; sent += 1) {
        publishHint(gateway.nats, hints.rankingsChanged, { folderId: sent, userId: 108 })
      }
      await gateway.nats.flush()
      return (await connections()) < before
    },
    { what: 'the end of the stream' },
  )
  socket.destroy()
}, 30_000)
