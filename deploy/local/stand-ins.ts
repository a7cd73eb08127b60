import { join } from 'node:path'
import { freePort, isFree } from '@skyfolio/testkit/servers'
import { preferredMailboxPort, preferredSandboxPort } from './ports.ts'
import type { Mailbox, PartnerSandbox } from './runtime-file.ts'
import { SANDBOX_CREDENTIALS } from './services.ts'

/** Where the sandbox of a local system listens, and its environment. It fetches images from the gateway alone. */
export async function planPartnerSandbox(options: { dataDir: string; gatewayPort: number; pageKey: string }): Promise<{
  sandbox: PartnerSandbox
  env: Record<string, string>
}> {
  const [port, controlPort] = [await freePort(), await preferredOrFreePort(preferredSandboxPort())]
  return {
    sandbox: {
      url: `http://127.0.0.1:${port}`,
      controlUrl: `http://127.0.0.1:${controlPort}`,
      controlKey: options.pageKey,
    },
    env: {
      PORT: String(port),
      CONTROL_PORT: String(controlPort),
      CONTROL_KEY: options.pageKey,
      IMAGE_ORIGIN: process.env.PRINT_IMAGE_ORIGIN || `http://127.0.0.1:${options.gatewayPort}`,
      SANDBOX_API_KEY: SANDBOX_CREDENTIALS.apiKey,
      SANDBOX_AFFILIATE_ID: SANDBOX_CREDENTIALS.affiliateId,
      LATENCY: process.env.SKYFOLIO_SANDBOX_LATENCY ?? 'realistic',
      DATA_FILE: join(options.dataDir, 'partner-sandbox.json'),
    },
  }
}

/** Where the mailbox of a local system listens, and its environment. */
export async function planMailbox(options: { dataDir: string; pageKey: string }): Promise<{
  mailbox: Mailbox
  env: Record<string, string>
}> {
  const [smtpPort, port] = [await freePort(), await preferredOrFreePort(preferredMailboxPort())]
  return {
    mailbox: { smtpUrl: `smtp://127.0.0.1:${smtpPort}`, url: `http://127.0.0.1:${port}`, key: options.pageKey },
    env: {
      SMTP_PORT: String(smtpPort),
      PORT: String(port),
      PAGE_KEY: options.pageKey,
      DATA_FILE: join(options.dataDir, 'mailbox.jsonl'),
    },
  }
}

/** The preferred port of a page if it is free, otherwise any. */
async function preferredOrFreePort(port: number): Promise<number> {
  return port > 0 && port < 65_536 && (await isFree(port)) ? port : freePort()
}
