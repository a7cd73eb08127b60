import { findProduct, type Product, priceOf } from '../catalog/products.ts'
import { simulatedError } from '../state/business-error.ts'
import type { TakenFaults } from '../state/faults.ts'
import type { Profile } from '../state/profile.ts'
import type { SandboxState } from '../state/state.ts'
import type { Fields, RequestFields } from './fields.ts'

/** One request to the partner API, after its credentials were accepted. */
export interface Call {
  state: SandboxState
  request: RequestFields
  affId: string
  profile: Profile
  faults: TakenFaults
  /** Time of the sandbox's clock. */
  now: number
  /** Of the partner API, as the client addresses it. */
  origin: string
}

/** Executes a call. @throws BusinessError as the partner rejects it */
export type Handler = (call: Call) => Fields | Promise<Fields>

export const COMMON_FIELDS = ['apiKey', 'affId', 'act', 'appVer', 'devInf'] as const

export const SUCCESS = { status: 'success', err: '', errDesc: '' }

/** @throws BusinessError when there is no such product */
export function knownProduct(productId: string): Product {
  const product = findProduct(productId)
  if (product) return product
  throw simulatedError('unknownProduct', `unknown productId ${productId.slice(0, 40)}`)
}

/** The price for this request, which a fault may change. */
export function currentPrice({ faults }: Call, product: Product): number {
  const change = faults.get('price-change')
  return priceOf(product, change ? (change.percent ?? 10) : 0)
}

/** The products and quantities that store search and coupon check send. */
export function readQuantities({ request }: Call): { product: Product; quantity: number }[] {
  return request.entries('productDetails').map((entry) => {
    entry.expectOnly('productId', 'qty')
    return { product: knownProduct(entry.text('productId')), quantity: entry.quantity('qty') }
  })
}
