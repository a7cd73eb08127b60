import { setTimeout as delay } from 'node:timers/promises'
import { isDatabaseUnavailable, type Logger, metrics } from '@skyfolio/kit'
import type { Database } from '../database.ts'
import { composeMails } from './compose-mails.ts'
import type { OutgoingMail } from './kinds/words.ts'
import type { Mailer } from './mailer.ts'
import { acquireLease, attemptSeconds, finishMail, type Lease, type LeaseTimes, postponeMail } from './mails-table.ts'
import { renderMail } from './render-mail.ts'
import { readFailure, type ServerPause, type SmtpFailure } from './smtp-failure.ts'

export interface SendingDeps {
  db: Database
  mailer: Mailer
  pause: ServerPause
  logger: Logger
  /** Of the application, without a slash at the end. */
  origin: string
  times: SendingTimes
  /** Ends the attempts in progress. */
  stopping: AbortSignal
}

export interface SendingTimes extends LeaseTimes {
  /** Longest delay before the next attempt after a temporary failure; the first is a second. */
  longestRetrySeconds: number
  /** Delays after rejections for good. After one more rejection the mail has failed. */
  rejectionSeconds: number[]
}

export const SENDING_TIMES: SendingTimes = {
  firstSeconds: 30,
  longestSeconds: 120,
  longestRetrySeconds: 300,
  // Servers are misconfigured for a while, and some reject what they do not know yet.
  rejectionSeconds: [60, 600, 3600],
}

const mails = metrics.counter('skyfolio_mails_total', 'Mails by kind, and by outcome: sent, dropped, failed or error', [
  'kind',
  'outcome',
])

/**
 * Sends a mail if it is due. Safe to call at any time and concurrently. The server may get a mail twice, with the same
 * Message-ID: when this process ends, or the database is unavailable, between its acceptance and the record of it.
 */
export async function sendMail(deps: SendingDeps, mailId: string): Promise<void> {
  if (deps.pause.isPaused()) return
  const lease = await acquireLease(deps.db, mailId, deps.times)
  if (!lease) return
  const timeout = AbortSignal.timeout(attemptSeconds(deps.times, lease.mail.attempts) * 1000)
  const signal = AbortSignal.any([timeout, deps.stopping])
  const outgoing = await compose(deps, lease)
  if (outgoing === null) return
  if (outgoing.length === 0) return finish(deps, lease, 'dropped')
  try {
    await deliver(deps, lease, outgoing, signal)
  } catch (error) {
    return handleFailure(deps, lease, readFailure(error))
  }
  deps.pause.end()
  await finish(deps, lease, 'sent')
}

/** Null when it failed; then the mail is tried again like after any other failure. */
async function compose(deps: SendingDeps, lease: Lease): Promise<OutgoingMail[] | null> {
  const { db, origin, logger } = deps
  try {
    return await db.$transaction((tx) => composeMails({ tx, mail: lease.mail, origin }))
  } catch (error) {
    logger.warn({ err: error, mailId: lease.mail.id, kind: lease.mail.kind }, 'mail not composed, will retry')
    count(lease, 'error')
    await postponeMail(db, lease, { seconds: retrySeconds(deps, lease) })
    return null
  }
}

async function deliver({ mailer }: SendingDeps, { mail }: Lease, outgoing: OutgoingMail[], signal: AbortSignal) {
  for (const [index, { to, content }] of outgoing.entries()) {
    const id = outgoing.length === 1 ? mail.id : `${mail.id}.${index + 1}`
    await mailer.send({ ...renderMail(content), to, id }, signal)
  }
}

async function handleFailure(deps: SendingDeps, lease: Lease, failure: SmtpFailure): Promise<void> {
  const { db, logger, pause, times } = deps
  const { id: mailId, kind, attempts, rejections } = lease.mail
  if (failure.kind === 'unavailable') {
    count(lease, 'error')
    return postponeMail(db, lease, { seconds: pause.begin(failure), isUncounted: true })
  }
  pause.end()
  if (failure.kind === 'temporary') {
    count(lease, 'error')
    logger.warn({ mailId, kind, attempts, failure }, 'mail not sent, will retry')
    return postponeMail(db, lease, { seconds: retrySeconds(deps, lease) })
  }
  const seconds = times.rejectionSeconds[rejections]
  if (seconds === undefined) {
    logger.warn({ mailId, kind, failure }, 'mail rejected for good')
    return finish(deps, lease, 'failed')
  }
  count(lease, 'error')
  logger.warn({ mailId, kind, failure }, 'mail rejected, will retry')
  await postponeMail(db, lease, { seconds, isRejection: true })
}

/** Twice as long after each attempt, and not the same for mails that failed together. */
function retrySeconds({ times }: SendingDeps, { mail }: Lease): number {
  const seconds = Math.min(2 ** (Math.min(mail.attempts, 30) - 1), times.longestRetrySeconds)
  return seconds * (0.75 + Math.random() / 2)
}

const RECORD_RETRY_MS = 500
const RECORD_WITHIN_MS = 60_000

/** Records the end of a mail, also after a short outage of the database: otherwise the mail is sent again. */
async function finish({ db, logger }: SendingDeps, lease: Lease, status: 'sent' | 'dropped' | 'failed'): Promise<void> {
  for (const giveUpAt = performance.now() + RECORD_WITHIN_MS; ; await delay(RECORD_RETRY_MS)) {
    try {
      if (await finishMail(db, lease, status)) count(lease, status)
      else logger.warn({ mailId: lease.mail.id, kind: lease.mail.kind, status }, 'mail was no longer leased')
      return
    } catch (error) {
      if (!isDatabaseUnavailable(error) || performance.now() > giveUpAt) throw error
    }
  }
}

function count({ mail }: Lease, outcome: 'sent' | 'dropped' | 'failed' | 'error'): void {
  mails.inc({ kind: mail.kind, outcome })
}
