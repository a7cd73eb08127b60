import { setTimeout as delay } from 'node:timers/promises'
import type { Fault, FaultRequest } from './fault.ts'
import type { Message } from './message.ts'

export interface MailWanted {
  to: string
  /** The whole subject, or a pattern for it. */
  subject?: string | RegExp
  /** Only messages that were received after this one. */
  after?: Message
}

/** Calls of a mailbox's API. */
export type MailboxClient = ReturnType<typeof mailboxAt>

const WAIT_MS = 15_000
const PAUSE_MS = 50

/** A client of the mailbox whose page has this URL, and this key if it requires one. */
export function mailboxAt(url: string, key = '') {
  async function call<T>(method: string, path: string, body?: object): Promise<T> {
    const headers = { authorization: `Bearer ${key}`, ...(body && { 'content-type': 'application/json' }) }
    const signal = AbortSignal.timeout(60_000)
    const response = await fetch(url + path, { method, headers, signal, ...(body && { body: JSON.stringify(body) }) })
    const text = await response.text()
    if (!response.ok) throw new Error(`the mailbox answered ${method} ${path} with ${response.status}: ${text}`)
    return (text ? JSON.parse(text) : undefined) as T
  }

  /** All messages, or those to this address; the newest first. */
  async function messages(to = ''): Promise<Message[]> {
    const found = await call<Message[]>('GET', `/api/messages?${new URLSearchParams({ to })}`)
    return found.filter((message) => !to || message.to.some((address) => address.toLowerCase() === to.toLowerCase()))
  }

  /** The newest message like this, as soon as there is one. @throws Error that names what came instead */
  async function waitForMail({ to, subject = /(?:)/, after }: MailWanted): Promise<Message> {
    const isWanted = (message: Message) =>
      typeof subject === 'string' ? message.subject === subject : subject.test(message.subject)
    for (const deadline = Date.now() + WAIT_MS; ; await delay(PAUSE_MS)) {
      const all = await messages(to)
      const known = after ? all.findIndex(({ id }) => id === after.id) : -1
      const found = (known < 0 ? all : all.slice(0, known)).find(isWanted)
      if (found) return found
      const others = all.map((message) => `"${message.subject}"`).join(', ') || 'none'
      if (Date.now() > deadline) throw new Error(`No mail to ${to} with subject ${subject}; there are: ${others}.`)
    }
  }

  return {
    messages,
    waitForMail,
    deleteMessages: () => call<void>('DELETE', '/api/messages'),
    /** Replaces the current fault. */
    setFault: (fault: FaultRequest) => call<void>('PUT', '/api/fault', fault),
    fault: () => call<Fault | null>('GET', '/api/fault'),
    clearFault: () => call<void>('DELETE', '/api/fault'),
  }
}
