import { createHash } from 'node:crypto'
import { networkOf, tooManyRequests } from '@skyfolio/kit'
import type { Redis } from 'ioredis'
import { RateLimiterRedis, RateLimiterRes } from 'rate-limiter-flexible'
import { toUsernameKey } from './username-key.ts'

export interface RateLimitOptions {
  loginFailuresPerAccount: number
  loginFailuresPerAddress: number
  registrationsPerHour: number
  passwordResetsPerHour: number
  passwordResetsPerAddress: number
  addressMailsPerHour: number
}

/** Changes of an account's password per hour. */
const PASSWORD_CHANGES_PER_HOUR = 10

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
   * Counts a check of the user's own password: a stolen session must not try passwords either. Apart from the logins of the
   * account, which strangers can use up.
   * @throws 429 after too many failures of the user or the address within a minute.
   */
  ownPassword(userId: number, address: string): Promise<Attempt>
  /** Counts a change of the password, each of which sends a mail. @throws 429 after too many of the user within an hour */
  passwordChange(userId: number): Promise<void>
  /**
   * Counts a registration, also one whose username is taken: usernames must not be probed in bulk.
   * @throws 429 after too many registrations from the address within an hour.
   */
  registration(address: string): Promise<void>
  /**
   * Counts a requested reset, whether or not an account has the e-mail address.
   * @throws 429 after too many requests for the e-mail address or from the client's address within an hour.
   */
  passwordReset(email: string, address: string): Promise<void>
  /**
   * Counts the mails about a changed or unconfirmed e-mail address, null for one that is removed.
   * @throws 429 after too many of the user or to the e-mail address within an hour.
   */
  addressMail(userId: number, email: string | null): Promise<void>
  /** Counts the mail after a registration. False after too many to the e-mail address: the account is made without it. */
  allowsRegistrationMail(email: string): Promise<boolean>
}

/** The rate limits of logins, registrations and requested mails, counted in Redis and so for all replicas together. */
export function createRateLimits(redis: Redis, limits: RateLimitOptions): RateLimits {
  const limiter = (name: string, points: number, seconds: number) =>
    new RateLimiterRedis({ storeClient: redis, keyPrefix: `throttle:${name}`, points, duration: seconds })
  const byAccount = limiter('login-account', limits.loginFailuresPerAccount, 60)
  const byUser = limiter('own-password', limits.loginFailuresPerAccount, 60)
  const byAddress = limiter('login-address', limits.loginFailuresPerAddress, 60)
  const passwordChanges = limiter('password-change', PASSWORD_CHANGES_PER_HOUR, 3600)
  const registrations = limiter('registration', limits.registrationsPerHour, 3600)
  const resetsByEmail = limiter('reset-email', limits.passwordResetsPerHour, 3600)
  const resetsByAddress = limiter('reset-address', limits.passwordResetsPerAddress, 3600)
  const mailsOfUser = limiter('address-mail-user', limits.addressMailsPerHour, 3600)
  const mailsToEmail = limiter('address-mail-email', limits.addressMailsPerHour, 3600)

  async function countPasswordCheck(limiter: RateLimiterRedis, key: string, address: string, message: string) {
    const network = networkOf(address)
    await consume(byAddress, network, message)
    await consume(limiter, key, message)
    return {
      async refund() {
        await Promise.all([byAddress.reward(network), limiter.reward(key)])
      },
    }
  }

  return {
    login(username, address) {
      const message = 'Too many failed logins. Please wait a moment and try again.'
      return countPasswordCheck(byAccount, hashKey(toUsernameKey(username)), address, message)
    },
    ownPassword(userId, address) {
      const message = 'Too many wrong passwords. Please wait a moment and try again.'
      return countPasswordCheck(byUser, String(userId), address, message)
    },
    async passwordChange(userId) {
      await consume(passwordChanges, String(userId), 'Too many changes of your password. Please try again later.')
    },
    async registration(address) {
      await consume(registrations, networkOf(address), 'Too many registrations. Please try again later.')
    },
    async passwordReset(email, address) {
      const message = 'Too many requests for a new password. Please try again later.'
      await consume(resetsByAddress, networkOf(address), message)
      await consume(resetsByEmail, emailKey(email), message)
    },
    async addressMail(userId, email) {
      const message = 'Too many mails about your email address. Please try again later.'
      await consume(mailsOfUser, String(userId), message)
      if (email !== null) await consume(mailsToEmail, emailKey(email), message)
    },
    async allowsRegistrationMail(email) {
      try {
        await mailsToEmail.consume(emailKey(email))
        return true
      } catch (rejection) {
        if (rejection instanceof RateLimiterRes) return false
        throw rejection
      }
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

/** Without regard to case, as addresses are compared. */
function emailKey(email: string): string {
  return hashKey(email.normalize('NFC').toLowerCase())
}

/** Keys of equal length, without usernames in Redis. */
function hashKey(text: string): string {
  return createHash('sha256').update(text).digest('base64url')
}
