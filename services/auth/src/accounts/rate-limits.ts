import { createHash } from 'node:crypto'
import { networkOf } from '@skyfolio/kit'
import { createRateLimit, forgetRateLimit, type RateLimit } from '@skyfolio/kit/rate-limit'
import type { Redis } from 'ioredis'
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

const SERVICE = 'auth'
const MINUTE = 60
const HOUR = 3600
/** Changes of an account's password per hour. */
const PASSWORD_CHANGES_PER_HOUR = 10
/** Changes of the name that visitors read per hour, each of which makes all public pages of the user anew. */
const DISPLAY_NAMES_PER_HOUR = 10
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
  /** Counts a change of the name that visitors read. @throws 429 after too many of the user within an hour */
  displayName(userId: number): Promise<void>
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

/** The rate limits of logins, registrations and requested mails. */
export function createRateLimits(redis: Redis, options: RateLimitOptions): RateLimits {
  const { loginFailuresPerAccount, loginFailuresPerAddress, registrationsPerHour } = options
  const { passwordResetsPerHour = PASSWORD_RESETS_PER_HOUR, addressMailsPerHour = ADDRESS_MAILS_PER_HOUR } = options
  const limit = (name: string, count: number, seconds: number, message: string): RateLimit =>
    createRateLimit(redis, { service: SERVICE, name, windows: [{ count, seconds }], message, requiresRedis: true })

  const failedLogins = 'Too many failed logins. Please wait a moment and try again.'
  const byAddress = limit('login-address', loginFailuresPerAddress, MINUTE, failedLogins)
  const byAccount = limit('login-account', loginFailuresPerAccount, MINUTE, failedLogins)
  const byDevice = limit('login-device', loginFailuresPerAccount, HOUR, failedLogins)
  const wrongPasswords = 'Too many wrong passwords. Please wait a moment and try again.'
  const ownPasswords = limit('own-password', loginFailuresPerAccount, MINUTE, wrongPasswords)
  const passwordChanges = 'Too many changes of your password. Please try again later.'
  const changes = limit('password-change', PASSWORD_CHANGES_PER_HOUR, HOUR, passwordChanges)
  const tooManyNames = 'Too many changes of your display name. Please try again later.'
  const displayNames = limit('display-name', DISPLAY_NAMES_PER_HOUR, HOUR, tooManyNames)
  const tooManyRegistrations = 'Too many registrations. Please try again later.'
  const registrations = limit('registration', registrationsPerHour, HOUR, tooManyRegistrations)
  const tooManyResets =
    'Too many requests for a new password. Please use the link in the latest mail, or try again later.'
  const resetsByAddress = limit('reset-address', registrationsPerHour, HOUR, tooManyResets)
  const resetsByEmail = limit('reset-email', passwordResetsPerHour, HOUR, tooManyResets)
  const tooManyToUser = 'Too many mails to this user. Please try again later.'
  const sentResets = limit('sent-reset', SENT_RESETS_PER_HOUR, HOUR, tooManyToUser)
  const tooManyMails = 'Too many mails about your email address. Please try again later.'
  const mailsOfUser = limit('address-mail-user', addressMailsPerHour, HOUR, tooManyMails)
  const mailsToEmail = limit('address-mail-email', addressMailsPerHour, HOUR, tooManyMails)

  async function countStranger(username: string, address: string): Promise<Attempt> {
    const network = networkOf(address)
    const account = hashKey(toUsernameKey(username))
    await byAddress.count(network)
    await byAccount.count(account)
    return {
      isKnown: false,
      refund: async () => void (await Promise.all([byAddress.refund(network), byAccount.refund(account)])),
    }
  }

  return {
    async login(username, address, device) {
      const key = device && hashKey(device)
      if (!key || !(await byDevice.allows(key))) return countStranger(username, address)
      return { isKnown: true, refund: () => byDevice.refund(key) }
    },
    async ownPassword(userId) {
      await ownPasswords.count(userId)
      return { isKnown: true, refund: () => ownPasswords.refund(userId) }
    },
    passwordChange: (userId) => changes.count(userId),
    displayName: (userId) => displayNames.count(userId),
    registration: (address) => registrations.count(networkOf(address)),
    async passwordReset(email, address) {
      await resetsByAddress.count(networkOf(address))
      await resetsByEmail.count(emailKey(email))
    },
    sentReset: (userId) => sentResets.count(userId),
    async addressMail(userId, email) {
      await mailsOfUser.count(userId)
      if (email !== null) await mailsToEmail.count(emailKey(email))
    },
    allowsRegistrationMail: (email) => mailsToEmail.allows(emailKey(email)),
  }
}

/** Deletes what is counted for a user, by id, name or address, who is being erased. */
export async function forgetRateLimits(redis: Redis, user: User): Promise<void> {
  const forget = (name: string, seconds: number, key: number | string) =>
    forgetRateLimit(redis, SERVICE, name, seconds, key)
  await forget('own-password', MINUTE, user.id)
  await forget('login-account', MINUTE, hashKey(toUsernameKey(user.username)))
  for (const name of ['password-change', 'display-name', 'address-mail-user', 'sent-reset']) {
    await forget(name, HOUR, user.id)
  }
  for (const email of [user.email, user.formerEmail]) {
    if (email === null) continue
    for (const name of ['reset-email', 'address-mail-email']) await forget(name, HOUR, emailKey(email))
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
