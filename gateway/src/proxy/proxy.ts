import type { Readable } from 'node:stream'
import replyFrom from '@fastify/reply-from'
import {
  type App,
  AppError,
  type BatchClient,
  badRequest,
  createBatchClient,
  type Logger,
  payloadTooLarge,
  SESSION_COOKIE,
  sessionCookie,
  withoutCookie,
} from '@skyfolio/kit'
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Limits } from '../limits/limits.ts'
import type { Sessions } from '../sessions/sessions.ts'
import { requestHeaders, responseHeaders } from './headers.ts'
import { forwardableBody, TOO_LARGE } from './request-body.ts'
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
  secureCookies: boolean
}

/** Below the limit of the services, so that the gateway rejects larger bodies. */
const MAX_JSON_BYTES = 64 * 1024
const MAX_VOTE_BYTES = 4 * 1024
const RETRY_DELAY_MS = 20
/** Stall timeout between gateway and service. Uploads may wait in a queue. */
const STALL_TIMEOUT_MS = { json: 60_000, vote: 60_000, upload: 300_000 }
/** A connection is replaced after so many requests, so that new replicas of a service get their share. */
const REQUESTS_PER_CONNECTION = 500

/** The services' routes: each request is streamed to its service, and the response back. */
export async function proxyRoutes(app: App, deps: ProxyDeps): Promise<void> {
  await app.register(replyFrom, {
    undici: { connections: 512, connect: { timeout: 2_000 }, maxRequestsPerClient: REQUESTS_PER_CONNECTION },
    destroyAgent: true,
    disableRequestLogging: true,
  })

  await app.register(async (streamed) => {
    streamed.removeAllContentTypeParsers()
    streamed.addContentTypeParser('*', (request, _payload, done) =>
      done(null, forwardableBody(request.raw, request.routeOptions.config.maxBytes)),
    )
    for (const route of deps.routes.filter(({ body }) => body !== 'vote')) addRoute(streamed as App, route, deps)
  })
  // Votes are parsed here: they are small, and their rate limit needs the fingerprint.
  for (const route of deps.routes.filter(({ body }) => body === 'vote')) addRoute(app, route, deps)
}

function addRoute(app: App, route: ProxiedRoute, deps: ProxyDeps): void {
  const vote = route.body === 'vote'
  const maxBytes = route.body === 'upload' ? deps.uploadBytes : MAX_JSON_BYTES
  const batchClient = route.batch && openBatchClient(app, route, deps)
  const renewsCookie = route.method === 'GET' && route.path === '/api/user'
  app.route({
    method: route.method,
    url: route.path,
    schema: { hide: true },
    config: { access: 'public', allowsVisitors: route.allowsVisitors, vote, quiet: route.quiet === true, maxBytes },
    ...(vote && { bodyLimit: MAX_VOTE_BYTES }),
    onRequest: (request, _reply, done) => {
      if (Number(request.headers['content-length'] ?? 0) > maxBytes) throw payloadTooLarge(TOO_LARGE)
      done()
    },
    handler: (request, reply) => {
      if (vote) deps.limits.checkVoter(request)
      if (renewsCookie) renewCookie(request, reply, deps.secureCookies)
      const forwardAlone = () => forward(request, reply, route, deps)
      // A HEAD request is handled by the route of its GET.
      return batchClient && request.method === route.method
        ? forwardInBatch(request, reply, batchClient, forwardAlone)
        : forwardAlone()
    },
  })
}

function openBatchClient(app: App, { method, path, service }: ProxiedRoute, deps: ProxyDeps): BatchClient {
  const { logger, identityKeys } = deps
  const client = createBatchClient({ logger, upstream: deps.upstreams[service], method, route: path, identityKeys })
  app.addHook('onClose', async () => client.close())
  return client
}

async function forwardInBatch(
  request: FastifyRequest,
  reply: FastifyReply,
  client: BatchClient,
  forwardAlone: () => FastifyReply,
): Promise<string | Buffer | FastifyReply> {
  const { id, identity, params, query, body } = request
  const { 'accept-encoding': encodings, 'if-none-match': etag } = request.headers
  const cookie = withoutCookie(request.headers.cookie, SESSION_COOKIE)
  const headers = { cookie, 'accept-encoding': encodings, 'if-none-match': etag }
  const response = await client.send({ id, identity, params, query, body, headers })
  if (!response) return forwardAlone()
  const [status, content, receivedHeaders] = response
  reply.code(status)
  if (typeof content === 'string') reply.type('application/json; charset=utf-8')
  if (receivedHeaders) reply.headers(responseHeaders(receivedHeaders))
  return content.length > 0 ? content : reply.send()
}

/** A persistent cookie lasts 30 days from the last `GET /api/user`. */
function renewCookie({ session }: FastifyRequest, reply: FastifyReply, secure: boolean): void {
  if (session?.persistent) reply.header('set-cookie', sessionCookie(session.token, { persistent: true, secure }))
}

function forward(request: FastifyRequest, reply: FastifyReply, route: ProxiedRoute, deps: ProxyDeps): FastifyReply {
  return reply.from(undefined, {
    timeout: STALL_TIMEOUT_MS[route.body ?? 'json'],
    getUpstream: () => deps.upstreams[route.service],
    rewriteRequestHeaders: (_request, headers) => requestHeaders(request, headers, deps.identityKeys),
    rewriteHeaders: responseHeaders,
    // A service that restarts may close an idle connection just when it is reused: reads are safe to retry.
    retriesCount: 1,
    retryDelay: ({ err, attempt }) => (attempt === 0 && mayRetry(request, err) ? RETRY_DELAY_MS : null),
    onResponse: (_request, _reply, response) => {
      // Sign-in, sign-out and others end the session of the request: do not wait for the hint from NATS.
      if (route.service === 'auth' && route.method !== 'GET' && request.session)
        deps.sessions.forget(request.session.hash)
      // The header applies to the service's connection, not to the client's.
      reply.removeHeader('connection')
      reply.send((response as unknown as { stream: NodeJS.ReadableStream }).stream)
    },
    onError: (_reply, { error }) => {
      const { errored } = (request.body ?? {}) as Partial<Readable>
      if (errored instanceof AppError) return reply.send(errored)
      const clientDisconnected = request.raw.destroyed && !request.raw.complete
      reply.send(clientDisconnected ? badRequest('The request was cut off.') : error)
    },
  })
}

const CONNECTION_ERRORS = new Set(['ECONNREFUSED', 'ECONNRESET', 'EPIPE', 'UND_ERR_SOCKET'])

function mayRetry(request: FastifyRequest, error: NodeJS.ErrnoException | null): boolean {
  const safe = request.method === 'GET' || request.method === 'HEAD'
  return safe && CONNECTION_ERRORS.has(error?.code ?? '')
}
