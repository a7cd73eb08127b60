import { type App, badRequest, buildServer, type Logger } from '@skyfolio/kit'
import type { UploadLimits } from '@skyfolio/proto'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { CLIENT_LIMITS, type ClientLimits, limitConnections } from './client-limits.ts'
import type { FeatureStatus } from './feature-status.ts'
import type { Limits } from './limits/limits.ts'
import type { LiveEvents } from './live/live-events.ts'
import { type MapLayer, originsOf } from './map-layers.ts'
import { checkPageLimit } from './pages/application-page.ts'
import { spaRoutes } from './pages/spa.ts'
import { proxyRoutes } from './proxy/proxy.ts'
import { type DiscardLimits, respondBeforeBodyEnds } from './proxy/request-body.ts'
import { PROXIED_ROUTES, type ProxiedRoute, type ServiceName } from './proxy/route-table.ts'
import { configRoute } from './routes/config.ts'
import { eventsRoute } from './routes/events.ts'
import { type LegalTexts, legalRoutes } from './routes/legal.ts'
import { openApiRoute } from './routes/open-api.ts'
import { createSecurityHeaders } from './security-headers.ts'
import type { Activity } from './sessions/activity.ts'
import { checkOrigin, type IdentityDeps, resolveIdentity } from './sessions/resolve-identity.ts'
import type { Sessions } from './sessions/sessions.ts'

export interface AppDeps {
  logger: Logger
  sessions: Sessions
  activity: Activity
  live: LiveEvents
  identityKeys: string[]
  upstreams: Record<ServiceName, string>
  publicOrigin: string
  allowedOrigins: string[]
  trustedProxies: string[]
  limits: Limits
  uploadLimits: UploadLimits
  /** Bytes of pictures in memory; 0: all are streamed. */
  pictureCacheBytes: number
  /** Origin of the object store, where browsers can reach it. */
  publicStoreOrigin: string | null
  mapLayers: MapLayer[]
  accountDeletionDays: number
  features: FeatureStatus
  legalTexts: LegalTexts
  webRoot: string
  /** For tests: other routes, and shorter intervals and limits. */
  routes?: ProxiedRoute[]
  heartbeatMs?: number
  discardLimits?: DiscardLimits
  clientLimits?: Partial<ClientLimits>
}

const FORM_OVERHEAD_BYTES = 1024 * 1024
/** Connections without traffic for this long are closed. Uploads may queue; live events have a heartbeat. */
const IDLE_TIMEOUT_MS = 300_000
/** How long the rest of a rejected upload is still read. */
const DISCARD_TIMEOUT_MS = 60_000
/** Of all other bodies: what a client sends at once, so that it can read the response. */
const DISCARDED_BODY: DiscardLimits = { bytes: 1024 * 1024, ms: 2_000 }
/** Clients of these paths read the message of an error from the field `error`. */
const ERROR_FIELD_PATHS = ['/api/geocode', '/api/walgreens']

export async function buildApp(deps: AppDeps): Promise<App> {
  const clientLimits = { ...CLIENT_LIMITS, ...deps.clientLimits }
  const app = await buildServer({
    name: 'gateway',
    title: 'Application',
    logger: deps.logger,
    trustedProxies: deps.trustedProxies,
    errorFieldPaths: ERROR_FIELD_PATHS,
    headersTimeoutMs: clientLimits.headersMs,
    slowReaders: clientLimits.slowReaders,
  })
  app.server.setTimeout(IDLE_TIMEOUT_MS)
  limitConnections(app, clientLimits.connections, deps.trustedProxies)
  const https = deps.publicOrigin.startsWith('https:')
  guardRequests(app, deps, https)

  const { fileBytes, largeFileBytes, metadataFileBytes } = deps.uploadLimits
  const largest = Math.max(fileBytes, largeFileBytes, metadataFileBytes)
  // Enough that a client whose single photo is rejected can read the reason.
  const discardedUpload = deps.discardLimits ?? { bytes: largest + FORM_OVERHEAD_BYTES, ms: DISCARD_TIMEOUT_MS }
  app.addHook('onSend', (request, reply, payload, done) => {
    const limits = request.routeOptions.config?.isUpload ? discardedUpload : DISCARDED_BODY
    done(null, respondBeforeBodyEnds(request, reply, payload, limits))
  })
  configRoute(app, deps)
  legalRoutes(app, deps.legalTexts)
  openApiRoute(app)
  eventsRoute(app, deps)
  await proxyRoutes(app, {
    ...deps,
    routes: deps.routes ?? PROXIED_ROUTES,
    // One file more than allowed reaches media, whose response names the rejected files.
    uploadBytes: (deps.uploadLimits.filesPerUpload + 1) * largest + FORM_OVERHEAD_BYTES,
    secureCookies: https,
    clientLimits,
  })
  await spaRoutes(app, { ...deps, foldersUrl: deps.upstreams.folders })
  return app
}

/** Checks that run before every route: headers, limits, origin, session. */
function guardRequests(app: App, deps: AppDeps, https: boolean): void {
  const ownOrigins = new Set([deps.publicOrigin, ...deps.allowedOrigins].map((url) => new URL(url).origin))
  const setSecurityHeaders = createSecurityHeaders({
    https,
    storeOrigin: deps.publicStoreOrigin,
    mapOrigins: originsOf(deps.mapLayers),
  })
  app.decorateRequest('session', null)
  // Not async: most requests wait for nothing here, and on the vote path each promise costs time.
  app.addHook('onRequest', (request, reply, done) => {
    // The client reset the connection before its request was read: it has no address any more, and gets no response.
    if (request.socket.remoteAddress === undefined) {
      reply.hijack()
      return
    }
    const { url, config } = request.routeOptions
    // The router decodes the path, so the matched route decides, not the text of the URL.
    const isApi = request.url.startsWith('/api/') || url?.startsWith('/api/') === true
    setSecurityHeaders(reply, isApi)
    if (!request.url.startsWith('/')) throw badRequest('The address of the request must be a path.')
    if (!isApi) {
      checkPageLimit(request, reply, deps.limits)
      return done()
    }
    if (config.picture) return deps.limits.admitPicture(request, reply, () => identify(request, reply, deps, done))
    if (config.vote) deps.limits.checkVoteAddress(request)
    else deps.limits.checkRequest(request)
    checkOrigin(request, ownOrigins)
    identify(request, reply, deps, done)
  })
}

function identify(
  request: FastifyRequest,
  reply: FastifyReply,
  deps: IdentityDeps,
  done: (error?: Error) => void,
): void {
  const pending = resolveIdentity(request, deps)
  if (!pending) {
    done()
    return
  }
  pending.then(() => {
    // The client has left meanwhile: what a handler would hold until the connection closes, it would hold for ever.
    if (reply.raw.destroyed) reply.hijack()
    else done()
  }, done)
}
