import { knownError, simulatedError } from '../state/business-error.ts'

type Coupon = { percent: number } | { cents: number; minimumCents?: number } | { problem: 'expired' | 'other-account' }

/** Codes are compared regardless of case. */
const COUPONS: Record<string, Coupon> = {
  PRINT25: { percent: 25 },
  FIRST10: { percent: 10 },
  ONTHEHOUSE: { percent: 100 },
  SAVE5: { cents: 500, minimumCents: 1000 },
  BIG50: { cents: 5000 },
  SUMMER20: { problem: 'expired' },
  PARTNER50: { problem: 'other-account' },
}

/** The discount in cents, at most the subtotal. @throws BusinessError when the code does not apply */
export function discountOf(code: string, subtotalCents: number): number {
  const name = code.trim().toUpperCase()
  const coupon = Object.hasOwn(COUPONS, name) ? COUPONS[name] : undefined
  if (!coupon) throw simulatedError('unknownCoupon', 'coupon code is not valid')
  if ('problem' in coupon) {
    if (coupon.problem === 'expired') throw simulatedError('expiredCoupon', 'coupon has expired')
    throw knownError('661')
  }
  if ('percent' in coupon) return Math.round((subtotalCents * coupon.percent) / 100)
  if (subtotalCents < (coupon.minimumCents ?? 0)) {
    throw simulatedError('couponMinimum', 'order is below the minimum of this coupon')
  }
  return Math.min(coupon.cents, subtotalCents)
}
