import type { AddressInfo } from 'node:net'
import { type MailboxClient, mailboxAt } from './client.ts'
import { buildHttp } from './http.ts'
import { Messages } from './messages.ts'
import { SmtpPort } from './smtp.ts'

export { type MailboxClient, mailboxAt } from './client.ts'
export type { Message } from './message.ts'

export interface Mailbox extends MailboxClient {
  /** `smtp://` with address and port. */
  smtpUrl: string
  /** Of page and API. */
  url: string
  stop(): Promise<void>
}

export interface MailboxOptions {
  host?: string
  smtpPort?: number
  /** Of page and API. */
  port?: number
  /** What page and API require; absent: nothing. */
  pageKey?: string
  dataFile?: string
  /** So many messages are kept; then the oldest is forgotten. */
  maxMessages?: number
}

/** Starts a mailbox in this process. Without options: on free ports of this machine, without a file. */
export async function startMailbox(options: MailboxOptions = {}): Promise<Mailbox> {
  const { host = '127.0.0.1', smtpPort = 0, port = 0, pageKey, dataFile, maxMessages = 2000 } = options
  const messages = new Messages(dataFile, maxMessages)
  await messages.load()
  const smtp = new SmtpPort(host, smtpPort, messages)
  const http = buildHttp(messages, smtp, pageKey)
  await smtp.open()
  await http.listen({ host, port })
  const name = ['', '0.0.0.0'].includes(host) ? '127.0.0.1' : host
  const url = `http://${name}:${(http.server.address() as AddressInfo).port}`
  return {
    ...mailboxAt(url, pageKey),
    smtpUrl: `smtp://${name}:${smtp.port}`,
    url,
    stop: async () => void (await Promise.all([smtp.close(), http.close()])),
  }
}
