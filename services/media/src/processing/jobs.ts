import type { Logger } from '@skyfolio/kit'
import { type JobQueue, openQueue } from '@skyfolio/kit/queue'
import type { Database } from '../database.ts'
import type { Photo } from '../generated/client.ts'
import { waitingPhotos } from './leases.ts'

export const QUEUE = 'photos'

/** Says nothing but that a photo waits: which one is next, the worker asks the database. */
export type PhotoJob = Record<string, never>

export function openPhotoQueue(redisUrl: string, logger: Logger): JobQueue<PhotoJob> {
  return openQueue<PhotoJob>(QUEUE, redisUrl, logger)
}

const SCAN_LIMIT = 500

/**
 * Makes a job for one attempt of a photo, though another photo may get it. The id carries the attempt, so that a job
 * whose worker died does not block the next.
 */
export async function enqueue(queue: JobQueue<PhotoJob>, photo: Pick<Photo, 'id' | 'attempts'>): Promise<void> {
  await queue.add(`${photo.id}-${photo.attempts}`, {})
}

/** Makes jobs of the photos that wait, whatever became of their jobs before. */
export async function enqueueWaiting(db: Database, queue: JobQueue<PhotoJob>): Promise<void> {
  for (const photo of await waitingPhotos(db, SCAN_LIMIT)) await enqueue(queue, photo)
}
