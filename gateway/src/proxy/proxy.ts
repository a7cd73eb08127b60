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
import { forwardableBody, tooLarge } from './request-body.ts'
import type { ProxiedRoute, ServiceName } from './route-table.ts'

export interface ProxyOptions {
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

/** Below what services take, so that it is here that a larger body is refused. */
const jsonBytes = 64 * 1024
const voteBytes = 4 * 1024
const retryAfterMs = 20
/** How long nothing may move between gateway and service. Uploads may wait for their turn. */
const stallMs = { json: 60_000, vote: 60_000, upload: 300_000 }
/** After so many requests a connection is made anew, so that replicas of a service that came later get their share. */
const requestsPerConnection = 500

/** The services' routes: each request is streamed to its service, and the answer back. */
export async function proxyRoutes(app: App, o: ProxyOptions): Promise<void> {
  await app.register(replyFrom, {
    undici: { connections: 512, connect: { timeout: 2_000 }, maxRequestsPerClient: requestsPerConnection },
    destroyAgent: true,
    disableRequestLogging: true,
  })

  await app.register(async (streamed) => {
    streamed.removeAllContentTypeParsers()
    streamed.addContentTypeParser('*', (request, _payload, done) =>
      done(null, forwardableBody(request.raw, request.routeOptions.config.maxBytes)),
    )
    for (const route of o.routes.filter(({ body }) => body !== 'vote')) addRoute(streamed as App, route, o)
  })
  // Votes are small, and their limit needs the fingerprint: they are read here.
  for (const route of o.routes.filter(({ body }) => body === 'vote')) addRoute(app, route, o)
}

function addRoute(app: App, route: ProxiedRoute, o: ProxyOptions): void {
  const vote = route.body === 'vote'
  const maxBytes = route.body === 'upload' ? o.uploadBytes : jsonBytes
  const folds = route.batch && openFolds(app, route, o)
  const renewsCookie = route.method === 'GET' && route.path === '/api/user'
  app.route({
    method: route.method,
    url: route.path,
    schema: { hide: true },
    config: { access: 'public', visitors: route.visitors, vote, quiet: route.quiet === true, maxBytes },
    ...(vote && { bodyLimit: voteBytes }),
    onRequest: (request, _reply, done) => {
      if (Number(request.headers['content-length'] ?? 0) > maxBytes) throw payloadTooLarge(tooLarge)
      done()
    },
    handler: (request, reply) => {
      if (vote) o.limits.voteBy(request)
      if (renewsCookie) renewCookie(request, reply, o.secureCookies)
      const alone = () => forward(request, reply, route, o)
      // A HEAD comes to the route of its GET.
      return folds && request.method === route.method ? forwardInFold(request, reply, folds, alone) : alone()
    },
  })
}

function openFolds(app: App, { method, path, service }: ProxiedRoute, o: ProxyOptions): BatchClient {
  const { logger, identityKeys } = o
  const folds = createBatchClient({ logger, upstream: o.upstreams[service], method, route: path, identityKeys })
  app.addHook('onClose', async () => folds.close())
  return folds
}

async function forwardInFold(
  request: FastifyRequest,
  reply: FastifyReply,
  folds: BatchClient,
  alone: () => FastifyReply,
): Promise<string | Buffer | FastifyReply> {
  const { id, identity, params, query, body } = request
  const { 'accept-encoding': encodings, 'if-none-match': version } = request.headers
  const cookie = withoutCookie(request.headers.cookie, SESSION_COOKIE)
  const headers = { cookie, 'accept-encoding': encodings, 'if-none-match': version }
  const answer = await folds.send({ id, identity, params, query, body, headers })
  if (!answer) return alone()
  const [status, content, answered] = answer
  reply.code(status)
  if (typeof content === 'string') reply.type('application/json; charset=utf-8')
  if (answered) reply.headers(responseHeaders(answered))
  return content.length > 0 ? content : reply.send()
}

/** The browser keeps a persistent cookie for 30 days from the last time it asked who it is. */
function renewCookie({ session }: FastifyRequest, reply: FastifyReply, secure: boolean): void {
  if (session?.persistent) reply.header('set-cookie', sessionCookie(session.token, { persistent: true, secure }))
}

function forward(request: FastifyRequest, reply: FastifyReply, route: ProxiedRoute, o: ProxyOptions): FastifyReply {
  return reply.from(undefined, {
    timeout: stallMs[route.body ?? 'json'],
    getUpstream: () => o.upstreams[route.service],
    rewriteRequestHeaders: (_request, headers) => requestHeaders(request, headers, o.identityKeys),
    rewriteHeaders: responseHeaders,
    // A service that restarts may close an idle connection while it is taken up: nothing is lost by asking again.
    retriesCount: 1,
    retryDelay: ({ err, attempt }) => (attempt === 0 && mayRepeat(request, err) ? retryAfterMs : null),
    onResponse: (_request, _reply, response) => {
      // Sign-in and sign-out end the session that was presented: no need to wait until NATS says so.
      if (route.service === 'auth' && route.method === 'POST' && request.session)
        o.sessions.forget(request.session.hash)
      // The service closes its own connection, not the client's.
      reply.removeHeader('connection')
      reply.send((response as unknown as { stream: NodeJS.ReadableStream }).stream)
    },
    onError: (_reply, { error }) => {
      const { errored } = (request.body ?? {}) as Partial<Readable>
      if (errored instanceof AppError) return reply.send(errored)
      const clientLeft = request.raw.destroyed && !request.raw.complete
      reply.send(clientLeft ? badRequest('The request was cut off.') : error)
    },
  })
}

const lostConnection = new Set(['ECONNREFUSED', 'ECONNRESET', 'EPIPE', 'UND_ERR_SOCKET'])

function mayRepeat(request: FastifyRequest, error: NodeJS.ErrnoException | null): boolean {
  const safe = request.method === 'GET' || request.method === 'HEAD'
  return safe && lostConnection.has(error?.code ?? '')
}
