import type { SqlTransaction } from '../postgres/database.ts'

/** A database client that runs work in a transaction, as Prisma's does. */
interface TransactionalDatabase<Tx extends SqlTransaction> extends SqlTransaction {
  $transaction<Result>(work: (tx: Tx) => Promise<Result>): Promise<Result>
}

/**
 * Starts to rebuild a projection of photos (tables `photos` and `doubted_photos`) while the service runs: each photo is in
 * doubt until an event of media's confirms it. Returns how many there are.
 */
export async function beginRebuild<Tx extends SqlTransaction>(db: TransactionalDatabase<Tx>): Promise<number> {
  return db.$transaction(async (tx) => {
    await tx.$executeRawUnsafe('TRUNCATE doubted_photos')
    return tx.$executeRawUnsafe('INSERT INTO doubted_photos SELECT id FROM photos WHERE NOT deleted')
  })
}

export interface PhotoDeletion {
  photoId: number
  userId: number
  revision: number
}

/**
 * Ends the rebuild, after media has republished every photo and all events have been handled: photos still in doubt no
 * longer exist, their deletion was missed, and `deletePhoto` is called for them. Returns how many.
 */
export async function endRebuild<Tx extends SqlTransaction>(
  db: TransactionalDatabase<Tx>,
  deletePhoto: (tx: Tx, deletion: PhotoDeletion) => Promise<void>,
): Promise<number> {
  const missing = await db.$queryRawUnsafe<PhotoDeletion[]>(
    `SELECT id AS "photoId", user_id AS "userId", revision + 1 AS revision
     FROM photos JOIN doubted_photos USING (id) WHERE NOT deleted`,
  )
  for (const deletion of missing) await db.$transaction((tx) => deletePhoto(tx, deletion))
  await db.$executeRawUnsafe('DELETE FROM doubted_photos')
  return missing.length
}
