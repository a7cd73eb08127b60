import { once } from 'node:events'
import { createServer } from 'node:net'
import { freePort } from '@skyfolio/testkit/servers'
import { afterEach, expect, test, vi } from 'vitest'
import { COMPONENTS } from '../components.ts'
import { planMailbox } from '../local/mailbox.ts'
import { planServices } from '../local/services.ts'

const plan = () => planMailbox({ dataDir: '/data', pageKey: 'k'.repeat(32) })

afterEach(() => vi.unstubAllEnvs())

test('what sends mail sends it to the local mailbox', async () => {
  const { mailbox, env } = await plan()
  const services = planServices({
    servers: { postgres: '', redis: '', nats: '', partnerSandbox: '', mailbox: mailbox.smtpUrl },
    secrets: { identityKey: '', voterKey: '', linkKey: '', printImageKey: '' },
    publicOrigin: 'http://127.0.0.1:8080',
    gatewayPort: 8080,
    ports: {},
  })
  const expected = {
    SMTP_URL: `smtp://127.0.0.1:${env.SMTP_PORT}`,
    MAIL_FROM: 'Skyfolio <no-reply@skyfolio.test>',
  }
  for (const { name, uses } of COMPONENTS) {
    if (uses.includes('mail')) expect(services.env[name]).toMatchObject(expected)
    else expect(services.env[name]).not.toHaveProperty('SMTP_URL')
  }
})

test('its page has the port of SKYFOLIO_MAILBOX_PORT, or another one while that is taken', async () => {
  const port = await freePort()
  vi.stubEnv('SKYFOLIO_MAILBOX_PORT', String(port))
  expect((await plan()).mailbox.url).toBe(`http://127.0.0.1:${port}`)

  const other = createServer().listen(port, '127.0.0.1')
  await once(other, 'listening')
  const { mailbox, env } = await plan()
  expect(mailbox.url).toBe(`http://127.0.0.1:${env.PORT}`)
  expect(env.PORT).not.toBe(String(port))
  other.close()
})
