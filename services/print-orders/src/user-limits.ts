import { type CountForUser, createUserLimit } from '@skyfolio/kit/user-limit'
import type { Redis } from 'ioredis'

/** The limits of the service for each user. */
export interface UserLimits {
  countSubmit: CountForUser
  /** Counts a code before it is checked, so that parallel guesses cannot bypass the limit; valid ones are refunded. */
  countCoupon: CountForUser
  /** Counts every check, since each takes from the partner's limit, which all users share. */
  countCouponCheck: CountForUser
  countSearch: CountForUser
}

/** More than anybody does by hand. Each takes calls to the partner, of which there are 300 a minute for all users. */
const SUBMITS_PER_MINUTE = 30
const SEARCHES_PER_MINUTE = 60
const COUPON_CHECKS_PER_MINUTE = 20
/** Invalid codes: too few to guess one. */
const COUPON_ATTEMPTS = { perMinute: 5, perHour: 20 }

export interface UserLimitOptions {
  submitsPerMinute?: number
  searchesPerMinute?: number
}

export function createUserLimits(redis: Redis, options: UserLimitOptions = {}): UserLimits {
  const { submitsPerMinute = SUBMITS_PER_MINUTE, searchesPerMinute = SEARCHES_PER_MINUTE } = options
  return {
    countSubmit: createUserLimit(redis, {
      service: 'print-orders',
      name: 'submits',
      windows: [{ count: submitsPerMinute, seconds: 60 }],
      message: 'You are placing orders very quickly. Please wait a moment and try again.',
    }),
    countCoupon: createUserLimit(redis, {
      service: 'print-orders',
      name: 'coupons',
      windows: [
        { count: COUPON_ATTEMPTS.perMinute, seconds: 60 },
        { count: COUPON_ATTEMPTS.perHour, seconds: 3600 },
      ],
      message: 'Too many invalid coupon codes. Please wait before you try another one.',
    }),
    countCouponCheck: createUserLimit(redis, {
      service: 'print-orders',
      name: 'coupon-checks',
      windows: [{ count: COUPON_CHECKS_PER_MINUTE, seconds: 60 }],
      message: 'You are checking coupons very quickly. Please wait a moment and try again.',
    }),
    countSearch: createUserLimit(redis, {
      service: 'print-orders',
      name: 'searches',
      windows: [{ count: searchesPerMinute, seconds: 60 }],
      message: 'You are searching very quickly. Please wait a moment and try again.',
    }),
  }
}
