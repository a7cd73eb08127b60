import { expiredSessionCookie, type Identity, sessionCookie } from '@skyfolio/kit'
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Accounts } from '../accounts/accounts.ts'
import type { User } from '../generated/client.ts'
import { readUserAgent } from '../sessions/device.ts'
import type { NewSession, Sessions } from '../sessions/sessions.ts'

export interface SessionCookieDeps {
  accounts: Accounts
  sessions: Sessions
  /** Sets the `Secure` attribute of cookies. */
  secureCookies: boolean
}

export interface SessionStart {
  user: User
  /** Whether the cookie outlives the browser session. */
  isPersistent: boolean
}

/**
 * Starts a session and sets its cookie. The session of the request ends, against session fixation.
 * @throws 401 when the user's password was changed since it was checked
 */
export async function startSession(
  deps: SessionCookieDeps,
  { user, isPersistent: persistent }: SessionStart,
  { identity, headers }: FastifyRequest,
  reply: FastifyReply,
): Promise<void> {
  const { accounts, sessions } = deps
  const session = await sessions.start(user, { persistent, userAgent: readUserAgent(headers['user-agent']) })
  try {
    // A change that is not seen here finds the session in Redis and ends it.
    await accounts.checkUnchanged(user)
  } catch (error) {
    await sessions.end(user.id, session.hash)
    throw error
  }
  await end(sessions, identity)
  setSessionCookie(deps, session, reply)
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
