import {
  AppError,
  clientAddress,
  type Identity,
  isEmbedded,
  passwordEnteredAt,
  readCookie,
  SESSION_COOKIE,
  unavailable,
} from '@skyfolio/kit'
import type { FastifyContextConfig, FastifyRequest } from 'fastify'
import type { Activity } from './activity.ts'
import type { ActiveSession, Sessions } from './sessions.ts'

declare module 'fastify' {
  interface FastifyRequest {
    session: ActiveSession | null
  }
  interface FastifyContextConfig {
    /** While sessions cannot be read, everybody is treated as a visitor. */
    allowsVisitors?: boolean
    /** Open to the session of an account that is to be deleted. */
    whileDeleting?: boolean
    /** A vote, which has its own rate limits. */
    vote?: boolean
    /** A picture, which has a rate limit of its own. */
    picture?: boolean
    /** Its body is forwarded while it arrives. */
    isUpload?: boolean
    /** A part of an upload: its length is declared, and the body is not parsed. */
    isPart?: boolean
    /** Largest body that is accepted, in bytes. */
    maxBytes?: number
  }
}

/** What finds the sender of a request and remembers that the user was active. */
export interface IdentityDeps {
  sessions: Sessions
  activity: Activity
}

/**
 * Resolves the identity and address of a request's sender. For visitors: no call to Redis and no promise. A page in a frame
 * is a visitor's, also in one of a neighbouring subdomain, where browsers send the session cookie.
 * @throws 403 `account_deleting`
 */
export function resolveIdentity(
  request: FastifyRequest,
  { sessions, activity }: IdentityDeps,
): Promise<void> | undefined {
  const token = isEmbedded(request.headers) ? null : readCookie(request.headers.cookie, SESSION_COOKIE)
  if (token === null) {
    request.identity = identityOf(null, request.ip)
    return undefined
  }
  return findSession(request, sessions, token).then((found) => {
    const session = openSession(found, request.routeOptions.config)
    request.session = session
    request.identity = identityOf(session, request.ip)
    if (session) activity.record(session.userId)
  })
}

/** The session as far as it opens the route: that of an account to be deleted opens little, elsewhere it is a visitor's. */
function openSession(
  session: ActiveSession | null,
  { whileDeleting, allowsVisitors }: FastifyContextConfig,
): ActiveSession | null {
  if (!session?.isDeleting || whileDeleting) return session
  if (allowsVisitors) return null
  throw new AppError(403, 'account_deleting', 'This account is to be deleted. Restore it to continue.')
}

async function findSession(request: FastifyRequest, sessions: Sessions, token: string) {
  try {
    return await sessions.find(token)
  } catch (error) {
    if (request.routeOptions.config.allowsVisitors) return null
    throw Object.assign(unavailable(), { cause: error })
  }
}

function identityOf(session: ActiveSession | null, ip: string): Identity {
  return {
    userId: session?.userId ?? null,
    username: session?.username ?? null,
    isAdmin: session?.isAdmin ?? false,
    sessionHash: session?.hash ?? null,
    address: clientAddress(ip),
    confirmedAt: session && passwordEnteredAt(session),
  }
}

const SAFE_METHODS = new Set(['GET', 'HEAD', 'OPTIONS'])

/**
 * Rejects write requests from pages of other sites. Browsers send Origin with all of them; a client that sends none
 * (a script) is accepted unless it sends a session cookie, which a page could have made the browser attach.
 * @throws 403
 */
export function checkOrigin(request: FastifyRequest, ownOrigins: Set<string>): void {
  if (SAFE_METHODS.has(request.method)) return
  const { origin } = request.headers
  const allowed =
    origin === undefined ? readCookie(request.headers.cookie, SESSION_COOKIE) === null : ownOrigins.has(origin)
  if (!allowed) throw new AppError(403, 'foreign_origin', 'This request does not come from a page of Skyfolio.')
}
