import type { QueryClient } from '@tanstack/react-query'
import { type CouponAnswer, readProducts, validateCoupon } from '../../../api/print-orders.ts'
import { toast } from '../../../components/ui/toast.tsx'
import type { ToastContent } from '../../../components/ui/toast-store.ts'
import { ApiError, concernsSession } from '../../../lib/http.ts'
import { formatCents, toCents } from '../../../lib/order-formats.ts'
import { quantities } from '../order.ts'
import { COUPON_NOT_VALID, type Coupon, couponChecked, productsLoaded } from '../wizard-state.ts'
import { activity, currentSession, type Session } from '../wizard-store.ts'
import { reportError, run } from './run.ts'

export async function loadProducts(client: QueryClient): Promise<void> {
  await run(client, { busy: 'products', failed: 'Failed to load products' }, async (session) =>
    session.change(productsLoaded, await readProducts()),
  )
}

const INVALID = 'Invalid coupon code'
const NOT_CONFIGURED_CODE = '661'

/** Asks the partner about the typed coupon code, again when the prints change meanwhile. */
export async function checkCoupon(client: QueryClient): Promise<void> {
  const session = currentSession()
  if (activity.get().checkingCoupon) return
  session.setCheckingCoupon(true)
  try {
    while ((await check(session)) === 'outdated') {
      // The next round asks about the present prints.
    }
  } catch (error) {
    if (concernsSession(error)) return reportError(client, session, error, INVALID)
    const message = error instanceof ApiError && error.body ? error.body.message : 'Coupon validation failed'
    session.change(couponChecked, { status: 'invalid', message, discountCents: 0 })
  } finally {
    session.setCheckingCoupon(false)
  }
}

async function check(session: Session): Promise<'done' | 'outdated'> {
  const order = session.order()
  const code = order?.coupon.code.trim()
  if (!order || !code) return 'done'
  const products = quantities(order)
  const answer = await validateCoupon(code, products)
  const now = session.order()
  // Another code was typed meanwhile: it is checked on request.
  if (!now || now.coupon.code.trim() !== code) return 'done'
  if (JSON.stringify(quantities(now)) !== JSON.stringify(products)) return 'outdated'
  const { coupon, notice } = couponResult(answer)
  session.change(couponChecked, coupon)
  toast(notice)
  return 'done'
}

/** What the partner's answer means to the user. */
export function couponResult({ err, orderDiscountPrice }: CouponAnswer): {
  coupon: Omit<Coupon, 'code'>
  notice: ToastContent
} {
  if (!err) {
    const discountCents = toCents(orderDiscountPrice) ?? 0
    const description = discountCents > 0 ? `Discount applied: ${formatCents(discountCents)}` : 'Coupon code accepted'
    const coupon = { status: 'valid', message: 'Coupon applied successfully', discountCents } as const
    return { coupon, notice: { title: 'Coupon Valid', description } }
  }
  const coupon = { status: 'invalid', message: INVALID, discountCents: 0 } as const
  if (err === NOT_CONFIGURED_CODE) {
    const description = 'This coupon is not configured for your account. Contact support for available promotions.'
    return { coupon, notice: { title: 'Coupon Not Available', description, tone: 'danger' } }
  }
  return { coupon, notice: { title: 'Coupon Invalid', description: COUPON_NOT_VALID, tone: 'danger' } }
}
