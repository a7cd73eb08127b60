import type { Database } from '../database.ts'
import { deleteLocked } from '../photos/delete-photos.ts'
import type { UserErasureDeps } from './deps.ts'

/** Photos per transaction: short enough not to delay others. */
const BATCH = 200

/**
 * Deletes the user's photos, those of the metadata screen too, for some seconds. A photo in processing follows when that
 * has ended, so that no rendition is stored after the erasure.
 */
export async function erasePhotos(
  { db, afterCommit }: UserErasureDeps,
  userId: number,
  seconds: number,
): Promise<'erased' | 'in processing' | 'more'> {
  const until = performance.now() + seconds * 1000
  while ((await eraseBatch(db, userId)) === BATCH) {
    afterCommit()
    if (performance.now() > until) return 'more'
  }
  afterCommit()
  return (await db.photo.findFirst({ where: { userId }, select: { id: true } })) ? 'in processing' : 'erased'
}

async function eraseBatch(db: Database, userId: number): Promise<number> {
  return db.$transaction(async (tx) => {
    const locked = await tx.$queryRaw<{ id: number }[]>`
      SELECT id FROM photos WHERE user_id = ${userId} AND (status <> 'processing' OR starts = 0)
      ORDER BY id LIMIT ${BATCH} FOR UPDATE`
    const photos = await tx.photo.findMany({
      where: { id: { in: locked.map(({ id }) => id) } },
      omit: { metadata: true, tags: true },
      orderBy: { id: 'asc' },
    })
    await deleteLocked(tx, photos)
    return locked.length
  })
}
