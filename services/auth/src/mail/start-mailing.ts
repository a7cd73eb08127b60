import { type Lifetime, repeat } from '@skyfolio/kit'
import { type JobQueue, openQueue, startWorker } from '@skyfolio/kit/queue'
import type { Database } from '../database.ts'
import type { MailSettings } from './mail-settings.ts'
import { createMailer } from './mailer.ts'
import { findDueMails, measureBacklog } from './mails-table.ts'
import { SENDING_TIMES, type SendingTimes, sendMail } from './send-mail.ts'
import { createServerPause } from './smtp-failure.ts'

export interface MailingOptions {
  settings: MailSettings
  redisUrl: string
  publicOrigin: string
  drainSeconds: number
  times?: SendingTimes
  /** Between two searches for due mails. */
  scanSeconds?: number
}

/** A job names a mail, and nothing of it. */
interface MailJob {
  id: string
}

const QUEUE = 'mails'
/** Mails that one process sends at the same time, each over a connection of its own: mail servers often take ten of a client. */
const CONCURRENCY = 5
const SCAN_SECONDS = 1
const SCAN_LIMIT = 500
/** Of the time to drain: then mails on their way are given up, so that they are due for others at once. */
const DRAINED_SHARE = 0.7

/** Sends what is in the table `mails`, with any number of other processes that do the same. */
export function startMailing(life: Lifetime, db: Database, options: MailingOptions): void {
  const { logger } = life
  const { settings, redisUrl, publicOrigin, drainSeconds } = options
  const { times = SENDING_TIMES, scanSeconds = SCAN_SECONDS } = options
  const mailer = createMailer(settings, CONCURRENCY)
  life.defer('mail connections', () => mailer.close())
  const pause = createServerPause(logger)
  const stopping = new AbortController()
  const deps = { db, mailer, pause, logger, origin: new URL(publicOrigin).origin, times, stopping: stopping.signal }
  const worker = startWorker<MailJob>(QUEUE, redisUrl, ({ data }) => sendMail(deps, data.id), {
    concurrency: CONCURRENCY,
    logger,
  })
  const stop = async () => {
    const drained = setTimeout(() => stopping.abort(), drainSeconds * 1000 * DRAINED_SHARE)
    await worker.stop()
    clearTimeout(drained)
  }
  life.defer('mail worker', stop, drainSeconds * 1000)

  const queue = openQueue<MailJob>(QUEUE, redisUrl, logger)
  life.defer('mail queue', () => queue.close())
  const scan = async () => {
    if (!pause.isPaused()) await enqueueDueMails(db, queue)
  }
  life.defer('mail scan', repeat('mail scan', scanSeconds, scan, logger))
  life.defer('mail metrics', measureBacklog(db))
}

/**
 * Adds jobs for due mails, whatever happened to their earlier jobs. The job id contains the attempt, so that a job of a
 * killed worker does not block the next one.
 */
async function enqueueDueMails(db: Database, queue: JobQueue<MailJob>): Promise<void> {
  const due = await findDueMails(db, SCAN_LIMIT)
  if (due.length === 0) return
  const jobs = due.map(({ id, attempts }) => ({
    name: 'mail',
    data: { id },
    opts: { jobId: `mail-${id}-${attempts}` },
  }))
  await (await queue.ready()).addBulk(jobs)
}
