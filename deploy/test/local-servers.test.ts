import { once } from 'node:events'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { startMailbox } from '@skyfolio/mailbox'
import { testDirectory, waitFor } from '@skyfolio/testkit'
import { freePort } from '@skyfolio/testkit/servers'
import { afterEach, describe, expect, onTestFinished, test, vi } from 'vitest'
import { COMPONENTS } from '../components.ts'
import { launchSystem } from '../local/launch.ts'
import { planServices } from '../local/services.ts'
import { openSignedInClient } from '../local/signed-in-client.ts'
import { planMailbox, planPartnerSandbox } from '../local/stand-ins.ts'

const GATEWAY_PORT = 7001
const OPTIONS = { dataDir: '/data', gatewayPort: GATEWAY_PORT, pageKey: 'k'.repeat(32) }

afterEach(() => vi.unstubAllEnvs())

describe('the stand-ins of a local system', () => {
  test('are what its components are told to use', async () => {
    const { sandbox, env } = await planPartnerSandbox(OPTIONS)
    const { mailbox } = await planMailbox(OPTIONS)
    const { env: environments } = planServices({
      servers: { postgres: '', redis: '', nats: '', partnerSandbox: sandbox.url, mailbox: mailbox.smtpUrl },
      secrets: { identityKey: '', voterKey: '', linkKey: '', printImageKey: '' },
      // In watch mode people open another port than the gateway's.
      publicOrigin: 'http://127.0.0.1:8080',
      gatewayPort: GATEWAY_PORT,
      ports: {},
    })
    const partner = {
      PARTNER_SANDBOX_URL: `http://127.0.0.1:${env.PORT}`,
      PARTNER_API_KEY: env.SANDBOX_API_KEY,
      PARTNER_AFFILIATE_ID: env.SANDBOX_AFFILIATE_ID,
      PRINT_IMAGE_ORIGIN: env.IMAGE_ORIGIN,
    }
    const mail = { SMTP_URL: mailbox.smtpUrl, MAIL_FROM: 'Skyfolio <no-reply@skyfolio.test>' }
    for (const { name, uses } of COMPONENTS) {
      for (const [use, settings] of [['partner', partner] as const, ['mail', mail] as const]) {
        if (uses.includes(use)) expect(environments[name]).toMatchObject(settings)
        else for (const setting of Object.keys(settings)) expect(environments[name]).not.toHaveProperty(setting)
      }
    }
    expect(env.IMAGE_ORIGIN).toBe(`http://127.0.0.1:${GATEWAY_PORT}`)
  })

  test.each([
    ['SKYFOLIO_SANDBOX_PORT', async () => (await planPartnerSandbox(OPTIONS)).sandbox.controlUrl],
    ['SKYFOLIO_MAILBOX_PORT', async () => (await planMailbox(OPTIONS)).mailbox.url],
  ])('have their page at the port of %s, or at another one while that is taken', async (variable, plannedUrl) => {
    const port = await freePort()
    vi.stubEnv(variable, String(port))
    expect(await plannedUrl()).toBe(`http://127.0.0.1:${port}`)

    const other = createServer().listen(port, '127.0.0.1')
    await once(other, 'listening')
    expect(await plannedUrl()).not.toBe(`http://127.0.0.1:${port}`)
    other.close()
  })
})

interface PartnerCall {
  path: string
  body: Record<string, unknown>
}

/** A partner that records calls and serves none. */
async function startPartner(): Promise<{ url: string; calls: PartnerCall[]; server: Server }> {
  const calls: PartnerCall[] = []
  const server = createServer(async (request, response) => {
    calls.push({ path: request.url ?? '', body: JSON.parse(await text(request)) })
    response.writeHead(503).end()
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, calls, server }
}

describe('a print partner and a mail server that the environment names', () => {
  test('are used in place of the stand-ins', async () => {
    const partner = await startPartner()
    const mailServer = await startMailbox()
    const settings = {
      PARTNER_SANDBOX_URL: partner.url,
      PARTNER_API_KEY: 'key-of-a-real-account',
      PARTNER_AFFILIATE_ID: 'affiliate-of-a-real-account',
      PARTNER_TIMEOUT_MS: '9000',
      PRINT_IMAGE_ORIGIN: 'https://photos.example',
    }
    const mail = { SMTP_URL: mailServer.smtpUrl, MAIL_FROM: 'Photos <sender@photos.example>' }
    const system = await launchSystem(join(testDirectory(), 'outside'), { ...settings, ...mail, LOG_LEVEL: 'warn' })
    onTestFinished(async () => {
      await system.stop()
      await mailServer.stop()
      partner.server.close()
    })

    const { env, processes } = await system.state()
    expect(processes.map(({ name }) => name)).not.toContain('partner-sandbox')
    expect(processes.map(({ name }) => name)).not.toContain('mailbox')
    expect(env['print-orders']).toMatchObject(settings)
    expect(system.lines).toContain(`Print orders go to the partner: ${partner.url}`)
    expect(system.lines).toContain(`Mails go to the mail server ${new URL(mailServer.smtpUrl).host}`)

    const account = { username: 'ann', password: 'over-the-lake-9', email: 'ann@example.test' }
    const { call } = await openSignedInClient(system.url, account)
    const { from } = await mailServer.waitForMail({ to: account.email, subject: /./ })
    expect(from).toBe(mail.MAIL_FROM)

    await expect(call('POST', '/api/walgreens/products', { productGroupId: 'STDPR' })).rejects.toThrow('50')
    await waitFor(() => partner.calls.length > 0, { what: 'the partner is called' })
    expect(partner.calls[0]).toMatchObject({
      path: '/api/photo/products/v3',
      body: { apiKey: settings.PARTNER_API_KEY, affId: settings.PARTNER_AFFILIATE_ID },
    })
  })

  test.each([
    [{ PARTNER_API_KEY: 'key' }, 'PARTNER_API_KEY is set without PARTNER_SANDBOX_URL or PARTNER_PRODUCTION_URL'],
    [
      { PARTNER_AFFILIATE_ID: 'id' },
      'PARTNER_AFFILIATE_ID is set without PARTNER_SANDBOX_URL or PARTNER_PRODUCTION_URL',
    ],
    [{ SMTP_URL: 'smtp://127.0.0.1:25' }, 'MAIL_FROM is missing beside SMTP_URL'],
  ])('refuse the start when only %j is set', async (settings, sentence) => {
    await expect(launchSystem(join(testDirectory(), 'refused'), settings)).rejects.toThrow(sentence)
  })
})
