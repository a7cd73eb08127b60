export type { FaultRequest } from './state/faults.ts'
export type { Message } from './state/message.ts'

import { type MailboxClient, mailboxAt } from './client.ts'
import { buildHttp } from './http.ts'
import { DEFAULTS, type MailboxSettings } from './settings.ts'
import { SmtpListener } from './smtp/listener.ts'
import { MailboxState } from './state/state.ts'

export { type MailboxClient, mailboxAt } from './client.ts'

export interface Mailbox extends MailboxClient {
  /** `smtp://` with address and port. */
  smtpUrl: string
  /** Of page and API. */
  url: string
  stop(): Promise<void>
}

/** Starts a mailbox in this process. Without options: on free ports of this machine, without a file. */
export async function startMailbox(options: Partial<MailboxSettings> = {}): Promise<Mailbox> {
  const settings = { ...DEFAULTS, ...options }
  const state = new MailboxState(settings)
  await state.load()
  const smtp = new SmtpListener(state)
  const http = buildHttp(state)
  await smtp.open()
  await http.listen({ host: settings.host, port: settings.port }).catch(async (error) => {
    await smtp.close()
    throw error
  })
  const address = http.server.address()
  const url = `http://${nameOf(settings.host)}:${typeof address === 'object' ? address?.port : settings.port}`
  let stopping: Promise<void> | undefined
  return {
    ...mailboxAt(url, settings.pageKey),
    smtpUrl: `smtp://${nameOf(settings.host)}:${smtp.port}`,
    url,
    stop() {
      stopping ??= Promise.all([smtp.close(), http.close()]).then(() => state.stop())
      return stopping
    },
  }
}

/** How clients of this machine address it. */
function nameOf(host: string): string {
  const name = host === '0.0.0.0' || host === '::' ? '127.0.0.1' : host
  return name.includes(':') ? `[${name}]` : name
}
