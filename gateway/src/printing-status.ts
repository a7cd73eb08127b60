import type { NatsConnection } from '@nats-io/nats-core'
import { sendRequest } from '@skyfolio/kit'
import { printingStatus } from '@skyfolio/proto'

/** Whether prints can be ordered now, and whether that would be in the partner's sandbox. */
export interface Printing {
  available: boolean
  sandbox: boolean
}

const CACHE_MS = 2_000
const TIMEOUT_MS = 250

/**
 * Returns a function that requests the state from print-orders; without a response printing is unavailable. Responses and
 * failures are cached, so that a page waits at most `TIMEOUT_MS`, and only one of many.
 */
export function createPrintingStatus(nats: () => NatsConnection | undefined): () => Promise<Printing> {
  let latest: Promise<Printing> | undefined
  let validUntil = 0

  async function read(): Promise<Printing> {
    const connection = nats()
    if (!connection) return { available: false, sandbox: false }
    const { available, sandbox } = await sendRequest(connection, printingStatus, {}, { timeoutMs: TIMEOUT_MS })
    return { available, sandbox }
  }

  return () => {
    const now = performance.now()
    if (latest && now < validUntil) return latest
    validUntil = now + CACHE_MS
    latest = read().catch(() => ({ available: false, sandbox: false }))
    return latest
  }
}
