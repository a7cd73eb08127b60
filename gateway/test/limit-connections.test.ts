import { waitFor } from '@skyfolio/testkit'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { openMany, type RawClient, sendFrom } from './many-clients.ts'
import { startEcho, startGateway, type TestGateway, type Upstream } from './support.ts'

let service: Upstream
let gateways: { direct: TestGateway; proxied: TestGateway }
const clients: RawClient[] = []

beforeAll(async () => {
  service = await startEcho()
  const options = { upstream: service.url, clientLimits: { connections: 16 } }
  gateways = {
    direct: await startGateway(options),
    proxied: await startGateway({ ...options, trustedProxies: ['127.0.0.2'] }),
  }
})
afterAll(async () => {
  for (const { socket } of clients) socket.destroy()
  await Promise.all(Object.values(gateways).map((gateway) => gateway.close()))
  await service.app.close()
})

function open(gateway: TestGateway, address: string, count: number): RawClient[] {
  const opened = openMany(gateway, address, count, ['GET /api/user HTTP/1.1\r\nHost: x\r\n\r\n'])
  clients.push(...opened)
  return opened
}
const served = (opened: RawClient[]) => opened.filter((client) => client.status() === 200)

test('one site has a quarter of the open connections, and a closed one makes room', async () => {
  const opened = open(gateways.direct, '127.0.0.2', 8)
  await waitFor(() => opened.filter(({ isClosed }) => isClosed).length === 4, { what: 'four too many are closed' })
  await waitFor(() => served(opened).length === 4, { what: 'four are served' })
  expect(await sendFrom(gateways.direct, '127.0.0.3', 'GET /api/user')).toBe(200)
  served(opened)[0]?.socket.destroy()
  const isServed = async () => (await sendFrom(gateways.direct, '127.0.0.2', 'GET /api/user').catch(() => 0)) === 200
  await waitFor(isServed, { what: 'another connection is served' })
})

test('connections of a trusted proxy are not counted, since they carry those of many clients', async () => {
  const opened = open(gateways.proxied, '127.0.0.2', 20)
  await waitFor(() => served(opened).length === 20, { what: 'all are served' })
})
