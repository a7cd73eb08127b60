import { createShares } from '@skyfolio/kit'
import type { FastifyReply } from 'fastify'

export interface DelayedRequests {
  /**
   * Calls `proceed` after that time, or `abandon` when the client disconnects before. Returns false, and calls neither, when
   * too many are delayed, of the site or in all.
   */
  delay(reply: FastifyReply, site: string, ms: number, proceed: () => void, abandon: () => void): boolean
}

/** Requests that wait for their time. Each holds a connection, so their number is bounded: of a site to a quarter. */
export function createDelayedRequests(maxDelayed: number): DelayedRequests {
  const shares = createShares(maxDelayed)

  return {
    delay(reply, site, ms, proceed, abandon) {
      const release = shares.tryAcquire([site])
      if (!release) return false
      const { raw } = reply
      const timer = setTimeout(() => {
        release()
        raw.off('close', leave)
        proceed()
      }, ms)
      function leave(): void {
        release?.()
        clearTimeout(timer)
        // Nothing is left to respond to.
        reply.hijack()
        abandon()
      }
      raw.once('close', leave)
      return true
    },
  }
}
