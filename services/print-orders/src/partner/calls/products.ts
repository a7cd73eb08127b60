import { Type } from 'typebox'
import { Value } from 'typebox/value'
import { parseCents } from '../../money.ts'
import type { Call } from '../call.ts'
import { Scalar, textOf, textsOf } from '../fields.ts'
import type { Product } from '../types.ts'

const Response = Type.Object({ products: Type.Array(Type.Unknown()) })
const Entry = Type.Object({ productId: Scalar, productPrice: Scalar })
const OPTIONAL_FIELDS = [
  'productGroupId',
  'productDesc',
  'productSize',
  'currencyType',
  'resWidth',
  'resHeight',
  'dpi',
  'multiImageIndicator',
  'boxQty',
  'vendorQtyLimit',
  'templateUrl',
] as const

/** The group of single prints. */
export const DEFAULT_GROUP = 'STDPR'

export function productsCall(groupId = DEFAULT_GROUP): Call<Product[]> {
  return {
    name: 'products',
    path: '/api/photo/products/v3',
    body: { act: 'getphotoprods', productGroupId: groupId },
    read: readProducts,
  }
}

/** Products without an id or a price cannot be ordered and are left out. */
function readProducts(response: unknown): Product[] | null {
  if (!Value.Check(Response, response)) return null
  const products = response.products.map(readProduct).filter((product) => product !== null)
  return products.length === 0 && response.products.length > 0 ? null : products
}

function readProduct(entry: unknown): Product | null {
  if (!Value.Check(Entry, entry)) return null
  const productId = textOf(entry.productId)
  const productPrice = textOf(entry.productPrice)
  const priceCents = parseCents(productPrice)
  if (productId === null || productPrice === null || priceCents === null) return null
  return { productId, productPrice, priceCents, ...textsOf(entry, OPTIONAL_FIELDS) }
}
