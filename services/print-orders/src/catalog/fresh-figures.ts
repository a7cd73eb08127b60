import { badRequest } from '@skyfolio/kit'
import type { Database } from '../database.ts'
import type { Partner } from '../partner/partner.ts'
import { failureError, unwrap } from '../partner/problem.ts'
import type { Coupon, Environment, Product, ProductQuantity, Store } from '../partner/types.ts'
import { type CouponLimits, checkCoupon } from './coupon.ts'
import type { ProductCatalog } from './products.ts'
import { positionOf } from './stores.ts'

export interface FiguresRequest {
  userId: number
  storeNum: string
  items: ProductQuantity[]
  /** As `normalizeCoupon` returns it. */
  couponCode: string | null
}

/** What the partner says now of what somebody is about to order. */
export interface FreshFigures {
  /** By product id. */
  products: Map<string, Product>
  /** Null when the partner no longer lists the store. */
  store: Store | null
  /** Null without a coupon code; an invalid coupon has a code in `err`. */
  coupon: Coupon | null
}

export interface FiguresDeps {
  db: Database
  partner: Partner
  catalog: ProductCatalog
  limits: CouponLimits
}

/**
 * Reads products, store and coupon at once, never from a cache.
 * @throws AppError 400 when nobody has searched the store, 429 after too many coupons; 502, 503 or 504
 */
export async function freshFigures(
  deps: FiguresDeps,
  environment: Environment,
  { userId, storeNum, items, couponCode }: FiguresRequest,
  withinMs: number,
): Promise<FreshFigures> {
  const { db, partner, catalog } = deps
  if (!partner.configured(environment)) throw failureError({ kind: 'not_configured' })
  const endsAt = performance.now() + withinMs
  const position = await positionOf(db, environment, storeNum)
  if (!position) throw badRequest('This store is not known. Please search for stores again.')
  const left = endsAt - performance.now()
  const coupon = couponCode === null ? null : checkCoupon(deps, environment, { userId, couponCode, items }, left)
  const [products, stores, couponResult] = await Promise.all([
    catalog.fresh(environment, left).then(unwrap),
    partner.stores(environment, { ...position, items }, { withinMs: left }).then(unwrap),
    coupon,
  ])
  return {
    products: new Map(products.map((product) => [product.productId, product])),
    store: stores.find((store) => store.storeNum === storeNum) ?? null,
    coupon: couponResult,
  }
}
