import { startMailbox } from './mailbox.ts'

const { HOST, SMTP_PORT, PORT, PAGE_KEY, DATA_FILE } = process.env
if (!SMTP_PORT) throw new Error('SMTP_PORT is required: the port of the SMTP server.')
const mailbox = await startMailbox({
  smtpPort: Number(SMTP_PORT),
  port: Number(PORT || 8025),
  // Without an address Node listens on all, also where the kernel has no IPv6.
  ...(HOST && { host: HOST === '::' ? '' : HOST }),
  ...(PAGE_KEY && { pageKey: PAGE_KEY }),
  ...(DATA_FILE && { dataFile: DATA_FILE }),
})
console.info(`mailbox: no mail leaves it; SMTP ${mailbox.smtpUrl}, page ${mailbox.url}`)

for (const signal of ['SIGTERM', 'SIGINT'] as const) {
  process.once(signal, () => void mailbox.stop())
}
