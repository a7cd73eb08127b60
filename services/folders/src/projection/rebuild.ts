import type { Database } from '../database.ts'
import { buryPhoto } from './photos.ts'

/**
 * Begins to rebuild the projection of photos while all goes on: from now on each photo is doubted until media tells of
 * it. Answers how many there are.
 */
export async function beginRebuild(db: Database): Promise<number> {
  return db.$transaction(async (tx) => {
    await tx.$executeRaw`TRUNCATE doubted_photos`
    return tx.$executeRaw`INSERT INTO doubted_photos SELECT id FROM photos WHERE NOT deleted`
  })
}

/**
 * Ends it when media has told of every photo once more and all of that has been taken over: the photos that are still
 * doubted are no more, their deletion was never heard of. Answers how many.
 */
export async function endRebuild(db: Database): Promise<number> {
  const doubted = await db.$queryRaw<{ id: number; userId: number; revision: number }[]>`
    SELECT id, user_id AS "userId", revision FROM photos JOIN doubted_photos USING (id) WHERE NOT deleted`
  for (const { id, userId, revision } of doubted) {
    await db.$transaction((tx) => buryPhoto(tx, id, userId, revision + 1))
  }
  await db.doubtedPhoto.deleteMany()
  return doubted.length
}
