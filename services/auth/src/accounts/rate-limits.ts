import { createHash } from 'node:crypto'
import { networkOf, tooManyRequests } from '@skyfolio/kit'
import type { Redis } from 'ioredis'
import { RateLimiterRedis, RateLimiterRes } from 'rate-limiter-flexible'
import { toUsernameKey } from './username-key.ts'

export interface RateLimitOptions {
  loginFailuresPerAccount: number
  loginFailuresPerAddress: number
  registrationsPerHour: number
}

/** A counted attempt. */
export interface Attempt {
  /** Reverts the count: the attempt was no failure. */
  refund(): Promise<void>
}

export interface RateLimits {
  /**
   * Counts a login before its password is verified, so that parallel guesses cannot bypass the limit.
   * @throws 429 after too many failures of the account or the address within a minute.
   */
  login(username: string, address: string): Promise<Attempt>
  /**
   * Counts a registration, also one whose username is taken: usernames must not be probed in bulk.
   * @throws 429 after too many registrations from the address within an hour.
   */
  registration(address: string): Promise<void>
}

/** The rate limits of logins and registrations, counted in Redis and so for all replicas together. */
export function createRateLimits(redis: Redis, limits: RateLimitOptions): RateLimits {
  const limiter = (name: string, points: number, seconds: number) =>
    new RateLimiterRedis({ storeClient: redis, keyPrefix: `throttle:${name}`, points, duration: seconds })
  const byAccount = limiter('login-account', limits.loginFailuresPerAccount, 60)
  const byAddress = limiter('login-address', limits.loginFailuresPerAddress, 60)
  const registrations = limiter('registration', limits.registrationsPerHour, 3600)

  return {
    async login(username, address) {
      const network = networkOf(address)
      const account = hashKey(toUsernameKey(username))
      const message = 'Too many failed logins. Please wait a moment and try again.'
      await consume(byAddress, network, message)
      await consume(byAccount, account, message)
      return {
        async refund() {
          await Promise.all([byAddress.reward(network), byAccount.reward(account)])
        },
      }
    },
    async registration(address) {
      await consume(registrations, networkOf(address), 'Too many registrations. Please try again later.')
    },
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

/** Keys of equal length, without usernames in Redis. */
function hashKey(text: string): string {
  return createHash('sha256').update(text).digest('base64url')
}
