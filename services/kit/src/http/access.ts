import type { FastifyContextConfig, FastifyInstance, FastifyRequest } from 'fastify'
import { AppError, forbidden, notFound, unauthenticated } from './errors.ts'
import { IDENTITY_HEADER, type Identity, verifyIdentity, visitorIdentity } from './identity.ts'

declare module 'fastify' {
  interface FastifyRequest {
    identity: Identity
  }
  interface FastifyContextConfig {
    /**
     * Callers of the route: anybody, users with a session, administrators, or the gateway itself, whose own requests have
     * `GATEWAY_HEADER`.
     */
    access: 'public' | 'user' | 'admin' | 'gateway'
    /** A hot path: successes are only sampled in logs and traces. */
    quiet?: boolean
  }
}

/** Marks what the gateway requests itself. It removes the header from the requests that it forwards. */
export const GATEWAY_HEADER = 'x-skyfolio-gateway'

/** How long after the password was entered an administrator may act on what belongs to others. */
const RECENT_MS = 15 * 60_000

/** An identity that has a session. */
export interface UserIdentity extends Identity {
  userId: number
  username: string
  sessionHash: string
}

function hasSession(identity: Identity): identity is UserIdentity {
  return identity.userId !== null
}

/**
 * The user behind a request to a route with access `user` or `admin`.
 * @throws AppError 401 when there is none
 */
export function requireUser({ identity }: { identity: Identity }): UserIdentity {
  if (!hasSession(identity)) throw unauthenticated()
  return identity
}

/**
 * Guards what an administrator does to other people and to the installation: a stolen session is not enough.
 * @throws AppError 403 `password_required` unless the password was entered within the last 15 minutes
 */
export function requireRecentPassword({ confirmedAt }: Pick<Identity, 'confirmedAt'>): void {
  if (confirmedAt !== null && Date.now() - confirmedAt <= RECENT_MS) return
  throw new AppError(403, 'password_required', 'Please enter your password to continue.')
}

function identify(request: FastifyRequest, keys: string[] | undefined): Identity {
  if (!keys) return visitorIdentity(request.ip)
  const token = request.headers[IDENTITY_HEADER]
  return verifyIdentity(typeof token === 'string' ? token : undefined, keys)
}

/** @throws AppError 401 or 403 when the caller may not use the route */
export function checkAccess(access: FastifyContextConfig['access'], caller: { identity: Identity }): void {
  if (access !== 'user' && access !== 'admin') return
  const { isAdmin } = requireUser(caller)
  if (access === 'admin' && !isAdmin) throw forbidden()
}

/**
 * Sets `request.identity` and guards every route. With keys (a service) the identity must be signed; without
 * (the gateway) requests are anonymous until a hook of the gateway sets another identity.
 */
// biome-ignore lint/suspicious/noExplicitAny: any kind of Fastify instance will do
export function accessRules(app: FastifyInstance<any, any, any, any, any>, keys: string[] | undefined): void {
  app.decorateRequest('identity')
  app.addHook('onRoute', (route) => {
    if (!route.config?.access) throw new Error(`Route ${route.method} ${route.url} does not declare its access`)
  })
  app.addHook('onRequest', (request, _reply, done) => {
    request.identity = identify(request, keys)
    done()
  })
  // After every onRequest hook, so that the gateway can set the identity; before the body is read.
  app.addHook('preParsing', (request, _reply, payload, done) => {
    const { access } = request.routeOptions.config
    if (access === 'gateway' && !request.headers[GATEWAY_HEADER]) throw notFound('Not found')
    checkAccess(access, request)
    done(null, payload)
  })
}
