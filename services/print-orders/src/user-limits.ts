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

interface LimitSettings {
  submitsPerMinute: number
  searchesPerMinute: number
  couponChecksPerMinute: number
  couponAttemptsPerMinute: number
  couponAttemptsPerHour: number
}

export function createUserLimits(redis: Redis, settings: LimitSettings): UserLimits {
  return {
    countSubmit: createUserLimit(redis, {
      service: 'print-orders',
      name: 'submits',
      windows: [{ count: settings.submitsPerMinute, seconds: 60 }],
      message: 'You are placing orders very quickly. Please wait a moment and try again.',
    }),
    countCoupon: createUserLimit(redis, {
      service: 'print-orders',
      name: 'coupons',
      windows: [
        { count: settings.couponAttemptsPerMinute, seconds: 60 },
        { count: settings.couponAttemptsPerHour, seconds: 3600 },
      ],
      message: 'Too many invalid coupon codes. Please wait before you try another one.',
    }),
    countCouponCheck: createUserLimit(redis, {
      service: 'print-orders',
      name: 'coupon-checks',
      windows: [{ count: settings.couponChecksPerMinute, seconds: 60 }],
      message: 'You are checking coupons very quickly. Please wait a moment and try again.',
    }),
    countSearch: createUserLimit(redis, {
      service: 'print-orders',
      name: 'searches',
      windows: [{ count: settings.searchesPerMinute, seconds: 60 }],
      message: 'You are searching very quickly. Please wait a moment and try again.',
    }),
  }
}
