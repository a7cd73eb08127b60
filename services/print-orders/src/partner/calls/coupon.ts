import { Type } from 'typebox'
import { Value } from 'typebox/value'
import { parseCents } from '../../money.ts'
import type { Call } from '../call.ts'
import { hasAny, Loose, textOf, textsOf } from '../fields.ts'
import type { Coupon, ProductQuantity } from '../types.ts'

const Response = Type.Object({
  status: Loose,
  err: Loose,
  errDesc: Loose,
  orderTotalPrice: Loose,
  orderDiscountPrice: Loose,
})

export function couponCall(request: { couponCode: string; items: ProductQuantity[] }): Call<Coupon> {
  const productDetails = request.items.map(({ productId, quantity }) => ({ productId, qty: String(quantity) }))
  return {
    name: 'coupon',
    path: '/api/photo/order/coupon/v3',
    body: { act: 'getdiscount', couponCode: request.couponCode, productDetails },
    read: readCoupon,
  }
}

/** A discount that is no amount is unusable; without one the coupon is accepted and saves nothing. */
function readCoupon(response: unknown): Coupon | null {
  if (!Value.Check(Response, response) || !hasAny(response, ['status', 'err', 'orderDiscountPrice'])) return null
  const texts = textsOf(response, ['status', 'orderTotalPrice', 'orderDiscountPrice'])
  const discountCents = texts.orderDiscountPrice === null ? 0 : parseCents(texts.orderDiscountPrice)
  if (discountCents === null) return null
  return { ...texts, err: '', errDesc: textOf(response.errDesc) ?? '', discountCents }
}
