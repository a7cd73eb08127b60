import { randomUUID } from 'node:crypto'
import { emit } from '@skyfolio/kit'
import { events } from '@skyfolio/proto'
import type { Database, Transaction } from '../database.ts'
import type { Photo } from '../generated/client.ts'
import { MAX_SELECTED_AGO_MS } from '../upload-sessions/rows.ts'

const USERS_AT_ONCE = 100
/** The event names as many photos; it has the number of all. */
const MAX_NAMED = 20

/** Remembers a photo that failed after its upload until it is reported. */
export async function rememberFailedUpload(tx: Transaction, { id, userId }: Photo): Promise<void> {
  await tx.$executeRaw`
    INSERT INTO failed_uploads (user_id, photo_id) VALUES (${userId}, ${id})
    ON CONFLICT (user_id, photo_id) DO UPDATE SET failed_at = now()`
}

/** Forgets photos whose failure their owner has seen. */
export async function forgetFailedUploads(tx: Transaction, userId: number, photoIds: number[]): Promise<void> {
  await tx.failedUpload.deleteMany({ where: { userId, photoId: { in: photoIds } } })
}

/** After a user's last upload and last failure: the photos of one import that failed are one notice. */
const NOTICE_SECONDS = 300

/**
 * Publishes the photos that failed, one event for each user whose last upload and last failure are `seconds` ago and of
 * whom no photo is in processing. Safe to call concurrently. Returns the number of events.
 */
export async function reportFailedUploads(db: Database, seconds = NOTICE_SECONDS): Promise<number> {
  const due = await db.$queryRaw<{ userId: number }[]>`
    SELECT user_id AS "userId" FROM failed_uploads GROUP BY user_id
    HAVING max(failed_at) <= now() - make_interval(secs => ${seconds})
      AND NOT EXISTS (SELECT FROM photos WHERE user_id = failed_uploads.user_id AND status = 'processing')
      AND NOT EXISTS (
        SELECT FROM photos WHERE user_id = failed_uploads.user_id AND purpose IN ('gallery', 'raw')
          AND created_at > now() - make_interval(secs => ${seconds + MAX_SELECTED_AGO_MS / 1000})
          AND requested_at > now() - make_interval(secs => ${seconds}))
    ORDER BY min(failed_at) LIMIT ${USERS_AT_ONCE}`
  let count = 0
  for (const { userId } of due) if (await reportUser(db, userId)) count += 1
  return count
}

/** Publishes those that still exist and are still failed. A process that comes second waits for the rows, and finds none. */
async function reportUser(db: Database, userId: number): Promise<boolean> {
  return db.$transaction(async (tx) => {
    const reported = await tx.$queryRaw<{ photoId: number }[]>`
      DELETE FROM failed_uploads WHERE user_id = ${userId} RETURNING photo_id AS "photoId"`
    const photos = await tx.photo.findMany({
      where: { id: { in: reported.map(({ photoId }) => photoId) }, status: 'failed', purpose: { not: 'metadata' } },
      orderBy: { id: 'asc' },
    })
    if (photos.length === 0) return false
    await emit(tx, events.uploadFailed, {
      id: randomUUID(),
      userId,
      count: photos.length,
      photos: photos.slice(0, MAX_NAMED).map(({ id, title, statusMessage }) => ({
        id,
        title,
        message: statusMessage ?? '',
      })),
    })
    return true
  })
}
