import type { Redis } from 'ioredis'
import { RateLimiterMemory, RateLimiterRedis, RateLimiterRes } from 'rate-limiter-flexible'
import { tooManyRequests } from '../http/errors.ts'

type Key = number | string

/** Counts what is done on account of a key, for example a user's id or the hash of an address. */
export interface RateLimit {
  /** Counts, also beyond the limit; once unless given. @throws AppError 429 after too many */
  count(key: Key, count?: number): Promise<void>
  /** The same, but returns false after too many. */
  allows(key: Key, count?: number): Promise<boolean>
  /** Reverts the count. */
  refund(key: Key, count?: number): Promise<void>
}

export interface RateLimitOptions {
  service: string
  /** What is limited, then of whom; in the keys of Redis, and in metrics and logs. */
  name: string
  /** How many are accepted in so many seconds, each. */
  windows: { count: number; seconds: number }[]
  /** A sentence for the user. */
  message: string
  /** Without Redis nothing is allowed: for what strangers may try again and again. */
  requiresRedis?: boolean
}

/** A limit by key and time, counted in Redis and so for all replicas together; without it by this process, unless it `requiresRedis`. */
export function createRateLimit(redis: Redis, options: RateLimitOptions): RateLimit {
  const { service, name, windows, message, requiresRedis = false } = options
  const limiters = windows.map(({ count: points, seconds: duration }) => {
    const own = { keyPrefix: prefixOf(service, name, duration), points, duration }
    const insurance = requiresRedis ? {} : { insuranceLimiter: new RateLimiterMemory(own) }
    return new RateLimiterRedis({ ...own, storeClient: redis, ...insurance })
  })

  /** Null when the count is within the limit, else the seconds until the next one is. */
  async function consume(key: Key, count: number): Promise<number | null> {
    try {
      for (const limiter of limiters) await limiter.consume(key, count)
      return null
    } catch (rejection) {
      if (!(rejection instanceof RateLimiterRes)) throw rejection
      return Math.max(1, Math.ceil(rejection.msBeforeNext / 1000))
    }
  }

  return {
    async count(key, count = 1) {
      const seconds = await consume(key, count)
      if (seconds !== null) throw tooManyRequests(message, seconds, name)
    },
    allows: async (key, count = 1) => (await consume(key, count)) === null,
    refund: async (key, count = 1) => void (await Promise.all(limiters.map((limiter) => limiter.reward(key, count)))),
  }
}

/** Deletes what is counted on account of a key in the window of so many seconds. */
export async function forgetRateLimit(
  redis: Redis,
  service: string,
  name: string,
  seconds: number,
  key: Key,
): Promise<void> {
  await redis.del(`${prefixOf(service, name, seconds)}:${key}`)
}

function prefixOf(service: string, name: string, seconds: number): string {
  return `rate-limit:${service}:${name}:${seconds}`
}
