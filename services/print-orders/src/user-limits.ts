import { tooManyRequests } from '@skyfolio/kit'
import type { Redis } from 'ioredis'
import { RateLimiterMemory, RateLimiterRedis, RateLimiterRes } from 'rate-limiter-flexible'

/** Something that was counted. */
interface Counted {
  /** Reverts the count. */
  refund(): Promise<void>
}

/** Counts something that a user does. @throws AppError 429 after too many */
export type CountForUser = (userId: number) => Promise<Counted>

/** The limits of the service for each user. */
export interface UserLimits {
  countSubmit: CountForUser
  /** Counts a code before it is checked, so that parallel guesses cannot bypass the limit; valid ones are refunded. */
  countCoupon: CountForUser
  countSearch: CountForUser
}

interface LimitSettings {
  submitsPerMinute: number
  searchesPerMinute: number
  couponAttemptsPerMinute: number
  couponAttemptsPerHour: number
}

export function createUserLimits(redis: Redis, settings: LimitSettings): UserLimits {
  return {
    countSubmit: createUserLimit(redis, {
      name: 'submits',
      windows: [{ count: settings.submitsPerMinute, seconds: 60 }],
      message: 'You are placing orders very quickly. Please wait a moment and try again.',
    }),
    countCoupon: createUserLimit(redis, {
      name: 'coupons',
      windows: [
        { count: settings.couponAttemptsPerMinute, seconds: 60 },
        { count: settings.couponAttemptsPerHour, seconds: 3600 },
      ],
      message: 'Too many invalid coupon codes. Please wait before you try another one.',
    }),
    countSearch: createUserLimit(redis, {
      name: 'searches',
      windows: [{ count: settings.searchesPerMinute, seconds: 60 }],
      message: 'You are searching very quickly. Please wait a moment and try again.',
    }),
  }
}

interface UserLimitOptions {
  /** Prefix of the keys in Redis. */
  name: string
  /** How many are accepted in so many seconds, each. */
  windows: { count: number; seconds: number }[]
  /** A sentence for the user. */
  message: string
}

/** A limit for each user, counted in Redis and so for all replicas together; without it by this process. */
function createUserLimit(redis: Redis, { name, windows, message }: UserLimitOptions): CountForUser {
  const limiters = windows.map(({ count: points, seconds: duration }) => {
    const options = { keyPrefix: `print-orders:${name}:${duration}`, points, duration }
    return new RateLimiterRedis({ ...options, storeClient: redis, insuranceLimiter: new RateLimiterMemory(options) })
  })
  return async (userId) => {
    const key = String(userId)
    for (const limiter of limiters) await consume(limiter, key, message)
    return { refund: async () => void (await Promise.all(limiters.map((limiter) => limiter.reward(key)))) }
  }
}

async function consume(limiter: RateLimiterRedis, key: string, message: string): Promise<void> {
  try {
    await limiter.consume(key)
  } catch (rejection) {
    if (!(rejection instanceof RateLimiterRes)) throw rejection
    throw tooManyRequests(message, Math.max(1, Math.ceil(rejection.msBeforeNext / 1000)))
  }
}
