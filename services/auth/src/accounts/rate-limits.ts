import { createHash } from 'node:crypto'
import { networkOf, tooManyRequests } from '@skyfolio/kit'
import type { Redis } from 'ioredis'
import { RateLimiterRedis, RateLimiterRes } from 'rate-limiter-flexible'
import type { User } from '../generated/client.ts'
import { toUsernameKey } from './usernames.ts'

export interface RateLimitOptions {
  loginFailuresPerAccount: number
  loginFailuresPerAddress: number
  /** From one address, and as many requested resets. */
  registrationsPerHour: number
  /** Requested for one e-mail address. */
  passwordResetsPerHour?: number
  /** For one account, and to one e-mail address. */
  addressMailsPerHour?: number
}

const KEY_PREFIX = 'throttle:'
/** How long the failures of a known device count. */
const DEVICE_SECONDS = 3600
/** Changes of an account's password per hour. */
const PASSWORD_CHANGES_PER_HOUR = 10
/** Enough for somebody who does not find the mail, and no nuisance for whoever has the address. */
const PASSWORD_RESETS_PER_HOUR = 5
/** Enough for several mistyped addresses, and too few to spam anybody with. */
const ADDRESS_MAILS_PER_HOUR = 10
/** Links for a new password that administrators send to a user per hour. */
const SENT_RESETS_PER_HOUR = 5

/** A counted attempt. */
export interface Attempt {
  /** It counts for a device in which the account has signed in before. */
  isKnown: boolean
  /** Reverts the count: the attempt was no failure. */
  refund(): Promise<void>
}

export interface RateLimits {
  /**
   * Counts a login before its password is verified, so that parallel guesses cannot bypass the limit. `device` is the
   * account's entry in the cookie of its browser: its failures are counted apart, so that neither strangers nor neighbours
   * keep the owner out. After too many within an hour the device counts as a stranger.
   * @throws 429 after too many failures of strangers, of the account or from the address, within a minute.
   */
  login(username: string, address: string, device: string | null): Promise<Attempt>
  /**
   * Counts a check of the user's own password: a stolen session must not try passwords either. Apart from the logins of the
   * account and the address, which strangers can use up.
   * @throws 429 after too many failures of the user within a minute.
   */
  ownPassword(userId: number): Promise<Attempt>
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
  /** Counts a reset that an administrator sends to a user. @throws 429 after too many for the user within an hour */
  sentReset(userId: number): Promise<void>
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
    new RateLimiterRedis({ storeClient: redis, keyPrefix: KEY_PREFIX + name, points, duration: seconds })
  const byAccount = limiter('login-account', limits.loginFailuresPerAccount, 60)
  const byUser = limiter('own-password', limits.loginFailuresPerAccount, 60)
  const byDevice = limiter('login-device', limits.loginFailuresPerAccount, DEVICE_SECONDS)
  const byAddress = limiter('login-address', limits.loginFailuresPerAddress, 60)
  const passwordChanges = limiter('password-change', PASSWORD_CHANGES_PER_HOUR, 3600)
  const registrations = limiter('registration', limits.registrationsPerHour, 3600)
  const resetsByEmail = limiter('reset-email', limits.passwordResetsPerHour ?? PASSWORD_RESETS_PER_HOUR, 3600)
  const resetsByAddress = limiter('reset-address', limits.registrationsPerHour, 3600)
  const sentResets = limiter('sent-reset', SENT_RESETS_PER_HOUR, 3600)
  const { addressMailsPerHour = ADDRESS_MAILS_PER_HOUR } = limits
  const mailsOfUser = limiter('address-mail-user', addressMailsPerHour, 3600)
  const mailsToEmail = limiter('address-mail-email', addressMailsPerHour, 3600)

  async function countStranger(username: string, address: string): Promise<Attempt> {
    const message = 'Too many failed logins. Please wait a moment and try again.'
    const network = networkOf(address)
    const account = hashKey(toUsernameKey(username))
    await consume(byAddress, network, message)
    await consume(byAccount, account, message)
    return {
      isKnown: false,
      async refund() {
        await Promise.all([byAddress.reward(network), byAccount.reward(account)])
      },
    }
  }

  return {
    async login(username, address, device) {
      const key = device && hashKey(device)
      if (!key || !(await isAllowed(byDevice, key))) return countStranger(username, address)
      return { isKnown: true, refund: async () => void (await byDevice.reward(key)) }
    },
    async ownPassword(userId) {
      const key = String(userId)
      await consume(byUser, key, 'Too many wrong passwords. Please wait a moment and try again.')
      return { isKnown: true, refund: async () => void (await byUser.reward(key)) }
    },
    async passwordChange(userId) {
      await consume(passwordChanges, String(userId), 'Too many changes of your password. Please try again later.')
    },
    async registration(address) {
      await consume(registrations, networkOf(address), 'Too many registrations. Please try again later.')
    },
    async passwordReset(email, address) {
      const message =
        'Too many requests for a new password. Please use the link in the latest mail, or try again later.'
      await consume(resetsByAddress, networkOf(address), message)
      await consume(resetsByEmail, emailKey(email), message)
    },
    async sentReset(userId) {
      await consume(sentResets, String(userId), 'Too many mails to this user. Please try again later.')
    },
    async addressMail(userId, email) {
      const message = 'Too many mails about your email address. Please try again later.'
      await consume(mailsOfUser, String(userId), message)
      if (email !== null) await consume(mailsToEmail, emailKey(email), message)
    },
    allowsRegistrationMail: (email) => isAllowed(mailsToEmail, emailKey(email)),
  }
}

/** Deletes what is counted for a user, by id, name or address, who is being erased. */
export async function forgetRateLimits(redis: Redis, user: User): Promise<void> {
  const { id, username, email, formerEmail } = user
  const emails = [email, formerEmail].filter((address) => address !== null).map(emailKey)
  const keys = [
    ...['own-password', 'password-change', 'address-mail-user', 'sent-reset'].map((name) => `${name}:${id}`),
    `login-account:${hashKey(toUsernameKey(username))}`,
    ...emails.flatMap((key) => [`reset-email:${key}`, `address-mail-email:${key}`]),
  ]
  await redis.del(...keys.map((key) => KEY_PREFIX + key))
}

async function consume(limiter: RateLimiterRedis, key: string, message: string): Promise<void> {
  const rejection = await count(limiter, key)
  if (!rejection) return
  const seconds = Math.max(1, Math.ceil(rejection.msBeforeNext / 1000))
  throw tooManyRequests(message, seconds, limiter.keyPrefix.slice(KEY_PREFIX.length))
}

async function isAllowed(limiter: RateLimiterRedis, key: string): Promise<boolean> {
  return (await count(limiter, key)) === null
}

/** Null when the attempt is within the limit. */
async function count(limiter: RateLimiterRedis, key: string): Promise<RateLimiterRes | null> {
  try {
    await limiter.consume(key)
    return null
  } catch (rejection) {
    if (rejection instanceof RateLimiterRes) return rejection
    throw rejection
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
