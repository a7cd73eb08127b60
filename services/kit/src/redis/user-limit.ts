import type { Redis } from 'ioredis'
import { RateLimiterMemory, RateLimiterRedis, RateLimiterRes } from 'rate-limiter-flexible'
import { tooManyRequests } from '../http/errors.ts'

/** Something that was counted. */
interface Counted {
  /** Reverts the count, or that of so many. */
  refund(count?: number): Promise<void>
}

/** Counts something that a user does, also beyond the limit; by default once. @throws AppError 429 after too many */
export type CountForUser = (userId: number, count?: number) => Promise<Counted>

interface UserLimitOptions {
  service: string
  /** What is limited; in the keys of Redis, and in metrics and logs. */
  name: string
  /** How many are accepted in so many seconds, each. */
  windows: { count: number; seconds: number }[]
  /** A sentence for the user. */
  message: string
}

/** A limit for each user, counted in Redis and so for all replicas together; without it by this process. */
export function createUserLimit(redis: Redis, { service, name, windows, message }: UserLimitOptions): CountForUser {
  const limiters = windows.map(({ count: points, seconds: duration }) => {
    const options = { keyPrefix: `${service}:${name}:${duration}`, points, duration }
    return new RateLimiterRedis({ ...options, storeClient: redis, insuranceLimiter: new RateLimiterMemory(options) })
  })
  return async (userId, count = 1) => {
    const key = String(userId)
    for (const limiter of limiters) await consume(limiter, key, count, message, `${name}-of-user`)
    return {
      refund: async (some = count) => void (await Promise.all(limiters.map((limiter) => limiter.reward(key, some)))),
    }
  }
}

async function consume(
  limiter: RateLimiterRedis,
  key: string,
  count: number,
  message: string,
  limit: string,
): Promise<void> {
  try {
    await limiter.consume(key, count)
  } catch (rejection) {
    if (!(rejection instanceof RateLimiterRes)) throw rejection
    throw tooManyRequests(message, Math.max(1, Math.ceil(rejection.msBeforeNext / 1000)), limit)
  }
}
