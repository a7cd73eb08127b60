import type { RateLimit } from '@skyfolio/kit/rate-limit'
import type { Database } from '../database.ts'
import type { Partner } from '../partner/partner.ts'
import { unwrap } from '../partner/problem.ts'
import type { Environment, Store, StoreSearch } from '../partner/types.ts'
import { isErased, lockUser } from '../users/erasure.ts'

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
  const endsAt = performance.now() + withinMs
  await limits.searches.count(userId)
  const stores = unwrap(
    await partner.stores(environment, search, { withinMs: endsAt - REMEMBER_MS - performance.now() }),
  )
  const { latitude, longitude } = search
  const storeNumbers = stores.map(({ storeNum }) => storeNum)
  await rememberSearch(db, { environment, userId, latitude, longitude, storeNumbers }, REMEMBER_MS)
  return stores
}

interface Position {
  latitude: string
  longitude: string
}

const KEPT_HOURS = 24
/** Longer than anybody leaves the wizard open. */
const SEARCHES_KEPT_DAYS = 7

/**
 * Remembers where these stores were found, since the partner searches by position only, and in which environment the user
 * searched. Waits at most `withinMs` for other requests of the user.
 */
export async function rememberSearch(
  db: Database,
  search: Position & { environment: Environment; userId: number; storeNumbers: string[] },
  withinMs: number,
): Promise<void> {
  const { environment, userId, storeNumbers, latitude, longitude } = search
  await db.$transaction(async (tx) => {
    await tx.$queryRaw`SELECT set_config('statement_timeout', ${String(withinMs)}, true)`
    await lockUser(tx, userId)
    // A late request brings nothing of an erased user back.
    if (await isErased(tx, userId)) return
    await tx.$executeRaw`
      INSERT INTO store_searches (user_id, environment, searched_at) VALUES (${userId}, ${environment}, now())
      ON CONFLICT (user_id) DO UPDATE SET environment = excluded.environment, searched_at = excluded.searched_at`
    // Sorted, so that two searches with the same stores cannot wait for each other.
    await tx.$executeRaw`
      INSERT INTO store_positions (environment, store_number, latitude, longitude, searched_at)
      SELECT ${environment}, store_number, ${latitude}, ${longitude}, now()
      FROM unnest(${[...new Set(storeNumbers)].sort()}::text[]) AS found (store_number)
      ON CONFLICT (environment, store_number) DO UPDATE
      SET latitude = excluded.latitude, longitude = excluded.longitude, searched_at = excluded.searched_at`
  })
}

/** Where a store was found in the last 24 hours; null when nobody searched there. */
export async function positionOf(
  db: Database,
  environment: Environment,
  storeNumber: string,
): Promise<Position | null> {
  const [found] = await db.$queryRaw<Position[]>`
    SELECT latitude, longitude FROM store_positions
    WHERE environment = ${environment} AND store_number = ${storeNumber}
      AND searched_at > now() - make_interval(hours => ${KEPT_HOURS})`
  return found ?? null
}

/** Deletes positions and searches that are no longer used. */
export async function forgetOldPositions(db: Database): Promise<void> {
  await db.$executeRaw`DELETE FROM store_positions WHERE searched_at < now() - make_interval(hours => ${KEPT_HOURS})`
  await db.$executeRaw`DELETE FROM store_searches WHERE searched_at < now() - make_interval(days => ${SEARCHES_KEPT_DAYS})`
}
