import type { QueryClient } from '@tanstack/react-query'
import { validateCoupon } from '../../../api/print-orders.ts'
import type { CouponAnswer } from '../../../api/print-types.ts'
import { toast } from '../../../components/ui/toast.tsx'
import { ApiError, hasStatus } from '../../../lib/http.ts'
import { formatCents, toCents } from '../../../lib/money.ts'
import { quantities } from '../order.ts'
import { couponChecked } from '../wizard-state.ts'
import { activity, change, currentOrder, setCheckingCoupon } from '../wizard-store.ts'
import type { Coupon } from '../wizard-types.ts'
import { reportError } from './report-error.ts'

const INVALID = 'Invalid coupon code'
const NOT_CONFIGURED_CODE = '661'

/** Asks the partner about the typed coupon code. */
export async function checkCoupon(client: QueryClient): Promise<void> {
  const order = currentOrder()
  const code = order?.coupon.code.trim()
  if (!order || !code || activity.get().checkingCoupon) return
  setCheckingCoupon(true)
  try {
    const answer = await validateCoupon(code, quantities(order))
    // Another code was typed meanwhile.
    if (currentOrder()?.coupon.code.trim() !== code) return
    const { coupon, notice } = couponResult(answer)
    change(couponChecked, coupon)
    toast(notice)
  } catch (error) {
    if (hasStatus(error, 401)) return reportError(client, error, INVALID)
    const message = error instanceof ApiError && error.body ? error.body.message : 'Coupon validation failed'
    change(couponChecked, { status: 'invalid', message, discountCents: 0 })
  } finally {
    setCheckingCoupon(false)
  }
}

interface CouponResult {
  coupon: Omit<Coupon, 'code'>
  notice: { title: string; description: string; tone?: 'danger' }
}

/** What the partner's answer means to the user. */
export function couponResult({ err, orderDiscountPrice }: CouponAnswer): CouponResult {
  if (!err) {
    const discountCents = toCents(orderDiscountPrice) ?? 0
    const description = discountCents > 0 ? `Discount applied: ${formatCents(discountCents)}` : 'Coupon code accepted'
    return {
      coupon: { status: 'valid', message: 'Coupon applied successfully', discountCents },
      notice: { title: 'Coupon Valid', description },
    }
  }
  const coupon = { status: 'invalid', message: INVALID, discountCents: 0 } as const
  if (err === NOT_CONFIGURED_CODE) {
    const description = 'This coupon is not configured for your account. Contact support for available promotions.'
    return { coupon, notice: { title: 'Coupon Not Available', description, tone: 'danger' } }
  }
  const description = 'This coupon code is not valid for this order'
  return { coupon, notice: { title: 'Coupon Invalid', description, tone: 'danger' } }
}
