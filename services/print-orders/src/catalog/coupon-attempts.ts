import { tooManyRequests } from '@skyfolio/kit'
import type { Redis } from 'ioredis'
import { RateLimiterMemory, RateLimiterRedis, RateLimiterRes } from 'rate-limiter-flexible'

export interface CouponAttempt {
  /** Reverts the count: the code was right, or could not be checked. */
  refund(): Promise<void>
}

/**
 * Counts a user's attempt before the code is checked, so that parallel guesses cannot bypass the limits.
 * @throws AppError 429 after too many invalid codes
 */
export type CountCouponAttempt = (userId: number) => Promise<CouponAttempt>

/** Limits guessing of coupon codes, counted in Redis and so for all replicas together, or by this process without it. */
export function limitCouponAttempts(redis: Redis, limits: { perMinute: number; perHour: number }): CountCouponAttempt {
  const limiters = [limiter(redis, 'minute', limits.perMinute, 60), limiter(redis, 'hour', limits.perHour, 3600)]
  return async (userId) => {
    const key = String(userId)
    for (const one of limiters) await consume(one, key)
    return { refund: async () => void (await Promise.all(limiters.map((one) => one.reward(key)))) }
  }
}

function limiter(redis: Redis, name: string, points: number, duration: number): RateLimiterRedis {
  const keyPrefix = `coupon-attempts:${name}`
  const insuranceLimiter = new RateLimiterMemory({ keyPrefix, points, duration })
  return new RateLimiterRedis({ storeClient: redis, keyPrefix, points, duration, insuranceLimiter })
}

async function consume(one: RateLimiterRedis, key: string): Promise<void> {
  try {
    await one.consume(key)
  } catch (rejection) {
    if (!(rejection instanceof RateLimiterRes)) throw rejection
    const seconds = Math.max(1, Math.ceil(rejection.msBeforeNext / 1000))
    throw tooManyRequests('Too many invalid coupon codes. Please wait before you try another one.', seconds)
  }
}
