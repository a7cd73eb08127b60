import type { Logger } from '@skyfolio/kit'
import { type JobQueue, openQueue } from '@skyfolio/kit/queue'
import type { Database } from '../database.ts'
import type { Photo } from '../generated/client.ts'
import { findWaitingPhotos } from './leases.ts'

export const QUEUE = 'photos'

/** A job only says that a photo waits. The worker selects the next photo in the database. */
export type PhotoJob = Record<string, never>

export function openPhotoQueue(redisUrl: string, logger: Logger): JobQueue<PhotoJob> {
  return openQueue<PhotoJob>(QUEUE, redisUrl, logger)
}

const SCAN_LIMIT = 500

/**
 * Creates a job for one attempt of a photo, although it may process another photo. The job id contains the attempt, so
 * that a job of a killed worker does not block the next one.
 */
export async function enqueuePhoto(queue: JobQueue<PhotoJob>, photo: Pick<Photo, 'id' | 'attempts'>): Promise<void> {
  await queue.add(`${photo.id}-${photo.attempts}`, {})
}

/** Creates jobs for waiting photos, whatever happened to their earlier jobs. */
export async function enqueueWaiting(db: Database, queue: JobQueue<PhotoJob>): Promise<void> {
  for (const photo of await findWaitingPhotos(db, SCAN_LIMIT)) await enqueuePhoto(queue, photo)
}
