import { type App, badRequest, buildServer, type Logger, type UploadLimits } from '@skyfolio/kit'
import type { Limits } from './limits/limits.ts'
import type { LiveEvents } from './live/live-events.ts'
import { setSecurityHeaders } from './pages/security-headers.ts'
import { spaRoutes } from './pages/spa.ts'
import { proxyRoutes } from './proxy/proxy.ts'
import { answerBeforeEnd, type RestLimits } from './proxy/request-body.ts'
import { type ProxiedRoute, proxiedRoutes, type ServiceName } from './proxy/route-table.ts'
import { configRoute } from './routes/config.ts'
import { eventsRoute } from './routes/events.ts'
import { identify } from './sessions/identify.ts'
import { checkOrigin } from './sessions/origins.ts'
import type { Sessions } from './sessions/sessions.ts'

export interface Dependencies {
  logger: Logger
  sessions: Sessions
  live: LiveEvents
  identityKeys: string[]
  upstreams: Record<ServiceName, string>
  publicOrigin: string
  allowedOrigins: string[]
  trustedProxies: string[]
  limits: Limits
  uploadLimits: UploadLimits
  webRoot: string
  /** For tests: other routes, a faster heart, and less patience. */
  routes?: ProxiedRoute[]
  heartbeatMs?: number
  rest?: RestLimits
}

const jsonRoom = 1024 * 1024
/** A connection on which nothing moves for so long is closed. Uploads may wait for their turn; live events beat. */
const idleMs = 300_000
/** How long a body that nobody wants is still read. */
const restMs = 60_000

/** The public door. */
export async function buildApp(o: Dependencies): Promise<App> {
  const app = await buildServer({
    name: 'gateway',
    title: 'Skyfolio: the public door',
    logger: o.logger,
    trustedProxies: o.trustedProxies,
  })
  app.server.setTimeout(idleMs)
  const https = o.publicOrigin.startsWith('https:')
  guardRequests(app, o, https)

  const { fileBytes, largeFileBytes, metadataFileBytes } = o.uploadLimits
  const largest = Math.max(fileBytes, largeFileBytes, metadataFileBytes)
  // Who sends one photo and is refused reads why.
  const rest = o.rest ?? { bytes: largest + jsonRoom, ms: restMs }
  app.addHook('onSend', (request, reply, answer, done) => done(null, answerBeforeEnd(request, reply, answer, rest)))
  configRoute(app, o.uploadLimits)
  eventsRoute(app, o)
  await proxyRoutes(app, {
    logger: o.logger,
    routes: o.routes ?? proxiedRoutes,
    upstreams: o.upstreams,
    identityKeys: o.identityKeys,
    limits: o.limits,
    sessions: o.sessions,
    // One file more than allowed comes through to media, whose refusal names the files.
    uploadBytes: (o.uploadLimits.filesPerUpload + 1) * largest + jsonRoom,
    secureCookies: https,
  })
  await spaRoutes(app, {
    webRoot: o.webRoot,
    publicOrigin: o.publicOrigin,
    foldersUrl: o.upstreams.folders,
    identityKeys: o.identityKeys,
    limits: o.limits,
  })
  return app
}

/** What every request passes before its route: headers, limits, origin, session. */
function guardRequests(app: App, o: Dependencies, https: boolean): void {
  const ownOrigins = new Set([o.publicOrigin, ...o.allowedOrigins].map((url) => new URL(url).origin))
  app.decorateRequest('session', null)
  // Not async: most requests wait for nothing here, and on the vote path each promise is felt.
  app.addHook('onRequest', (request, reply, done) => {
    const { url, config } = request.routeOptions
    // The router decodes the path, so the route that it found decides, not the text of the URL.
    const isApi = request.url.startsWith('/api/') || url?.startsWith('/api/') === true
    setSecurityHeaders(reply, isApi, https)
    if (!request.url.startsWith('/')) throw badRequest('The address of the request must be a path.')
    if (!isApi) return done()
    if (config.vote) o.limits.voteFrom(request)
    else o.limits.request(request)
    checkOrigin(request, ownOrigins)
    const asking = identify(request, o.sessions)
    if (asking) asking.then(() => done(), done)
    else done()
  })
}
