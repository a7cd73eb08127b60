import { SESSION_COOKIE, SESSION_SECONDS } from './session.ts'

interface CookieOptions {
  /** Only sent over https. */
  secure: boolean
}

/** The Set-Cookie value for a session: it outlives the browser only when the session is persistent. */
export function sessionCookie(token: string, o: CookieOptions & { persistent: boolean }): string {
  return cookie(token, o) + (o.persistent ? `; Max-Age=${SESSION_SECONDS}` : '')
}

/** The Set-Cookie value that takes the session cookie away. */
export function expiredSessionCookie(o: CookieOptions): string {
  return `${cookie('', o)}; Max-Age=0`
}

function cookie(value: string, o: CookieOptions): string {
  return `${SESSION_COOKIE}=${value}; Path=/; HttpOnly; SameSite=Lax${o.secure ? '; Secure' : ''}`
}
