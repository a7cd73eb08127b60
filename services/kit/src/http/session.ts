import { createHash, randomBytes } from 'node:crypto'

/** Name of the cookie that carries the session's token. */
export const SESSION_COOKIE = 'sid'
/** Name of the cookie that says which accounts have signed in on a device. Only auth gets it. */
export const DEVICE_COOKIE = 'device'
/** Lifetime of a session without use. */
export const SESSION_SECONDS = 30 * 24 * 3600

/** Stored in Redis under `sessionKey(hash)` as JSON: written by auth, read by the gateway. */
export interface Session {
  userId: number
  username: string
  isAdmin: boolean
  /** The user chose to stay signed in, so the cookie outlives the browser. */
  persistent: boolean
  /** ISO 8601. */
  createdAt: string
  /** The browser that signed in, as it named itself. */
  userAgent: string | null
  /** The account is to be deleted: the session opens only what `whileDeleting` in the gateway's route table allows. */
  isDeleting?: boolean
  /** ISO 8601: when the password was last entered for an administrator's change; absent: at the sign-in. */
  confirmedAt?: string
}

/** A new token of 256 random bits, base64url. */
export function newSessionToken(): string {
  return randomBytes(32).toString('base64url')
}

/** Stored in place of the token, so that read access to the store does not allow signing in. */
export function sessionHash(token: string): string {
  return createHash('sha256').update(token).digest('base64url')
}

/** The Redis key of a session. */
export function sessionKey(hash: string): string {
  return `session:${hash}`
}

interface CookieOptions {
  /** Only sent over https. */
  secure: boolean
}

/** The Set-Cookie value for a session: it outlives the browser only when the session is persistent. */
export function sessionCookie(token: string, options: CookieOptions & { persistent: boolean }): string {
  return cookie(token, options) + (options.persistent ? `; Max-Age=${SESSION_SECONDS}` : '')
}

/** The Set-Cookie value that removes the session cookie. */
export function expiredSessionCookie(options: CookieOptions): string {
  return `${cookie('', options)}; Max-Age=0`
}

function cookie(value: string, options: CookieOptions): string {
  return `${SESSION_COOKIE}=${value}; Path=/; HttpOnly; SameSite=Lax${options.secure ? '; Secure' : ''}`
}

/** When the password was last entered in a session, at the sign-in or since; null when the session does not say. */
export function passwordEnteredAt(session: Pick<Session, 'createdAt' | 'confirmedAt'>): number | null {
  const entered = Date.parse(session.confirmedAt ?? session.createdAt)
  return Number.isNaN(entered) ? null : entered
}
