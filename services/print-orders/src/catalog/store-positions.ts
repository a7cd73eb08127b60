import type { Database } from '../database.ts'
import type { Environment } from '../partner/types.ts'
import { isErased } from '../users/erase-user.ts'
import { lockUser } from '../users/user-lock.ts'

export interface Position {
  latitude: string
  longitude: string
}

const KEPT_MS = 24 * 3600 * 1000

const expiry = () => new Date(Date.now() - KEPT_MS)

/**
 * Remembers where these stores were found, since the partner searches by position only, and in which environment the user
 * searched.
 */
export async function rememberSearch(
  db: Database,
  search: Position & { environment: Environment; userId: number; storeNumbers: string[] },
): Promise<void> {
  const { environment, userId, storeNumbers, latitude, longitude } = search
  const searchedAt = new Date()
  await db.$transaction(async (tx) => {
    // Sorted, so that two searches with the same stores cannot wait for each other.
    await tx.$executeRaw`
      INSERT INTO store_positions (environment, store_number, latitude, longitude, searched_at)
      SELECT ${environment}, store_number, ${latitude}, ${longitude}, ${searchedAt}
      FROM unnest(${[...new Set(storeNumbers)].sort()}::text[]) AS found (store_number)
      ON CONFLICT (environment, store_number) DO UPDATE
      SET latitude = excluded.latitude, longitude = excluded.longitude, searched_at = excluded.searched_at`
    await lockUser(tx, userId)
    // A late request brings nothing of an erased user back.
    if (await isErased(tx, userId)) return
    const search = { environment, searchedAt }
    await tx.storeSearch.upsert({ where: { userId }, create: { userId, ...search }, update: search })
  })
}

/** Where a store was found in the last 24 hours; null when nobody searched there. */
export async function positionOf(
  db: Database,
  environment: Environment,
  storeNumber: string,
): Promise<Position | null> {
  const found = await db.storePosition.findUnique({
    where: { environment_storeNumber: { environment, storeNumber }, searchedAt: { gt: expiry() } },
    select: { latitude: true, longitude: true },
  })
  return found
}

/** Deletes positions that are no longer used. */
export async function forgetOldPositions(db: Database): Promise<void> {
  await db.storePosition.deleteMany({ where: { searchedAt: { lt: expiry() } } })
}
