import type { Socket } from 'node:net'
import { setTimeout as delay } from 'node:timers/promises'
import type { Client } from './client.ts'

/** What each of many connections does. */
export interface Behaviour {
  /** Sent when it opens. */
  opening: (client: Client) => string | Buffer
  /** Sent again and again, until it closes. */
  repeated?: string
  everyMs?: number
  /** Does not read the responses. */
  neverReads?: boolean
}

export interface Held {
  opened: number
  /** At the end. */
  open: number
  /** How often each status came first in what was received. */
  statuses: Map<string, number>
}

/** An attacker opens a closed connection again, but not without end. */
const MOST_OPENED = 20_000
const REOPEN_MS = 200
const OPENED_AT_ONCE = 50

/** Keeps so many connections of one address open for some time. @throws AbortError when the attack is stopped meanwhile */
export async function holdConnections(
  client: Client,
  count: number,
  seconds: number,
  { opening, repeated, everyMs = 2_000, neverReads = false }: Behaviour,
): Promise<Held> {
  const held: Held = { opened: 0, open: 0, statuses: new Map() }
  const sockets = new Set<Socket>()
  const deadline = performance.now() + seconds * 1_000
  const { signal } = client
  const isOver = () => signal.aborted || performance.now() > deadline || held.opened >= MOST_OPENED

  function open(): void {
    if (isOver()) return
    held.opened += 1
    const socket = client.connect()
    sockets.add(socket)
    socket.setNoDelay(true)
    socket.write(opening(client))
    const timer = repeated ? setInterval(() => socket.writable && socket.write(repeated), everyMs) : undefined
    if (neverReads) socket.pause()
    else socket.on('data', (chunk: Buffer) => note(chunk))
    socket.once('close', () => {
      clearInterval(timer)
      sockets.delete(socket)
      setTimeout(open, REOPEN_MS).unref()
    })
  }
  function note(chunk: Buffer): void {
    const [, status] = /^HTTP\/1\.1 (\d{3})/.exec(chunk.subarray(0, 16).toString('latin1')) ?? []
    if (status) held.statuses.set(status, (held.statuses.get(status) ?? 0) + 1)
  }

  for (let index = 0; index < count; index += 1) {
    open()
    if (index % OPENED_AT_ONCE === 0) await delay(10, undefined, { signal })
  }
  await delay(Math.max(0, deadline - performance.now()), undefined, { signal })
  held.open = sockets.size
  for (const socket of sockets) socket.destroy()
  return held
}

export function describeHeld({ opened, open, statuses }: Held): string {
  const received = [...statuses].map(([status, count]) => `${count} x ${status}`).join(', ')
  return `${open} connections open at the end, ${opened} opened, responses: ${received || 'none'}`
}
