import { startMailbox } from './mailbox.ts'
import { readSettings } from './settings.ts'

const mailbox = await startMailbox(readSettings(process.env))
console.info(`mailbox: no mail leaves it; SMTP ${mailbox.smtpUrl}, page ${mailbox.url}`)

for (const signal of ['SIGTERM', 'SIGINT'] as const) {
  process.once(signal, () => void mailbox.stop())
}
