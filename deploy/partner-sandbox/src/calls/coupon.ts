import { discountOf } from '../catalog/coupons.ts'
import { dollars } from '../catalog/products.ts'
import { type Call, COMMON_FIELDS, currentPrice, readQuantities, SUCCESS } from './call.ts'
import type { Fields } from './fields.ts'

/** `/api/photo/order/coupon/v3`: the discount, and what remains to pay. */
export function checkCoupon(call: Call): Fields {
  const { request } = call
  request.expectOnly(...COMMON_FIELDS, 'couponCode', 'productDetails')
  const code = request.text('couponCode')
  const subtotal = readQuantities(call).reduce(
    (sum, { product, quantity }) => sum + currentPrice(call, product) * quantity,
    0,
  )
  const discount = discountOf(code, subtotal)
  return { ...SUCCESS, orderTotalPrice: dollars(subtotal - discount), orderDiscountPrice: dollars(discount) }
}
