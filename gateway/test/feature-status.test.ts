import { connectNats, serveRequests } from '@skyfolio/kit'
import { baseMapStatus, mailStatus, printingStatus } from '@skyfolio/proto'
import { startNats, type TestServer, waitFor } from '@skyfolio/testkit'
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest'
import { createFeatureStatus } from '../src/feature-status.ts'
import { startEcho, startGateway, type Upstream } from './support.ts'

const UNAVAILABLE = { available: false, sandbox: false }

let echo: Upstream
let server: TestServer
beforeAll(async () => {
  echo = await startEcho()
  server = await startNats()
})
afterAll(async () => {
  await server.stop()
  await echo.app.close()
})

async function connect() {
  const nats = await connectNats(server.url, 'service')
  onTestFinished(() => nats.close())
  return nats
}

test('/api/config says whether prints can be ordered, as print-orders does', async () => {
  const gateway = await startGateway({ upstream: echo.url, natsUrl: server.url })
  onTestFinished(() => gateway.close())
  const nats = await connect()
  const service = serveRequests(nats, printingStatus, async () => ({ available: true, sandbox: true }))
  await nats.flush()
  const read = async () => (await (await gateway.call('/api/config')).json()).printing
  expect(await read()).toEqual({ available: true, sandbox: true })

  await service.stop()
  await waitFor(async () => (await read()).available === false, { what: 'printing becomes unavailable' })
})

test('requests of many pages share one, and its response is read again after two seconds', async () => {
  const nats = await connect()
  let requests = 0
  const service = serveRequests(nats, printingStatus, async () => {
    requests += 1
    return { available: true, sandbox: requests === 1 }
  })
  const read = createFeatureStatus(() => nats).printing
  const all = await Promise.all(Array.from({ length: 50 }, read))
  expect([requests, new Set(all.map(({ sandbox }) => sandbox)).size]).toEqual([1, 1])
  const start = performance.now()
  await waitFor(async () => !(await read()).sandbox, { what: 'the next state' })
  expect(performance.now() - start).toBeLessThan(3_500)
  await service.stop()
})

test('a feature without a response is unavailable, and only the first page waits for it', async () => {
  const gateway = await startGateway({ upstream: echo.url, natsUrl: server.url })
  onTestFinished(() => gateway.close())
  const nats = await connect()
  serveRequests(nats, printingStatus, () => new Promise<never>(() => {}))
  await nats.flush()
  const { limits, printing } = await (await gateway.call('/api/config')).json()
  expect([printing, limits.filesPerUpload]).toEqual([UNAVAILABLE, 10])

  const read = createFeatureStatus(() => nats).printing
  const first = read()
  expect(await first).toEqual(UNAVAILABLE)
  expect(read()).toBe(first)
})

test('/api/config says whether mail can be sent, as auth does', async () => {
  const gateway = await startGateway({ upstream: echo.url, natsUrl: server.url })
  onTestFinished(() => gateway.close())
  const nats = await connect()
  const read = async () => (await (await gateway.call('/api/config')).json()).mail
  expect(await read()).toEqual({ available: false })
  const service = serveRequests(nats, mailStatus, async () => ({ available: true }))
  await nats.flush()
  await waitFor(async () => (await read()).available, { what: 'mail becomes available' })
  await service.stop()
})

test('/api/config names the base map of media, also after NATS has become unavailable', async () => {
  const gateway = await startGateway({ upstream: echo.url, natsUrl: server.url })
  onTestFinished(() => gateway.close())
  const nats = await connect()
  const read = async () => (await (await gateway.call('/api/config')).json()).map
  expect(await read()).toMatchObject({ base: null })
  const detail = { maxZoom: 15, west: 24.5, south: 60, east: 25.5, north: 60.5 }
  const status = { version: '0123456789abcdef', maxZoom: 8, attribution: 'Example', detail }
  const service = serveRequests(nats, baseMapStatus, async () => status)
  await nats.flush()
  await waitFor(async () => (await read()).base !== null, { what: 'the map is known' })
  const known = await read()
  expect(known).toEqual({
    base: '/api/map/base/0123456789abcdef',
    minZoom: 0,
    maxZoom: 8,
    detail,
    attribution: 'Example',
    layers: [],
  })
  await service.stop()
  const asked = performance.now()
  await waitFor(async () => performance.now() - asked > 2_100, { what: 'the status has been read again' })
  expect(await read()).toEqual(known)
})

test('before NATS is connected printing and mail are unavailable at once', async () => {
  const features = createFeatureStatus(() => undefined)
  const all = [await features.printing(), await features.mail(), await features.baseMap()]
  expect(all).toEqual([UNAVAILABLE, { available: false }, null])
})
