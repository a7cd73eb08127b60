import type { RateLimit } from '@skyfolio/kit/rate-limit'
import type { Partner } from '../partner/partner.ts'
import { failureError, isAccountError, unwrap } from '../partner/problem.ts'
import type { Coupon, Environment, ProductQuantity, ReadOutcome } from '../partner/types.ts'

export interface CouponLimits {
  /** Counts every check, since each takes from the partner's limit, which all users share. */
  couponChecks: RateLimit
  /** Counts a code before it is checked, so that parallel guesses cannot bypass the limit; valid ones are refunded. */
  coupons: RateLimit
}

export interface CouponRequest {
  couponCode: string
  items: ProductQuantity[]
}

interface CouponDeps {
  partner: Partner
  limits: CouponLimits
}

/** Codes are compared as the wizard writes them. */
export function normalizeCoupon(code: string): string {
  return code.trim().toUpperCase()
}

/** Checks a user's coupon. @throws AppError 429 after too many checks or invalid codes; 502, 503 or 504 */
export async function checkCoupon(
  { partner, limits }: CouponDeps,
  environment: Environment,
  { userId, ...request }: CouponRequest & { userId: number },
  withinMs: number,
): Promise<Coupon> {
  if (!partner.configured(environment)) throw failureError({ kind: 'not_configured' })
  const endsAt = performance.now() + withinMs
  await limits.couponChecks.count(userId)
  await limits.coupons.count(userId)
  const outcome = await partner.coupon(environment, request, { withinMs: endsAt - performance.now() })
  if (!isInvalid(outcome)) await limits.coupons.refund(userId)
  return toResult(outcome)
}

/** What an outcome says of the coupon. @throws AppError when it says nothing */
export function toResult(outcome: Awaited<ReturnType<Partner['coupon']>>): Coupon {
  if (outcome.outcome !== 'error' || isAccountError(outcome)) return unwrap(outcome)
  const { code, words, status } = outcome
  return { status, err: code, errDesc: words, orderTotalPrice: null, orderDiscountPrice: null, discountCents: 0 }
}

function isInvalid(outcome: ReadOutcome<unknown>): boolean {
  return outcome.outcome === 'error' && !isAccountError(outcome)
}
