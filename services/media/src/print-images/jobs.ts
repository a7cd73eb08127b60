import type { Logger } from '@skyfolio/kit'
import { type JobQueue, openQueue } from '@skyfolio/kit/queue'
import type { Database } from '../database.ts'
import type { PrintImage } from '../generated/client.ts'
import { findWaitingImages } from './leases.ts'

/** A queue of its own: print images do not wait behind photos. */
export const PRINT_QUEUE = 'print-images'

/** A job only says that an image waits. The worker selects the next one in the database. */
export type PrintJob = Record<string, never>

const SCAN_LIMIT = 500

export function openPrintQueue(redisUrl: string, logger: Logger): JobQueue<PrintJob> {
  return openQueue<PrintJob>(PRINT_QUEUE, redisUrl, logger)
}

/** Creates a job for one attempt of an image, although it may render another one. */
export async function enqueuePrintImage(
  queue: JobQueue<PrintJob>,
  image: Pick<PrintImage, 'id' | 'attempts'>,
): Promise<void> {
  await queue.add(`${image.id}-${image.attempts}`, {})
}

/** Creates jobs for waiting images, whatever happened to their earlier jobs. */
export async function enqueueWaitingPrintImages(db: Database, queue: JobQueue<PrintJob>): Promise<void> {
  for (const image of await findWaitingImages(db, SCAN_LIMIT)) await enqueuePrintImage(queue, image)
}
