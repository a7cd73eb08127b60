import type { OrderResult } from '../../api/print-orders.ts'
import { toCents } from '../../lib/order-formats.ts'
import { goTo } from './wizard-state.ts'
import type { Offer, WizardState } from './wizard-types.ts'

/** The user accepts the server's figures. */
export function confirmFigures(state: WizardState): WizardState {
  return { ...state, confirmed: state.offered?.now ?? state.confirmed, offered: null, error: null }
}

/** The server would accept other figures: the user decides. What was confirmed before no longer holds. */
export function figuresOffered(state: WizardState, offered: Offer): WizardState {
  const coupon = losesDiscount(offered) ? { ...state.coupon, ...REJECTED_COUPON } : state.coupon
  return { ...state, offered, coupon, confirmed: null }
}

const REJECTED_COUPON = {
  status: 'invalid',
  message: 'This coupon code is not valid for this order',
  discountCents: 0,
} as const

/** True when the partner does not accept the coupon any more. */
export function losesDiscount({ before, now }: Offer): boolean {
  return (toCents(before.discountAmount) ?? 0) > 0 && toCents(now.discountAmount) === 0
}

/** The server's sentences about the details. */
export function withFieldErrors(state: WizardState, fieldErrors: Record<string, string>): WizardState {
  return { ...state, fieldErrors }
}

/** The order that was sent, at this store; the note says how it differs from what the wizard shows. */
export function orderPlaced(
  state: WizardState,
  outcome: OrderResult,
  storeNum: string,
  outcomeNote: string | null = null,
): WizardState {
  return { ...goTo(state, 'complete'), outcome, storeNum, outcomeNote }
}
