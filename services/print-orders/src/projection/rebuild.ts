import type { Database, Transaction } from '../database.ts'

/**
 * Starts to rebuild the projection of photos while the service runs: each photo is in doubt until an event of media's
 * confirms it. Returns how many there are.
 */
export async function beginRebuild(db: Database): Promise<number> {
  return db.$transaction(async (tx) => {
    await tx.$executeRaw`TRUNCATE doubted_photos`
    return tx.$executeRaw`INSERT INTO doubted_photos SELECT id FROM photos WHERE NOT deleted`
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
export async function endRebuild(
  db: Database,
  deletePhoto: (tx: Transaction, deletion: PhotoDeletion) => Promise<void>,
): Promise<number> {
  const missing = await db.$queryRaw<PhotoDeletion[]>`
    SELECT id AS "photoId", user_id AS "userId", revision + 1 AS revision
    FROM photos JOIN doubted_photos USING (id) WHERE NOT deleted`
  for (const deletion of missing) await db.$transaction((tx) => deletePhoto(tx, deletion))
  await db.doubtedPhoto.deleteMany()
  return missing.length
}
