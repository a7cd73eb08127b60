import { tooManyRequests } from '@skyfolio/kit'
import type { Redis } from 'ioredis'
import { RateLimiterRedis, RateLimiterRes } from 'rate-limiter-flexible'

const TOO_MANY = 'You are placing orders very quickly. Please wait a moment and try again.'

export interface SubmitLimit {
  /** Counts a submit of this user, on all replicas together. @throws AppError 429 after too many within a minute */
  count(userId: number): Promise<void>
}

export function createSubmitLimit(redis: Redis, perMinute: number): SubmitLimit {
  const limiter = new RateLimiterRedis({
    storeClient: redis,
    keyPrefix: 'print-orders:submits',
    points: perMinute,
    duration: 60,
  })
  return {
    async count(userId) {
      try {
        await limiter.consume(String(userId))
      } catch (rejection) {
        if (!(rejection instanceof RateLimiterRes)) throw rejection
        throw tooManyRequests(TOO_MANY, Math.max(1, Math.ceil(rejection.msBeforeNext / 1000)))
      }
    },
  }
}
