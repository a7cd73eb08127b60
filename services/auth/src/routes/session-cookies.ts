import { expiredSessionCookie, type Identity, sessionCookie } from '@skyfolio/kit'
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Accounts } from '../accounts/accounts.ts'
import type { Devices } from '../accounts/devices.ts'
import type { Account } from '../deletion/account.ts'
import { readUserAgent } from '../sessions/device.ts'
import type { NewSession, Sessions } from '../sessions/sessions.ts'

export interface SessionCookieDeps {
  accounts: Accounts
  sessions: Sessions
  devices: Devices
  /** Sets the `Secure` attribute of cookies. */
  secureCookies: boolean
}

export interface SessionStart {
  user: Account
  /** Whether the cookie outlives the browser session. */
  isPersistent: boolean
}

/**
 * Starts a session and sets its cookie. The session of the request ends, against session fixation.
 * @throws 401 when the account was changed since its password was checked
 */
export async function startSession(
  deps: SessionCookieDeps,
  { user, isPersistent: persistent }: SessionStart,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<void> {
  const { accounts, sessions } = deps
  const { identity, headers } = request
  const session = await sessions.start(user, {
    persistent,
    userAgent: readUserAgent(headers['user-agent']),
    isDeleting: user.deletion !== null,
  })
  try {
    // A change that is not seen here finds the session in Redis and ends it.
    await accounts.checkUnchanged(user)
  } catch (error) {
    await sessions.end(user.id, session.hash)
    throw error
  }
  await end(sessions, identity)
  setSessionCookie(deps, session, reply)
  rememberDevice(deps, user.username, request, reply)
}

/** Sets the cookie by which the browser is known when the user signs in again. Whatever ends sessions leaves it. */
export function rememberDevice(
  { devices }: Pick<SessionCookieDeps, 'devices'>,
  username: string,
  { headers }: FastifyRequest,
  reply: FastifyReply,
): void {
  reply.header('set-cookie', devices.remember(headers.cookie, username))
}

/** Sets the cookie of a session that replaces the one of the request. */
export function setSessionCookie(
  { secureCookies }: Pick<SessionCookieDeps, 'secureCookies'>,
  { token, persistent }: NewSession,
  reply: FastifyReply,
): void {
  reply.header('set-cookie', sessionCookie(token, { persistent, secure: secureCookies }))
}

/** Ends the session of the request, if it has one, and deletes the cookie. */
export async function endSession(
  { sessions, secureCookies }: Pick<SessionCookieDeps, 'sessions' | 'secureCookies'>,
  identity: Identity,
  reply: FastifyReply,
): Promise<void> {
  await end(sessions, identity)
  reply.header('set-cookie', expiredSessionCookie({ secure: secureCookies }))
}

async function end(sessions: Sessions, { userId, sessionHash }: Identity): Promise<void> {
  if (userId === null || sessionHash === null) return
  await sessions.end(userId, sessionHash)
}
