import { AppError } from '@skyfolio/kit'
import type { Failure, PartnerError, ReadOutcome } from './types.ts'

/** Codes that say something about the account of this installation, not about the request. */
const ACCOUNT_SENTENCES = new Map([
  ['112', 'Walgreens has not activated printing for this installation yet (error 112).'],
  ['659', 'Walgreens does not know the account of this installation (error 659).'],
  ['2003', 'Walgreens does not accept the credentials of this installation (error 2003).'],
])

const SENTENCES = new Map([
  ...ACCOUNT_SENTENCES,
  ['661', 'This coupon is not configured for your account. Contact support for available promotions.'],
  ['851', 'Walgreens says that a mandatory field is empty (error 851).'],
])

/** The value of a read. @throws AppError 502, 503 or 504 with a sentence for people */
export function unwrap<Value>(outcome: ReadOutcome<Value>): Value {
  if (outcome.outcome === 'ok') return outcome.value
  if (outcome.outcome === 'error') throw new AppError(502, 'partner_failed', rejectionSentence(outcome))
  throw failureError(outcome)
}

/** Whether an error is about the account of this installation. */
export function isAccountError({ code }: Pick<PartnerError, 'code'>): boolean {
  return ACCOUNT_SENTENCES.has(code)
}

/** The partner's words where it has some, otherwise a sentence about its code. */
export function rejectionSentence({ code, words }: Pick<PartnerError, 'code' | 'words'>): string {
  if (words !== '') return isAccountError({ code }) ? `${SENTENCES.get(code)} ${words}` : words
  return SENTENCES.get(code) ?? `Walgreens did not accept the request (error ${code.slice(0, 16)}).`
}

/** A failed call as an error for people. */
export function failureError({ kind, retryAfterMs }: Failure): AppError {
  const extra = retryAfterMs === undefined ? {} : { retryAfter: Math.max(1, retryAfterMs / 1000) }
  switch (kind) {
    case 'not_configured':
      return new AppError(503, 'partner_not_configured', 'Service unavailable. Printing is not set up here.')
    case 'timeout':
      return new AppError(504, 'partner_timeout', 'Walgreens takes too long to respond. Please try again in a moment.')
    case 'rate_limited':
      return new AppError(502, 'partner_failed', 'Walgreens is busy. Please try again in a moment.', extra)
    case 'unreadable':
    case 'too_large':
      return new AppError(
        502,
        'partner_failed',
        'Walgreens sent a response that cannot be read. Please try again later.',
      )
    default:
      return new AppError(502, 'partner_failed', 'Walgreens cannot be reached. Please try again in a moment.', extra)
  }
}
