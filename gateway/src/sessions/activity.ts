import { type Logger, repeat, writeActivity } from '@skyfolio/kit'
import type { Redis } from 'ioredis'
import { LRUCache } from 'lru-cache'

export interface Activity {
  /** Remembers that the user has just sent a request. Waits for nothing and never fails. */
  record(userId: number): void
}

export interface ActivityDeps {
  redis: Redis
  logger: Logger
  intervalMs?: number
}

const ONCE_IN_MS = 60_000
/** Users who are remembered; of more, those recorded longest ago are written again earlier than necessary. */
const MAX_RECENT = 50_000
/** Users who wait to be written while Redis is unavailable; more of them are not recorded. */
const MAX_WAITING = 50_000
/** Bounds the run time of one command. */
const USERS_PER_WRITE = 1_000

/**
 * Writes who is active to a sorted set in Redis, from which the worker of auth takes it: each user at most once a minute, in
 * the background. What Redis does not accept is written later.
 */
export function recordActivity({ redis, logger, intervalMs = 1_000 }: ActivityDeps): Activity & {
  stop(): Promise<void>
} {
  const recent = new LRUCache<number, true>({ max: MAX_RECENT, ttl: ONCE_IN_MS })
  /** Seconds since 1970 by user. */
  const waiting = new Map<number, number>()
  let unavailable = false

  /** Writes one batch; returns whether there may be more. */
  async function writeSome(): Promise<boolean> {
    const batch = firstOf(waiting, USERS_PER_WRITE)
    if (batch.size === 0) return false
    await writeActivity(redis, batch)
    for (const [userId, seconds] of batch) if (waiting.get(userId) === seconds) waiting.delete(userId)
    return batch.size === USERS_PER_WRITE
  }

  async function write(): Promise<void> {
    try {
      while (await writeSome());
      unavailable = false
    } catch (error) {
      if (!unavailable) logger.warn({ err: error }, 'activity of users not recorded, will retry')
      unavailable = true
    }
  }

  const stopRepeating = repeat('activity of users', intervalMs / 1000, write, logger)
  return {
    record(userId) {
      if (recent.has(userId) || waiting.size >= MAX_WAITING) return
      recent.set(userId, true)
      waiting.set(userId, Math.floor(Date.now() / 1000))
    },
    async stop() {
      await stopRepeating()
      await write()
    },
  }
}

function firstOf(users: Map<number, number>, count: number): Map<number, number> {
  const first = new Map<number, number>()
  for (const [userId, seconds] of users) {
    if (first.size === count) break
    first.set(userId, seconds)
  }
  return first
}
