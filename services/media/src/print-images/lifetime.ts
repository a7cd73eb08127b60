import type { PrintImage } from '../generated/client.ts'
import { isProof } from './specification.ts'

const HOUR_MS = 3_600_000
/** The partner may fetch an image for so long after an order. */
export const MIN_REMAINING_MS = 36 * HOUR_MS
/** With the shortest lifetime, too, an image is not extended by every request. */
const MIN_LIFETIME_MS = MIN_REMAINING_MS + HOUR_MS
/** A proof is on the screen only while somebody orders. */
const PROOF_MS = 48 * HOUR_MS
/** For so long a failure is answered without a further attempt. */
export const FAILURE_MS = 10 * 60_000

/** When an image that becomes ready or is extended now expires, to the second, as its name says. */
export function expiryOf(image: Pick<PrintImage, 'photoId' | 'shortSide'>, lifetimeMs: number, now = Date.now()): Date {
  const lifetime = Math.max(MIN_LIFETIME_MS, isProof(image) ? Math.min(PROOF_MS, lifetimeMs) : lifetimeMs)
  return new Date(Math.ceil((now + lifetime) / 1000) * 1000)
}

/** Whether an order now could outlive the image. */
export function expiresSoon({ expiresAt }: Pick<PrintImage, 'expiresAt'>, now = Date.now()): boolean {
  return expiresAt.getTime() < now + MIN_REMAINING_MS
}
