import { pipeline, type Readable, Transform } from 'node:stream'
import { createFairQueue, metrics } from '@skyfolio/kit'
import { inQuarters } from '../client-limits.ts'
import { proxyMetrics } from './proxy-metrics.ts'

/** Up to this length the buffers of a stream hold a whole response anyway. */
const SMALL_BYTES = 64 * 1024
const MAX_BYTES_PER_RESPONSE = 1024 * 1024
/** Of the large responses of one site: copied within some milliseconds, however many there are. */
const BYTES_PER_ITERATION = { bytes: 1024 * 1024, bytesWhileConnecting: SMALL_BYTES }

/** @param totalBytes for all responses; those of one site, and of one user, have at most a quarter */
export function createReadAhead(totalBytes: number) {
  const memory = createFairQueue(inQuarters(totalBytes))
  const pacer = createPacer(BYTES_PER_ITERATION)
  const stopMeasuring = metrics.onScrape('read ahead', () => [[proxyMetrics.readAhead, memory.running()]])

  return {
    /**
     * The response of a service, read ahead of its client as far as memory allows. So one of ordinary size leaves the service at
     * once, however slow the client is. @param length in bytes; null when it is not known
     */
    wrap(source: Readable, length: number | null, keys: [site: string, ...user: string[]]): Readable {
      const bytes = Math.min(length ?? MAX_BYTES_PER_RESPONSE, MAX_BYTES_PER_RESPONSE)
      if (bytes <= SMALL_BYTES) return source
      const [site] = keys
      const release = memory.tryAcquire({ key: keys, weight: bytes })
      const buffer = new Transform({
        readableHighWaterMark: release ? bytes : SMALL_BYTES,
        transform: (chunk: Buffer, _encoding, done) => pacer.take(site, chunk.length, () => done(null, chunk)),
      })
      if (release) buffer.once('close', release)
      // The response fails with the buffer, which `reply.send` reports.
      pipeline(source, buffer, () => {})
      return buffer
    },
    /** A client has connected. */
    noteConnection: pacer.noteConnection,
    close: stopMeasuring,
  }
}

/** Bytes of one key in an iteration. */
interface PacerOptions {
  bytes: number
  /** After an iteration in which a client connected. */
  bytesWhileConnecting: number
}

/**
 * Bounds how many bytes one key moves in each iteration of the event loop. Node accepts one connection in an iteration: hundreds
 * of large responses to one client, each with a piece in every iteration, would make new clients wait for seconds.
 */
export function createPacer({ bytes: most, bytesWhileConnecting }: PacerOptions) {
  const movedBy = new Map<string, number>()
  let waiting: Parameters<typeof take>[] = []
  let isScheduled = false
  let isConnecting = false
  let limit = most

  function scheduleIteration(): void {
    if (!isScheduled) setImmediate(beginIteration)
    isScheduled = true
  }

  function beginIteration(): void {
    isScheduled = false
    limit = isConnecting ? bytesWhileConnecting : most
    isConnecting = false
    movedBy.clear()
    const items = waiting
    waiting = []
    for (const item of items) take(...item)
  }

  /** Calls `proceed` at once, or in one of the next iterations when `key` has moved its bytes of this one. */
  function take(key: string, bytes: number, proceed: () => void): void {
    const moved = movedBy.get(key) ?? 0
    scheduleIteration()
    if (moved >= limit) {
      waiting.push([key, bytes, proceed])
      return
    }
    movedBy.set(key, moved + bytes)
    proceed()
  }

  return {
    take,
    /** A client has connected: another one may wait, so the next iteration is to be short. */
    noteConnection: () => {
      isConnecting = true
    },
  }
}
