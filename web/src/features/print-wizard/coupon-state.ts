import type { Coupon, WizardState } from './wizard-types.ts'

/** A code that the partner has not been asked about. */
export function unchecked(code: string): Coupon {
  return { code, status: 'unchecked', message: null, discountCents: 0 }
}

/** Codes are upper-cased as they are typed; another code has to be checked again. */
export function typeCoupon(state: WizardState, code: string): WizardState {
  return { ...state, coupon: unchecked(code.toUpperCase()), offered: null, confirmed: null }
}

export function couponChecked(state: WizardState, coupon: Omit<Coupon, 'code'>): WizardState {
  return { ...state, coupon: { ...coupon, code: state.coupon.code }, offered: null, confirmed: null }
}

/** True while a code was typed that the partner has not been asked about for these prints. */
export function mustCheckCoupon({ coupon }: WizardState): boolean {
  return coupon.status === 'unchecked' && coupon.code.trim() !== ''
}
