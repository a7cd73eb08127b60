import { createHash } from 'node:crypto'
import { networkOf, tooManyRequests } from '@skyfolio/kit'
import type { Redis } from 'ioredis'
import { RateLimiterRedis, RateLimiterRes } from 'rate-limiter-flexible'
import { usernameKey } from '../accounts/usernames.ts'

export interface ThrottleLimits {
  loginFailuresPerAccount: number
  loginFailuresPerAddress: number
  registrationsPerHour: number
}

/** A counted attempt that may be taken back. */
export interface Attempt {
  /** Takes the attempt back: it was no failure. */
  forgive(): Promise<void>
}

export interface Throttle {
  /**
   * Counts a login before its password is looked at, so that parallel guesses cannot slip past the limit.
   * @throws 429 when the account or the address has failed too often within a minute.
   */
  login(username: string, address: string): Promise<Attempt>
  /**
   * Counts a registration, also one that finds its username taken: names must not be probed in bulk.
   * @throws 429 when the address has registered too often within an hour.
   */
  registration(address: string): Promise<void>
}

/** The limits of sign-in, counted in Redis and so for all replicas together. */
export function createThrottle(redis: Redis, limits: ThrottleLimits): Throttle {
  const limiter = (name: string, points: number, seconds: number) =>
    new RateLimiterRedis({ storeClient: redis, keyPrefix: `throttle:${name}`, points, duration: seconds })
  const byAccount = limiter('login-account', limits.loginFailuresPerAccount, 60)
  const byAddress = limiter('login-address', limits.loginFailuresPerAddress, 60)
  const registrations = limiter('registration', limits.registrationsPerHour, 3600)

  return {
    async login(username, address) {
      const network = networkOf(address)
      const account = digest(usernameKey(username))
      const sentence = 'Too many failed logins. Please wait a moment and try again.'
      await consume(byAddress, network, sentence)
      await consume(byAccount, account, sentence)
      return {
        async forgive() {
          await Promise.all([byAddress.reward(network), byAccount.reward(account)])
        },
      }
    },
    async registration(address) {
      await consume(registrations, networkOf(address), 'Too many registrations. Please try again later.')
    },
  }
}

async function consume(limiter: RateLimiterRedis, key: string, sentence: string): Promise<void> {
  try {
    await limiter.consume(key)
  } catch (refusal) {
    if (!(refusal instanceof RateLimiterRes)) throw refusal
    throw tooManyRequests(sentence, Math.max(1, Math.ceil(refusal.msBeforeNext / 1000)))
  }
}

/** Keys of one length, and no names of people in Redis. */
function digest(text: string): string {
  return createHash('sha256').update(text).digest('base64url')
}
