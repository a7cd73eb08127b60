import type { Partner } from '../partner/partner.ts'
import { failureError, isAccountError, unwrap } from '../partner/problem.ts'
import type { Coupon, Environment, ProductQuantity, ReadOutcome } from '../partner/types.ts'
import type { UserLimits } from '../user-limits.ts'

export interface CouponRequest {
  couponCode: string
  items: ProductQuantity[]
}

interface CouponDeps {
  partner: Partner
  limits: Pick<UserLimits, 'countCoupon' | 'countCouponCheck'>
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
  const endsAt = Date.now() + withinMs
  await limits.countCouponCheck(userId)
  const attempt = await limits.countCoupon(userId)
  const outcome = await partner.coupon(environment, request, { withinMs: endsAt - Date.now() })
  if (!isInvalid(outcome)) await attempt.refund()
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
