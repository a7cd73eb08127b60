import { setTimeout as delay } from 'node:timers/promises'
import type { Logger } from '@skyfolio/kit'
import type { Database } from '../database.ts'
import { publishUsageChanged } from '../events.ts'
import type { UserUsage } from '../generated/client.ts'

interface UsagePublisherDeps {
  db: Database
  logger: Logger
  /** Called after the commit of events. */
  afterCommit(): void
}

const BATCH = 200
const POLL_MS = 500
/** What changes in this time after a publication is one event: an upload of many photos takes one in this time. */
const PAUSE_MS = 500
const MAX_BACKOFF_MS = 5_000

/** Publishes changed usage until stopped. Any number of publishers may share the table. */
export function startUsagePublisher({ db, logger, afterCommit }: UsagePublisherDeps) {
  let isStopped = false
  let failures = 0
  let waiting = new AbortController()

  /** Returns whether there was something to publish. */
  async function poll(): Promise<boolean> {
    try {
      const count = await publishUsage(db)
      if (count > 0) afterCommit()
      failures = 0
      return count > 0
    } catch (error) {
      failures += 1
      logger.warn({ err: error, failures }, 'usage not published, will retry')
      return false
    }
  }

  async function run(): Promise<void> {
    while (!isStopped) {
      waiting = new AbortController()
      if (await poll()) await delay(PAUSE_MS)
      else {
        const untilPoll = Math.min(POLL_MS * 2 ** failures, MAX_BACKOFF_MS)
        await delay(untilPoll, undefined, { signal: waiting.signal }).catch(() => {})
      }
    }
  }

  const running = run()
  return {
    /** Publishes now instead of at the next poll; call it after a commit. */
    wake(): void {
      // While publishing fails, the backoff decides when to retry.
      if (failures === 0) waiting.abort()
    },
    stop(): Promise<void> {
      isStopped = true
      waiting.abort()
      return running
    },
  }
}

/** Commits events about all usage that changed since the last ones. Returns the number of users. */
export async function publishUsage(db: Database): Promise<number> {
  const where = { revision: { gt: db.userUsage.fields.publishedRevision } }
  let count = 0
  while (await db.userUsage.findFirst({ where, select: { userId: true } })) {
    const published = await publishBatch(db)
    count += published
    // Of the others a publisher or a change in progress holds the rows.
    if (published < BATCH) break
  }
  return count
}

function publishBatch(db: Database): Promise<number> {
  return db.$transaction(async (tx) => {
    const changed = await tx.$queryRaw<Omit<UserUsage, 'publishedRevision'>[]>`
      WITH due AS MATERIALIZED (
        SELECT user_id FROM user_usage WHERE revision > published_revision
        ORDER BY user_id LIMIT ${BATCH} FOR UPDATE SKIP LOCKED
      )
      UPDATE user_usage AS usage SET published_revision = revision FROM due WHERE usage.user_id = due.user_id
      RETURNING usage.user_id AS "userId", photos, locations, bytes, revision`
    await publishUsageChanged(tx, ...changed)
    return changed.length
  })
}
