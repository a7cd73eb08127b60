import { Type } from 'typebox'
import { Value } from 'typebox/value'
import type { Call } from '../call.ts'
import { Loose, textOf } from '../fields.ts'
import type { SubmitRequest } from '../types.ts'

const Response = Type.Object({ vendorOrderId: Loose })
const NUMBER_MAX = 100

/** Places an order. The value is the partner's number. */
export function submitCall({ products, couponCode, ...order }: SubmitRequest): Call<string> {
  const productDetails = products.map(({ productId, images }) => ({
    productId,
    imageDetails: images.map(({ url, quantity }) => ({ url, qty: String(quantity) })),
  }))
  return {
    name: 'submit',
    path: '/api/photo/order/submit/v3',
    body: { act: 'submitphotoorder', ...order, productDetails, ...(couponCode && { couponCode }) },
    read: readNumber,
    isContradictory: (response) => readNumber(response) !== null,
  }
}

/** Texts that are no number of an order, but what a program writes without one. */
const NO_NUMBER = /^(0|-.*|null|undefined|false|true|nan|-?infinity)$/i

function readNumber(response: unknown): string | null {
  if (!Value.Check(Response, response)) return null
  const { vendorOrderId } = response
  if (typeof vendorOrderId === 'number' && !Number.isSafeInteger(vendorOrderId)) return null
  const number = textOf(vendorOrderId)
  return number !== null && !NO_NUMBER.test(number) && number.length <= NUMBER_MAX ? number : null
}
