import { createShares, metrics, unavailable } from '@skyfolio/kit'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { shareKeys } from '../share-keys.ts'
import { proxyMetrics } from './proxy-metrics.ts'

/** Gives the slot back; may be called more than once. */
export type Release = () => void

export interface UpstreamSlots {
  /**
   * Takes a slot for the request, or waits for one; null when the client has disconnected meanwhile.
   * @throws AppError 503 when none becomes free in time or too many wait
   */
  acquire(request: FastifyRequest, reply: FastifyReply): Release | Promise<Release | null>
  close(): void
}

export interface SlotOptions {
  /** Requests that are processed at once; one site, and one user, has at most a quarter. */
  total: number
  /** Further requests that wait, with the same shares. */
  maxWaiting: number
  waitMs: number
}

interface Waiter {
  keys: string[]
  start(release: Release): void
}

const BUSY = 'Too many requests are being processed. Please try again in a moment.'
const RETRY_AFTER_SECONDS = 2

/**
 * Bounds the requests that a service, or a kind of transfer, processes at once. Sites that wait for a slot take turns, so one with
 * many waiting requests delays the others by one request at a time.
 */
export function createUpstreamSlots(pool: string, { total, maxWaiting, waitMs }: SlotOptions): UpstreamSlots {
  const slots = createShares(total)
  const places = createShares(maxWaiting)
  /** By site; the first one has the next turn. */
  const waiting = new Map<string, Set<Waiter>>()
  proxyMetrics.rejectedSlots.inc({ pool }, 0)
  const stopMeasuring = metrics.onScrape(`slots of ${pool}`, () => [
    [proxyMetrics.slots, slots.taken(), { pool, state: 'in_use' }],
    [proxyMetrics.slots, places.taken(), { pool, state: 'waiting' }],
  ])

  function take(keys: string[]): Release | null {
    const giveBack = slots.tryAcquire(keys)
    if (!giveBack) return null
    return () => {
      giveBack()
      startNext()
    }
  }

  function startNext(): void {
    for (const [site, waiters] of waiting) {
      for (const waiter of waiters) {
        const release = take(waiter.keys)
        if (!release) continue
        waiting.delete(site)
        waiting.set(site, waiters)
        waiter.start(release)
        return
      }
    }
  }

  function leave(waiter: Waiter): void {
    const [site = ''] = waiter.keys
    const waiters = waiting.get(site)
    waiters?.delete(waiter)
    if (waiters?.size === 0) waiting.delete(site)
  }

  function rejection(): Error {
    proxyMetrics.rejectedSlots.inc({ pool })
    return unavailable(BUSY, RETRY_AFTER_SECONDS, 'slots')
  }

  async function wait(keys: [string, ...string[]], { raw }: FastifyReply): Promise<Release | null> {
    const freePlace = places.tryAcquire(keys)
    if (!freePlace) throw rejection()
    return new Promise((resolve, reject) => {
      const waiter: Waiter = { keys, start: (release) => end(() => resolve(release)) }
      const timer = setTimeout(() => end(() => reject(rejection())), waitMs)
      const onClose = () => end(() => resolve(null))
      const end = (settle: () => void) => {
        clearTimeout(timer)
        raw.off('close', onClose)
        leave(waiter)
        freePlace()
        settle()
      }
      raw.once('close', onClose)
      const waiters = waiting.get(keys[0]) ?? new Set()
      waiting.set(keys[0], waiters.add(waiter))
    })
  }

  return {
    acquire(request, reply) {
      const keys = shareKeys(request)
      return take(keys) ?? wait(keys, reply)
    },
    close: stopMeasuring,
  }
}
