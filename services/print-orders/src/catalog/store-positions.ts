import type { Database } from '../database.ts'
import type { Environment } from '../partner/types.ts'
import { isErased } from '../users/begin-erasure.ts'
import { lockUser } from '../users/user-lock.ts'

export interface Position {
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
