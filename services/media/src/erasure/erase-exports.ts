import type { Database } from '../database.ts'
import { lockExports } from '../exports/export-rows.ts'
import { scheduleRemovals, unusedObjects } from '../files/object-removals.ts'
import type { UserErasureDeps } from './deps.ts'

/** Deletes the user's exports with their files. One in preparation follows when that has ended. */
export async function eraseExports(
  { db, store }: UserErasureDeps,
  userId: number,
): Promise<'erased' | 'in preparation'> {
  // No request that began before is left, and none follows the tombstone.
  await db.$transaction((tx) => lockExports(tx, userId))
  for (const { id } of await endExports(db, userId)) {
    const keys: string[] = []
    for await (const { key } of store.list(`exports/${id}/`)) keys.push(key)
    await db.$transaction(async (tx) => {
      await scheduleRemovals(tx, unusedObjects(userId, keys))
      await tx.export.deleteMany({ where: { id } })
    })
  }
  return (await db.export.count({ where: { userId } })) > 0 ? 'in preparation' : 'erased'
}

/** Ends those on which no worker has started, so that none does. */
function endExports(db: Database, userId: number): Promise<{ id: string }[]> {
  return db.$queryRaw`
    UPDATE exports SET status = 'failed', run = run + 1
    WHERE user_id = ${userId} AND (status <> 'preparing' OR starts = 0) RETURNING id`
}
