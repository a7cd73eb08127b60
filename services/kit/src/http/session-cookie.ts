import { SESSION_COOKIE, SESSION_SECONDS } from './session.ts'

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
