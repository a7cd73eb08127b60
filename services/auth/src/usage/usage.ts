import type { UsageChanged } from '@skyfolio/proto'
import type { Database, Transaction } from '../database.ts'

/** What a user's photos amount to, from the projection of media's usage; zeros before the first upload. */
export async function readStatistics(db: Database, userId: number) {
  const usage = await db.userUsage.findUnique({ where: { userId } })
  return {
    totalPhotos: usage?.photos ?? 0,
    uniqueLocations: usage?.locations ?? 0,
    storageUsed: Number(usage?.bytes ?? 0),
  }
}

/**
 * Stores a user's usage unless a newer revision is stored. A revision identifies a state, so the same one again corrects a
 * damaged row. Nothing of an erased user is stored. In a rebuild the first event counts whatever its revision: media may have
 * been restored to an earlier state.
 */
export async function saveUsage(
  tx: Transaction,
  { userId, photos, locations, bytes, revision }: UsageChanged,
): Promise<void> {
  // The erasure of the user waits until the transaction ends.
  await tx.$queryRaw`SELECT 1 FROM users WHERE id = ${userId} FOR KEY SHARE`
  await tx.$executeRaw`
    INSERT INTO user_usage AS stored (user_id, photos, locations, bytes, revision)
    SELECT ${userId}, ${photos}, ${locations}, ${bytes}, ${revision}
    WHERE NOT EXISTS (SELECT FROM account_deletions WHERE user_id = ${userId} AND erased_at IS NOT NULL)
    ON CONFLICT (user_id) DO UPDATE SET photos = excluded.photos, locations = excluded.locations, bytes = excluded.bytes,
      revision = excluded.revision, doubted = false
    WHERE stored.doubted OR stored.revision <= excluded.revision`
}

/**
 * Starts to rebuild the projection while the service runs: each row is in doubt until an event of media's confirms it. Returns
 * how many there are.
 */
export async function beginUsageRebuild(db: Database): Promise<number> {
  return db.$executeRaw`UPDATE user_usage SET doubted = true`
}

/**
 * Ends the rebuild, after media has republished the usage of every user and all events have been handled: rows still in doubt
 * are of users of whom media has nothing. Returns how many.
 */
export async function endUsageRebuild(db: Database): Promise<number> {
  return db.$executeRaw`DELETE FROM user_usage WHERE doubted`
}
