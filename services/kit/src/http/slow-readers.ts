import type { Socket } from 'node:net'
import { metrics } from '../telemetry/metrics.ts'

export interface SlowReaderOptions {
  /** How long a client may be below the minimum rate while data waits for it. */
  windowMs: number
  /** Interval of the checks. Default: an eighth of the window. */
  checkMs?: number
}

/** Since when data waits for a client, and how much it had taken then. */
interface Waiting {
  since: number
  taken: number
}

/** The minimum rate of a client, averaged over the window. */
const MIN_BYTES_PER_SECOND = 4096

const slowReaders = metrics.counter(
  'skyfolio_slow_readers_total',
  'Connections ended because their client took a response too slowly',
)

/**
 * Ends the connections of clients that take less than 4 KiB a second for as long as `windowMs` in which data waits for them without
 * a pause. Time in which the process itself has nothing to send does not count. One check of all connections costs no timer and no
 * listener for each of them. Returns a function that stops the checks.
 */
export function endSlowReaders(sockets: Iterable<Socket>, { windowMs, checkMs = windowMs / 8 }: SlowReaderOptions) {
  const minBytes = (windowMs / 1000) * MIN_BYTES_PER_SECOND
  let waiting = new Map<Socket, Waiting>()

  function check(): void {
    const now = performance.now()
    const still = new Map<Socket, Waiting>()
    for (const socket of sockets) {
      if (socket.writableLength === 0 || socket.destroyed) continue
      const taken = socket.bytesWritten - socket.writableLength
      const before = waiting.get(socket)
      if (!before || taken - before.taken >= minBytes) still.set(socket, { since: now, taken })
      else if (now - before.since < windowMs) still.set(socket, before)
      else end(socket)
    }
    waiting = still
  }

  const timer = setInterval(check, checkMs)
  timer.unref()
  return () => clearInterval(timer)
}

function end(socket: Socket): void {
  slowReaders.inc()
  // A reset: what the kernel still holds for the client is dropped as well.
  socket.resetAndDestroy()
}
