import { join } from 'node:path'
import { freePort } from '@skyfolio/testkit/servers'
import { preferredMailboxPort, preferredOrFreePort } from './ports.ts'
import type { Mailbox } from './runtime-file.ts'

export const MAILBOX_ENTRY_POINT = 'deploy/mailbox/src/main.ts'

/** Where the mailbox of a local system listens, and its environment. */
export async function planMailbox(options: { dataDir: string; pageKey: string }): Promise<{
  mailbox: Mailbox
  env: Record<string, string>
}> {
  const [smtpPort, port] = [await freePort(), await preferredOrFreePort(preferredMailboxPort())]
  return {
    mailbox: { smtpUrl: `smtp://127.0.0.1:${smtpPort}`, url: `http://127.0.0.1:${port}`, key: options.pageKey },
    env: {
      HOST: '127.0.0.1',
      SMTP_PORT: String(smtpPort),
      PORT: String(port),
      PAGE_KEY: options.pageKey,
      DATA_FILE: join(options.dataDir, 'mailbox.jsonl'),
    },
  }
}
