import { setTimeout as delay } from 'node:timers/promises'
import type { Fault, FaultRequest } from './state/faults.ts'
import type { Message, MessageSummary } from './state/message.ts'
import type { Stats } from './state/state.ts'

export interface MailWanted {
  to: string
  /** The whole subject, or a pattern for it. */
  subject?: string | RegExp
  /** Only messages that were received after this one. */
  after?: Message
  /** Default: 15 s. */
  withinMs?: number
}

/** Calls of a mailbox's API. */
export interface MailboxClient {
  /** The newest first. Of thousands rather `summaries`: contents are read when they are asked for. */
  messages(to?: string): Promise<Message[]>
  /** The newest first, without their content. */
  summaries(to?: string): Promise<MessageSummary[]>
  /** The newest message like this, as soon as there is one. @throws Error that names what came instead */
  waitForMail(wanted: MailWanted): Promise<Message>
  /** Deletes all messages. */
  deleteMessages(): Promise<void>
  setFault(fault: FaultRequest): Promise<Fault>
  /** The current fault with its counts. */
  fault(): Promise<Fault | null>
  clearFault(): Promise<void>
  stats(): Promise<Stats & { kept: number }>
  resetStats(): Promise<void>
}

const TIMEOUT_MS = 60_000
const WAIT_MS = 15_000
const PAUSE_MS = 50

/** A client of the mailbox whose page has this URL, and this key if it requires one. */
export function mailboxAt(url: string, key?: string): MailboxClient {
  async function call<T>(method: string, path: string, body?: object): Promise<T> {
    const response = await fetch(url + path, {
      method,
      ...(body && { body: JSON.stringify(body) }),
      headers: { ...(key && { authorization: `Bearer ${key}` }), ...(body && { 'content-type': 'application/json' }) },
      signal: AbortSignal.timeout(TIMEOUT_MS),
    })
    const text = await response.text()
    if (!response.ok) throw new Error(`the mailbox answered ${method} ${path} with ${response.status}: ${text}`)
    return (text ? JSON.parse(text) : undefined) as T
  }
  const list = <T>(parameters: Record<string, string>) =>
    call<T[]>('GET', `/api/messages?${new URLSearchParams(parameters)}`)
  const messages = (to = '') => list<Message>({ to })
  return {
    messages,
    summaries: (to = '') => list<MessageSummary>({ to, view: 'summary' }),
    waitForMail: (wanted) => waitForMail(messages, wanted),
    deleteMessages: () => call('DELETE', '/api/messages'),
    setFault: (fault) => call('PUT', '/api/faults', fault),
    fault: () => call('GET', '/api/faults'),
    clearFault: () => call('DELETE', '/api/faults'),
    stats: () => call('GET', '/api/stats'),
    resetStats: () => call('DELETE', '/api/stats'),
  }
}

async function waitForMail(list: MailboxClient['messages'], wanted: MailWanted): Promise<Message> {
  const { to, subject, after, withinMs = WAIT_MS } = wanted
  const isWanted = (message: Message) =>
    subject === undefined || (typeof subject === 'string' ? message.subject === subject : subject.test(message.subject))
  for (const deadline = Date.now() + withinMs; ; await delay(PAUSE_MS)) {
    const all = await list(to)
    const known = after ? all.findIndex(({ id }) => id === after.id) : -1
    const found = (known < 0 ? all : all.slice(0, known)).find(isWanted)
    if (found) return found
    if (Date.now() < deadline) continue
    const others = all.map((message) => `"${message.subject}"`).join(', ') || 'none'
    throw new Error(
      `No mail to ${to} with subject ${subject ?? 'of any kind'} after ${withinMs} ms; there are: ${others}.`,
    )
  }
}
