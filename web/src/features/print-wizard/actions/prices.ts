import type { QueryClient } from '@tanstack/react-query'
import { type CouponAnswer, readProducts, validateCoupon } from '../../../api/print-orders.ts'
import { toast } from '../../../components/ui/toast.tsx'
import type { ToastContent } from '../../../components/ui/toast-store.ts'
import { concernsSession } from '../../../lib/http.ts'
import { formatCents, toCents } from '../../../lib/order-formats.ts'
import { quantities } from '../order.ts'
import { type Coupon, couponChecked, productsLoaded } from '../wizard-state.ts'
import { activity, currentSession, type Session } from '../wizard-store.ts'
import { reportError, run, sentenceOf } from './run.ts'

export async function loadProducts(client: QueryClient): Promise<void> {
  await run(client, { busy: 'products', failed: 'Failed to load products' }, async (session) =>
    session.change(productsLoaded, await readProducts()),
  )
}

const NOT_CHECKED = 'Coupon validation failed'
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
    if (concernsSession(error)) return reportError(client, session, error, NOT_CHECKED)
    session.change(couponChecked, { status: 'invalid', message: sentenceOf(error, NOT_CHECKED), discountCents: 0 })
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
  if (err === NOT_CONFIGURED_CODE) {
    const message = 'This coupon is not configured for your account. Contact support for available promotions.'
    return rejected(message, { title: 'Coupon Not Available', description: message })
  }
  const description = 'This coupon code is not valid for this order'
  return rejected('Invalid coupon code', { title: 'Coupon Invalid', description })
}

function rejected(message: string, notice: ToastContent): ReturnType<typeof couponResult> {
  return { coupon: { status: 'invalid', message, discountCents: 0 }, notice: { ...notice, tone: 'danger' } }
}
