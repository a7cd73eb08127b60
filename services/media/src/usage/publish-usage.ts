import type { Database } from '../database.ts'
import { publishUsageChanged } from '../events.ts'
import type { UserUsage } from '../generated/client.ts'

const BATCH = 200

/**
 * Commits events about all usage that changed since the last ones. Returns the number of users. Any number of processes may do so
 * at the same time.
 */
export async function publishUsage(db: Database): Promise<number> {
  const where = { revision: { gt: db.userUsage.fields.publishedRevision } }
  let count = 0
  while (await db.userUsage.findFirst({ where, select: { userId: true } })) {
    const published = await publishBatch(db)
    count += published
    // Of the others a publisher or a change in progress holds the rows.
    if (published < BATCH) break
  }
  return count
}

function publishBatch(db: Database): Promise<number> {
  return db.$transaction(async (tx) => {
    const changed = await tx.$queryRaw<Omit<UserUsage, 'publishedRevision'>[]>`
      WITH due AS MATERIALIZED (
        SELECT user_id FROM user_usage WHERE revision > published_revision
        ORDER BY user_id LIMIT ${BATCH} FOR UPDATE SKIP LOCKED
      )
      UPDATE user_usage AS usage SET published_revision = revision FROM due WHERE usage.user_id = due.user_id
      RETURNING usage.user_id AS "userId", photos, locations, bytes, revision`
    await publishUsageChanged(tx, ...changed)
    return changed.length
  })
}
