import { expiredSessionCookie, type Identity, oneLine, sessionCookie } from '@skyfolio/kit'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { checkUnchanged } from '../accounts/accounts.ts'
import type { Account } from '../accounts/users.ts'
import type { AuthDeps } from '../deps.ts'
import type { NewSession, Sessions } from '../sessions/sessions.ts'

const MAX_USER_AGENT_LENGTH = 512

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
  deps: AuthDeps,
  { user, isPersistent: persistent }: SessionStart,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<void> {
  const { db, sessions } = deps
  const { identity, headers } = request
  const session = await sessions.start(user, {
    persistent,
    userAgent: readUserAgent(headers['user-agent']),
    isDeleting: user.deletion !== null,
  })
  try {
    // A change that is not seen here finds the session in Redis and ends it.
    await checkUnchanged(db, user)
  } catch (error) {
    await sessions.end(user.id, session.hash)
    throw error
  }
  await end(sessions, identity)
  setSessionCookie(deps, session, reply)
  rememberDevice(deps, user.username, request, reply)
}

/** What is stored of the header `User-Agent` of a sign-in: bounded, on one line; null without anything visible. */
function readUserAgent(header = ''): string | null {
  return oneLine(header.slice(0, MAX_USER_AGENT_LENGTH)) || null
}

/** Sets the cookie by which the browser is known when the user signs in again. Whatever ends sessions leaves it. */
export function rememberDevice(
  { devices }: AuthDeps,
  username: string,
  { headers }: FastifyRequest,
  reply: FastifyReply,
): void {
  reply.header('set-cookie', devices.remember(headers.cookie, username))
}

/** Sets the cookie of a session that replaces the one of the request. */
export function setSessionCookie(
  { secureCookies }: AuthDeps,
  { token, persistent }: NewSession,
  reply: FastifyReply,
): void {
  reply.header('set-cookie', sessionCookie(token, { persistent, secure: secureCookies }))
}

/** Ends the session of the request, if it has one, and deletes the cookie. */
export async function endSession(
  { sessions, secureCookies }: AuthDeps,
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
