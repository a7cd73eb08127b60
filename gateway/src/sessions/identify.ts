import { type Identity, readCookie, SESSION_COOKIE, unavailable } from '@skyfolio/kit'
import type { FastifyRequest } from 'fastify'
import type { RunningSession, Sessions } from './sessions.ts'

declare module 'fastify' {
  interface FastifyRequest {
    session: RunningSession | null
  }
  interface FastifyContextConfig {
    /** For visitors too: while sessions cannot be read, everybody is a visitor here. */
    visitors?: boolean
    /** A vote, which has limits of its own. */
    vote?: boolean
    /** Largest body that is passed on, in bytes. */
    maxBytes?: number
  }
}

/** Finds out who sends a request, and from where. A visitor costs no call to Redis, and no promise. */
export function identify(request: FastifyRequest, sessions: Sessions): Promise<void> | undefined {
  const token = readCookie(request.headers.cookie, SESSION_COOKIE)
  if (token === null) {
    request.identity = identityOf(null, request.ip)
    return undefined
  }
  return findOrVisitor(request, sessions, token).then((session) => {
    request.session = session
    request.identity = identityOf(session, request.ip)
  })
}

async function findOrVisitor(request: FastifyRequest, sessions: Sessions, token: string) {
  try {
    return await sessions.find(token)
  } catch (error) {
    if (request.routeOptions.config.visitors) return null
    throw Object.assign(unavailable(), { cause: error })
  }
}

function identityOf(session: RunningSession | null, ip: string): Identity {
  return {
    userId: session?.userId ?? null,
    username: session?.username ?? null,
    isAdmin: session?.isAdmin ?? false,
    sessionHash: session?.hash ?? null,
    address: ip.replace(/^::ffff:(?=\d+\.)/i, ''),
  }
}
