import {
  type App,
  AppError,
  type BatchClient,
  createBatchClient,
  type Logger,
  payloadTooLarge,
  sessionCookie,
} from '@skyfolio/kit'
import { UPLOAD_PARTS } from '@skyfolio/proto'
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { ClientLimits } from '../client-limits.ts'
import type { Limits } from '../limits/limits.ts'
import { createPictures } from '../pictures/pictures.ts'
import type { Sessions } from '../sessions/sessions.ts'
import { createForward, type Forward } from './forward.ts'
import { forwardInBatch, forwardVote } from './forward-in-batch.ts'
import { createBodyReader, forwardableBody, parseBodies } from './request-body.ts'
import type { ProxiedRoute, ServiceName } from './route-table.ts'

export interface ProxyDeps {
  logger: Logger
  routes: ProxiedRoute[]
  upstreams: Record<ServiceName, string>
  identityKeys: string[]
  limits: Limits
  sessions: Sessions
  /** Largest upload in bytes, all files together. */
  uploadBytes: number
  /** Bytes of pictures in memory; 0: all are streamed. */
  pictureCacheBytes: number
  secureCookies: boolean
  clientLimits: ClientLimits
}

/** Below the limit of the services, so that the gateway rejects larger bodies. */
const MAX_JSON_BYTES = 64 * 1024
const MAX_VOTE_BYTES = 4 * 1024
const LENGTH_REQUIRED = 'A part must be sent with its length.'

/** The services' routes: each request is sent to its service when it is complete, an upload while it arrives. */
export async function proxyRoutes(app: App, deps: ProxyDeps): Promise<void> {
  const { bodyMs: deadlineMs, incompleteRequests: maxIncomplete } = deps.clientLimits
  const readBody = createBodyReader(app, { deadlineMs, maxIncomplete })
  // For votes too: their rate limit needs the fingerprint.
  parseBodies(app, readBody)
  const forward = await createForward(app, deps)

  await app.register(async (forwarded) => {
    forwarded.removeAllContentTypeParsers()
    forwarded.addContentTypeParser('*', (request, _payload, done) => {
      const { isUpload, isPart, maxBytes } = request.routeOptions.config
      // Nothing reads a part until it has a slot.
      if (isPart) return done(null)
      if (!isUpload) return readBody(request, done)
      done(null, forwardableBody(request.raw, { maxBytes, stallMs: deps.clientLimits.uploadStallMs }))
    })
    for (const route of deps.routes.filter(({ body }) => body !== 'vote')) {
      addRoute(forwarded as App, route, deps, forward)
    }
  })
  for (const route of deps.routes.filter(({ body }) => body === 'vote')) addRoute(app, route, deps, forward)
}

function addRoute(app: App, route: ProxiedRoute, deps: ProxyDeps, forward: Forward): void {
  const vote = route.body === 'vote'
  const isPart = route.body === 'part'
  const maxBytes = {
    json: MAX_JSON_BYTES,
    vote: MAX_VOTE_BYTES,
    upload: deps.uploadBytes,
    part: UPLOAD_PARTS.maxBytes,
  }[route.body ?? 'json']
  const batchClient = route.batch && openBatchClient(app, route, deps)
  const respondWithPicture =
    route.picture === 'memory' && createPictures(app, { ...deps, mediaUrl: deps.upstreams.media })
  const renewsCookie = route.method === 'GET' && route.path === '/api/user'
  app.route({
    method: route.method,
    url: route.path,
    schema: { hide: true },
    config: {
      access: 'public',
      allowsVisitors: route.allowsVisitors,
      whileDeleting: route.whileDeleting,
      vote,
      picture: route.picture !== undefined,
      quiet: route.quiet === true,
      isUpload: route.body === 'upload' || isPart,
      isPart,
      maxBytes,
    },
    onRequest: (request, _reply, done) => {
      const length = request.headers['content-length']
      if (isPart && length === undefined) throw new AppError(411, 'length_required', LENGTH_REQUIRED)
      if (Number(length ?? 0) > maxBytes) throw payloadTooLarge()
      done()
    },
    handler: (request, reply) => {
      if (vote) deps.limits.checkVoter(request)
      if (renewsCookie) renewCookie(request, reply, deps.secureCookies)
      const forwardAlone = (stallMs?: number) => forward(request, reply, { route, stallMs })
      if (respondWithPicture) return respondWithPicture(request, reply, forwardAlone)
      // A HEAD request is handled by the route of its GET.
      if (!batchClient || request.method !== route.method) return forwardAlone()
      const target = { client: batchClient, service: route.service }
      return (vote ? forwardVote : forwardInBatch)(request, reply, target, forwardAlone)
    },
  })
}

function openBatchClient(app: App, { method, path, service }: ProxiedRoute, deps: ProxyDeps): BatchClient {
  const { logger, identityKeys } = deps
  const client = createBatchClient({ logger, upstream: deps.upstreams[service], method, route: path, identityKeys })
  app.addHook('onClose', async () => client.close())
  return client
}

/** A persistent cookie lasts 30 days from the last `GET /api/user`. */
function renewCookie({ session }: FastifyRequest, reply: FastifyReply, secure: boolean): void {
  if (session?.persistent) reply.header('set-cookie', sessionCookie(session.token, { persistent: true, secure }))
}
