import type { Database } from '../database.ts'
import { lockExports } from '../exports/export-rows.ts'
import { scheduleRemovals } from '../files/object-removals.ts'
import type { UserErasureDeps } from './deps.ts'

/** Within it the objects of an export are listed. */
const LEASE_SECONDS = 60

/** Deletes the user's exports with their files. One in preparation follows when that has ended. */
export async function eraseExports(
  { db, store }: UserErasureDeps,
  userId: number,
): Promise<'erased' | 'in preparation'> {
  // No request that began before is left, and none follows the tombstone.
  await db.$transaction((tx) => lockExports(tx, userId))
  for (const id of await acquireExports(db, userId)) {
    const keys: string[] = []
    for await (const { key } of store.list(`exports/${id}/`)) keys.push(key)
    await db.$transaction(async (tx) => {
      await scheduleRemovals(
        tx,
        keys.map((key) => ({ key, userId })),
      )
      await tx.export.deleteMany({ where: { id } })
    })
  }
  return (await db.export.count({ where: { userId } })) > 0 ? 'in preparation' : 'erased'
}

/** Acquires the leases of those that no worker prepares, so that none begins to. */
async function acquireExports(db: Database, userId: number): Promise<string[]> {
  const rows = await db.$queryRaw<{ id: string }[]>`
    UPDATE exports SET lease_id = gen_random_uuid(), lease_until = now() + make_interval(secs => ${LEASE_SECONDS})
    WHERE user_id = ${userId} AND (lease_id IS NULL OR lease_until < now()) RETURNING id`
  return rows.map(({ id }) => id)
}
