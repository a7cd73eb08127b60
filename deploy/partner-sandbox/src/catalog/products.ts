import { knownError, simulatedError } from '../state/errors.ts'

export interface Product {
  productId: string
  productGroupId: string
  productDesc: string
  productSize: string
  /** Inches, as in the size: the short side first. */
  width: number
  height: number
  dpi: number
  priceCents: number
}

/** Product 6560003 is known to be the 4x6 print. The other ids and all prices are made up. */
export const PRODUCTS: readonly Product[] = [
  print('6560003', 4, 6, 300, 40),
  print('6560101', 4, 4, 300, 40),
  print('6560102', 5, 5, 300, 199),
  print('6560103', 5, 7, 300, 349),
  print('6560104', 8, 8, 300, 499),
  print('6560105', 8, 10, 300, 499),
  print('6560106', 11, 14, 200, 1199),
  print('6560107', 12, 12, 200, 1299),
  print('6560108', 12, 18, 200, 1499),
  print('6560109', 16, 20, 150, 2499),
  print('6560110', 20, 30, 150, 2999),
  print('6560111', 24, 36, 150, 3499),
]

function print(productId: string, width: number, height: number, dpi: number, priceCents: number): Product {
  const productSize = `${width}x${height}`
  const kind = width >= 11 ? 'Poster Print' : 'Print'
  const productDesc = `${productSize} ${width === height ? 'Square ' : ''}${kind}`
  return { productId, productGroupId: 'STDPR', productDesc, productSize, width, height, dpi, priceCents }
}

export function findProduct(productId: string): Product | undefined {
  return PRODUCTS.find((product) => product.productId === productId)
}

export function dollars(cents: number): string {
  return (cents / 100).toFixed(2)
}

type Coupon = { percent: number } | { problem: 'expired' | 'other-account' }

/** Codes are compared regardless of case. */
const COUPONS: Record<string, Coupon> = {
  PRINT25: { percent: 25 },
  FIRST10: { percent: 10 },
  ONTHEHOUSE: { percent: 100 },
  SUMMER20: { problem: 'expired' },
  PARTNER50: { problem: 'other-account' },
}

/** The discount in cents. @throws BusinessError when the code does not apply */
export function discountOf(code: string, subtotalCents: number): number {
  const name = code.trim().toUpperCase()
  const coupon = Object.hasOwn(COUPONS, name) ? COUPONS[name] : undefined
  if (!coupon) throw simulatedError('9101', 'coupon code is not valid')
  if ('problem' in coupon) {
    if (coupon.problem === 'expired') throw simulatedError('9102', 'coupon has expired')
    throw knownError('661')
  }
  return Math.round((subtotalCents * coupon.percent) / 100)
}
