import type { RateLimit } from '@skyfolio/kit/rate-limit'
import type { Database } from '../database.ts'
import type { Partner } from '../partner/partner.ts'
import { unwrap } from '../partner/problem.ts'
import type { Environment, Store, StoreSearch } from '../partner/types.ts'
import { rememberSearch } from './store-positions.ts'

interface SearchDeps {
  db: Database
  partner: Partner
  limits: { searches: RateLimit }
}

/** Of the time of a search, for what is stored of it. */
const REMEMBER_MS = 1_000

/** Searches stores for a user. @throws AppError 429 after too many searches; 502, 503 or 504 */
export async function searchStores(
  { db, partner, limits }: SearchDeps,
  environment: Environment,
  { userId, ...search }: StoreSearch & { userId: number },
  withinMs: number,
): Promise<Store[]> {
  const endsAt = Date.now() + withinMs
  await limits.searches.count(userId)
  const stores = unwrap(await partner.stores(environment, search, { withinMs: endsAt - REMEMBER_MS - Date.now() }))
  const { latitude, longitude } = search
  const storeNumbers = stores.map(({ storeNum }) => storeNum)
  await rememberSearch(db, { environment, userId, latitude, longitude, storeNumbers }, REMEMBER_MS)
  return stores
}
