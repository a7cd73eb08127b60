import { once } from 'node:events'
import { createServer } from 'node:net'
import { freePort } from '@skyfolio/testkit/servers'
import { afterEach, expect, test, vi } from 'vitest'
import { planPartnerSandbox } from '../local/partner-sandbox.ts'
import { planServices } from '../local/services.ts'

const GATEWAY_PORT = 7001
const plan = () => planPartnerSandbox({ dataDir: '/data', gatewayPort: GATEWAY_PORT, pageKey: 'k'.repeat(32) })

afterEach(() => vi.unstubAllEnvs())

test('print-orders calls the local sandbox with the credentials that it accepts', async () => {
  const { sandbox, env } = await plan()
  const services = planServices({
    servers: { postgres: '', redis: '', nats: '', partnerSandbox: sandbox.url, mailbox: '' },
    secrets: { identityKey: '', voterKey: '', linkKey: '', printImageKey: '' },
    // In watch mode people open another port than the gateway's.
    publicOrigin: 'http://127.0.0.1:8080',
    gatewayPort: GATEWAY_PORT,
    ports: {},
  })
  for (const component of ['print-orders', 'print-orders-worker']) {
    expect(services.env[component]).toMatchObject({
      PARTNER_SANDBOX_URL: `http://127.0.0.1:${env.PORT}`,
      PARTNER_API_KEY: env.SANDBOX_API_KEY,
      PARTNER_AFFILIATE_ID: env.SANDBOX_AFFILIATE_ID,
      PRINT_IMAGE_ORIGIN: env.IMAGE_ORIGIN,
    })
  }
  expect(env.IMAGE_ORIGIN).toBe(`http://127.0.0.1:${GATEWAY_PORT}`)
})

test('its page has the port of SKYFOLIO_SANDBOX_PORT, or another one while that is taken', async () => {
  const port = await freePort()
  vi.stubEnv('SKYFOLIO_SANDBOX_PORT', String(port))
  expect((await plan()).sandbox.controlUrl).toBe(`http://127.0.0.1:${port}`)

  const other = createServer().listen(port, '127.0.0.1')
  await once(other, 'listening')
  const { sandbox, env } = await plan()
  expect(sandbox.controlUrl).toBe(`http://127.0.0.1:${env.CONTROL_PORT}`)
  expect(env.CONTROL_PORT).not.toBe(String(port))
  other.close()
})

test('its latency is that of the partner unless SKYFOLIO_SANDBOX_LATENCY says otherwise', async () => {
  vi.stubEnv('SKYFOLIO_SANDBOX_LATENCY', undefined)
  expect((await plan()).env.LATENCY).toBe('realistic')
  vi.stubEnv('SKYFOLIO_SANDBOX_LATENCY', 'off')
  expect((await plan()).env.LATENCY).toBe('off')
})
