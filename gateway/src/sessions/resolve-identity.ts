import { type Identity, readCookie, SESSION_COOKIE, unavailable } from '@skyfolio/kit'
import type { FastifyRequest } from 'fastify'
import type { ActiveSession, Sessions } from './sessions.ts'

declare module 'fastify' {
  interface FastifyRequest {
    session: ActiveSession | null
  }
  interface FastifyContextConfig {
    /** While sessions cannot be read, everybody is treated as a visitor. */
    allowsVisitors?: boolean
    /** A vote, which has its own rate limits. */
    vote?: boolean
    /** Largest body that is forwarded, in bytes. */
    maxBytes?: number
  }
}

/** Resolves the identity and address of a request's sender. For visitors: no call to Redis and no promise. */
export function resolveIdentity(request: FastifyRequest, sessions: Sessions): Promise<void> | undefined {
  const token = readCookie(request.headers.cookie, SESSION_COOKIE)
  if (token === null) {
    request.identity = identityOf(null, request.ip)
    return undefined
  }
  return findSession(request, sessions, token).then((session) => {
    request.session = session
    request.identity = identityOf(session, request.ip)
  })
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
    address: ip.replace(/^::ffff:(?=\d+\.)/i, ''),
  }
}
