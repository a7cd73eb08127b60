import { setTimeout as delay } from 'node:timers/promises'
import { inSqlTransaction, type Logger } from '@skyfolio/kit'
import type { Pool } from 'pg'
import type { Database } from '../database.ts'
import { publishUsageChanged } from '../events.ts'
import type { UserUsage } from '../generated/client.ts'

export interface UsagePublisher {
  /** Publishes now instead of at the next poll; call it after a commit. */
  wake(): void
  stop(): Promise<void>
}

interface UsagePublisherDeps {
  pool: Pool
  logger: Logger
  /** Called after the commit of events. */
  afterCommit(): void
}

const BATCH = 200
const REPUBLISH_BATCH = 500
const POLL_MS = 500
/** What changes in this time after a publication is one event: an upload of many photos takes one in this time. */
const PAUSE_MS = 500
const MAX_BACKOFF_MS = 5_000

/** Publishes changed usage until stopped. Any number of publishers may share the table. */
export function startUsagePublisher({ pool, logger, afterCommit }: UsagePublisherDeps): UsagePublisher {
  let isStopped = false
  let failures = 0
  let waiting = new AbortController()

  /** Returns whether there was something to publish. */
  async function poll(): Promise<boolean> {
    try {
      const count = await publishUsage(pool)
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
    wake() {
      // While publishing fails, the backoff decides when to retry.
      if (failures === 0) waiting.abort()
    },
    stop() {
      isStopped = true
      waiting.abort()
      return running
    },
  }
}

/** Commits events about all usage that changed since the last ones. Returns the number of users. */
export async function publishUsage(pool: Pool): Promise<number> {
  let count = 0
  while (await hasUnpublished(pool)) {
    const published = await publishBatch(pool)
    count += published
    // Of the others a publisher or a change in progress holds the rows.
    if (published < BATCH) break
  }
  return count
}

async function hasUnpublished(pool: Pool): Promise<boolean> {
  const { rows } = await pool.query('SELECT FROM user_usage WHERE revision > published_revision LIMIT 1')
  return rows.length > 0
}

const PUBLISH = `
  WITH due AS MATERIALIZED (
    SELECT user_id FROM user_usage WHERE revision > published_revision
    ORDER BY user_id LIMIT ${BATCH} FOR UPDATE SKIP LOCKED
  )
  UPDATE user_usage AS usage SET published_revision = revision FROM due WHERE usage.user_id = due.user_id
  RETURNING usage.user_id AS "userId", photos, locations, bytes, revision`

/** Integers of 64 bits are texts in the result. */
type PublishedRow = Pick<UserUsage, 'userId' | 'photos' | 'locations'> & { bytes: string; revision: string }

function publishBatch(pool: Pool): Promise<number> {
  return inSqlTransaction(pool, async (tx) => {
    const rows = await tx.$queryRawUnsafe<PublishedRow[]>(PUBLISH)
    const changed = rows.map((row) => ({ ...row, bytes: BigInt(row.bytes), revision: BigInt(row.revision) }))
    await publishUsageChanged(tx, ...changed)
    return changed.length
  })
}

/** Publishes every user's usage again, so that projections can be rebuilt. Returns the number of users. */
export async function republishUsage(db: Database): Promise<number> {
  let after = 0
  let count = 0
  for (;;) {
    const batch = await db.userUsage.findMany({
      where: { userId: { gt: after } },
      orderBy: { userId: 'asc' },
      take: REPUBLISH_BATCH,
    })
    await publishUsageChanged(db, ...batch)
    count += batch.length
    if (batch.length < REPUBLISH_BATCH) return count
    after = batch.at(-1)?.userId ?? after
  }
}
