import { randomUUID } from 'node:crypto'
import { type Measurement, metrics } from '@skyfolio/kit'
import type { Database } from '../database.ts'
import type { Mail } from '../generated/client.ts'

// The statements of the worker about the table `mails`.

/** The right of one worker to send a mail, until its end. */
export interface Lease {
  mail: Mail
  leaseId: string
}

export interface LeaseTimes {
  /** Time limit of the first attempt; it doubles with each further one, since a slow server may have accepted the mail. */
  firstSeconds: number
  longestSeconds: number
}

/** Between the time limit of an attempt and the end of its lease. */
const RESERVE_SECONDS = 15

/** Time limit of an attempt, the first being 1. */
export function attemptSeconds({ firstSeconds, longestSeconds }: LeaseTimes, attempt: number): number {
  return Math.min(firstSeconds * 2 ** (Math.min(attempt, 30) - 1), longestSeconds)
}

/** Leases a due mail and counts an attempt. Returns null when it is not due, or another worker has it. */
export async function acquireLease(db: Database, mailId: string, times: LeaseTimes): Promise<Lease | null> {
  const leaseId = randomUUID()
  const { firstSeconds, longestSeconds } = times
  const acquired = await db.$executeRaw`
    UPDATE mails SET attempts = attempts + 1, lease_id = ${leaseId}::uuid, lease_until = now() + make_interval(
      secs => least(${firstSeconds}::float8 * 2 ^ least(attempts, 30), ${longestSeconds}) + ${RESERVE_SECONDS})
    WHERE id = ${mailId}::uuid AND status = 'waiting' AND due_at <= now()
      AND (lease_until IS NULL OR lease_until < now())`
  if (acquired === 0) return null
  const mail = await db.mail.findFirst({ where: { id: mailId, leaseId } })
  return mail && { mail, leaseId }
}

/**
 * Records that nothing more is to be done, and forgets address and contents. Returns false when the lease was lost or the
 * mail no longer waits.
 */
export async function finishMail(db: Database, { mail, leaseId }: Lease, status: 'sent' | 'dropped' | 'failed') {
  const finished = await db.$executeRaw`
    UPDATE mails SET status = ${status}, finished_at = now(), address = NULL, data = '{}', lease_id = NULL, lease_until = NULL
    WHERE id = ${mail.id}::uuid AND lease_id = ${leaseId}::uuid AND status = 'waiting'`
  return finished > 0
}

export interface Postponement {
  seconds: number
  /** The failure was not the mail's, so it is no attempt. */
  isUncounted?: boolean
  /** The server rejected the mail for good. */
  isRejection?: boolean
}

/** Ends the lease; the mail is due again in `seconds`. */
export async function postponeMail(db: Database, { mail, leaseId }: Lease, postponement: Postponement): Promise<void> {
  const { seconds, isUncounted = false, isRejection = false } = postponement
  await db.$executeRaw`
    UPDATE mails SET lease_id = NULL, lease_until = NULL, due_at = now() + make_interval(secs => ${seconds}),
      attempts = attempts - ${isUncounted ? 1 : 0}, rejections = rejections + ${isRejection ? 1 : 0}
    WHERE id = ${mail.id}::uuid AND lease_id = ${leaseId}::uuid`
}

/** Finds due mails without a lease. Notices come last: nobody waits for them in front of a screen. */
export async function findDueMails(db: Database, limit: number): Promise<Pick<Mail, 'id' | 'attempts'>[]> {
  return db.$queryRaw`
    SELECT id, attempts FROM mails
    WHERE status = 'waiting' AND due_at <= now() AND (lease_until IS NULL OR lease_until < now())
    ORDER BY kind IN ('photos-failed', 'order-ready', 'export-ready'), due_at LIMIT ${limit}`
}

/** Long enough that an event about an order, which is followed for 30 days, still finds the mail that it led to. */
const KEPT_DAYS = 30
const BATCH = 5_000

/** Deletes old mails; without a mail server drops those that wait for one. */
export async function sweepMails(db: Database, canSendMail: boolean): Promise<void> {
  if (!canSendMail) await dropUnsendableMails(db)
  await sweepFinishedMails(db)
}

/** Deletes mails that were finished long ago. Returns their number. */
export async function sweepFinishedMails(db: Database): Promise<number> {
  let swept = 0
  for (let batch = BATCH; batch === BATCH; swept += batch) {
    batch = await db.$executeRaw`
      DELETE FROM mails WHERE id IN (
        SELECT id FROM mails WHERE finished_at < now() - make_interval(days => ${KEPT_DAYS})
        ORDER BY finished_at LIMIT ${BATCH} FOR UPDATE SKIP LOCKED)`
  }
  return swept
}

/** How long mails wait for the settings of a mail server that has been taken away. */
const UNCONFIGURED_DAYS = 7

/** Drops mails that wait for a mail server while none is configured: sent much later they would only confuse. */
export async function dropUnsendableMails(db: Database): Promise<void> {
  await db.$executeRaw`
    UPDATE mails SET status = 'dropped', finished_at = now(), address = NULL, data = '{}', lease_id = NULL, lease_until = NULL
    WHERE status = 'waiting' AND created_at < now() - make_interval(days => ${UNCONFIGURED_DAYS})`
}

/** The limit of counting, so that a scrape stays cheap when very many mails wait. */
const MAX_COUNT = 10_000

const waiting = metrics.gauge('skyfolio_mails_waiting', `Mails not yet sent, counted up to ${MAX_COUNT}`)
const oldest = metrics.gauge('skyfolio_mails_waiting_oldest_seconds', 'Age of the oldest mail not yet sent, or 0')

/** Measures the mails that wait in the database; jobs in the queue only wake workers. Returns the function that ends it. */
export function measureBacklog(db: Database): () => void {
  return metrics.onScrape('mails', async (): Promise<Measurement[]> => {
    const [row] = await db.$queryRaw<{ age: number; count: number }[]>`
      SELECT count(*)::int AS count, coalesce(extract(epoch FROM now() - min(created_at)), 0)::float8 AS age
      FROM (SELECT created_at FROM mails WHERE status = 'waiting' ORDER BY created_at LIMIT ${MAX_COUNT}) AS counted`
    return [
      [waiting, row?.count ?? 0],
      [oldest, row?.age ?? 0],
    ]
  })
}
