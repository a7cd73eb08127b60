import { randomBytes } from 'node:crypto'
import { DEVICE_COOKIE, isSigned, readCookie, sign } from '@skyfolio/kit'
import { toUsernameKey } from './usernames.ts'

/**
 * The signed cookie of a browser in which users have signed in. It has one entry for each account, which names neither the
 * account nor the browser, and signs nobody in: wrong passwords that come with it are counted apart from those of strangers.
 */
export interface Devices {
  /** Names this sign-in of the account in the browser of the Cookie header; null: the account has not signed in there. */
  find(cookies: string | undefined, username: string): string | null
  /** The Set-Cookie value that adds an account to those of the browser, under a new name. */
  remember(cookies: string | undefined, username: string): string
}

/** The accounts that have signed in least recently are dropped. */
const MAX_ACCOUNTS = 8
const LIFETIME_DAYS = 365
const DAY_MS = 24 * 3600 * 1000
const NONCE_BYTES = 12

/** The first key signs, all verify. @param secure sets the attribute `Secure` */
export function createDevices(keys: string[], secure: boolean): Devices {
  const read = (cookies: string | undefined) =>
    (readCookie(cookies, DEVICE_COOKIE) ?? '').split('~', MAX_ACCOUNTS).filter(Boolean)

  /** An entry is `day.nonce.signature`, the day as a base 36 number. The account is only in what is signed. */
  function isOf(username: string, entry: string): boolean {
    const [day = '', nonce = '', signature = ''] = entry.split('.')
    if (!isSigned('device', signedText(day, nonce, username), signature, keys)) return false
    return today() - Number.parseInt(day, 36) <= LIFETIME_DAYS
  }

  return {
    find: (cookies, username) => read(cookies).find((entry) => isOf(username, entry)) ?? null,
    remember(cookies, username) {
      const day = today().toString(36)
      const nonce = randomBytes(NONCE_BYTES).toString('base64url')
      const entry = [day, nonce, sign('device', signedText(day, nonce, username), keys)].join('.')
      const others = read(cookies).filter((known) => !isOf(username, known))
      const value = [entry, ...others].slice(0, MAX_ACCOUNTS).join('~')
      const maxAge = (LIFETIME_DAYS * DAY_MS) / 1000
      return `${DEVICE_COOKIE}=${value}; Path=/api; HttpOnly; SameSite=Lax${secure ? '; Secure' : ''}; Max-Age=${maxAge}`
    },
  }
}

function signedText(day: string, nonce: string, username: string): string {
  return `${day}.${nonce}.${toUsernameKey(username)}`
}

function today(): number {
  return Math.floor(Date.now() / DAY_MS)
}
