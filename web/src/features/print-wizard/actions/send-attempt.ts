import { submitOrder } from '../../../api/print-orders.ts'
import type { OrderResult } from '../../../api/print-types.ts'
import { ApiError } from '../../../lib/http.ts'
import { type Attempt, forgetAttempt, keepAttempt } from '../attempt.ts'
import { pause } from '../upload-photos.ts'
import { codeOf } from './run.ts'

/** What became of an order that was sent. The server itself follows one whose result says `unknown`. */
export type Fate =
  | { kind: 'placed'; result: OrderResult }
  | { kind: 'notPlaced'; error: unknown }
  | { kind: 'unsure'; error: unknown }

/** The server has decided on a request by then, even if its response was lost. */
const DECIDED_MS = 25_000
/** Not sent, or not processed: that says nothing about the same request before. */
const NOT_PROCESSED = [401, 403, 408, 425, 429]
/** Errors of the server with which it says that nothing was ordered. */
const NOTHING_ORDERED = ['partner_failed', 'partner_not_configured', 'images_not_ready']
/** The order itself was found. */
const FINAL = ['partner_refused', 'order_not_placed']

/** Sends an order for the first time. */
export async function sendFirst(attempt: Attempt): Promise<Fate> {
  return settled(attempt, await send(attempt, true))
}

/** Sends an order again whose fate is not known, under its key. */
export async function sendAgain(attempt: Attempt, signal: AbortSignal): Promise<Fate> {
  const decidedAt = attempt.sentAt + DECIDED_MS
  let fate = await send(attempt, false)
  const early = Math.min(decidedAt - Date.now(), DECIDED_MS)
  if (fate.kind === 'notPlaced' && early > 0 && !FINAL.includes(codeOf(fate.error))) {
    // The request before may still be on its way through the server.
    const { error } = fate
    const waited = await pause(early, signal).then(
      () => true,
      () => false,
    )
    fate = waited ? await send(attempt, false) : { kind: 'unsure', error }
  }
  return settled(attempt, fate)
}

async function send(attempt: Attempt, isFirst: boolean): Promise<Fate> {
  keepAttempt({ ...attempt, sentAt: Date.now() })
  try {
    return { kind: 'placed', result: await submitOrder(attempt.body, attempt.key) }
  } catch (error) {
    return { kind: saysNotPlaced(error, isFirst) ? 'notPlaced' : 'unsure', error }
  }
}

function saysNotPlaced(error: unknown, isFirst: boolean): boolean {
  if (!(error instanceof ApiError)) return false
  if (NOTHING_ORDERED.includes(codeOf(error))) return true
  if (NOT_PROCESSED.includes(error.status)) return isFirst
  return error.status >= 400 && error.status < 500
}

function settled(attempt: Attempt, fate: Fate): Fate {
  if (fate.kind !== 'unsure') forgetAttempt(attempt)
  return fate
}
