import { expiredSessionCookie, type Identity, sessionCookie } from '@skyfolio/kit'
import type { FastifyReply } from 'fastify'
import type { SessionOwner, Sessions } from '../sessions/sessions.ts'

export interface SessionCookieDeps {
  sessions: Sessions
  /** Sets the `Secure` attribute of cookies. */
  secureCookies: boolean
}

export interface SessionStart {
  user: SessionOwner
  /** Whether the cookie outlives the browser session. */
  isPersistent: boolean
  /** The identity of the request; its session ends, against session fixation. */
  previous: Identity
}

/** Starts a session and sets its cookie. */
export async function startSession(
  { sessions, secureCookies }: SessionCookieDeps,
  { user, isPersistent, previous }: SessionStart,
  reply: FastifyReply,
): Promise<void> {
  const token = await sessions.start(user, isPersistent)
  await end(sessions, previous)
  reply.header('set-cookie', sessionCookie(token, { persistent: isPersistent, secure: secureCookies }))
}

/** Ends the session of the request, if it has one, and deletes the cookie. */
export async function endSession(
  { sessions, secureCookies }: SessionCookieDeps,
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
