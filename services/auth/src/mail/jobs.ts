import type { Logger } from '@skyfolio/kit'
import { type JobQueue, openQueue } from '@skyfolio/kit/queue'
import type { Pool } from 'pg'
import { findDueMails } from './leases.ts'

export const QUEUE = 'mails'

/** A job names a mail, and nothing of it. */
export interface MailJob {
  id: string
}

export function openMailQueue(redisUrl: string, logger: Logger): JobQueue<MailJob> {
  return openQueue<MailJob>(QUEUE, redisUrl, logger)
}

const SCAN_LIMIT = 500

/**
 * Creates jobs for due mails, whatever happened to their earlier jobs. The job id contains the attempt, so that a job of a
 * killed worker does not block the next one.
 */
export async function enqueueDueMails(pool: Pool, queue: JobQueue<MailJob>): Promise<void> {
  const due = await findDueMails(pool, SCAN_LIMIT)
  if (due.length === 0) return
  const jobs = due.map(({ id, attempts }) => ({
    name: 'mail',
    data: { id },
    opts: { jobId: `mail-${id}-${attempts}` },
  }))
  await (await queue.ready()).addBulk(jobs)
}
