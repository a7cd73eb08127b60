import type { IncomingHttpHeaders } from 'node:http'
import { Readable } from 'node:stream'
import replyFrom from '@fastify/reply-from'
import { type App, AppError, badRequest, requestCutOff } from '@skyfolio/kit'
import type { FastifyReply, FastifyRequest } from 'fastify'
import {
  type ClientLimits,
  CONNECT_TIMEOUT_MS,
  createUpstreamSlots,
  REQUESTS_PER_CONNECTION,
  type Release,
  releaseAfter,
  STALL_TIMEOUT_MS,
  shareKeys,
  type UpstreamSlots,
} from '../client-limits.ts'
import type { Sessions } from '../sessions/sessions.ts'
import { createPartForwarder } from './forward-part.ts'
import { requestHeaders, responseHeaders } from './headers.ts'
import { createReadAhead } from './read-ahead.ts'
import type { ProxiedRoute, ServiceName } from './route-table.ts'

export interface ForwardDeps {
  upstreams: Record<ServiceName, string>
  identityKeys: string[]
  sessions: Sessions
  clientLimits: ClientLimits
}

export interface ForwardOptions {
  route: ProxiedRoute
  /** How long the service may be silent. Default: by the kind of request. */
  stallMs?: number | undefined
}

/** Sends a request to its service, and the response back. @throws AppError 400, 503 */
export type Forward = (
  request: FastifyRequest,
  reply: FastifyReply,
  options: ForwardOptions,
) => FastifyReply | Promise<FastifyReply>

type PoolName = ServiceName | 'uploads' | 'downloads'

const RETRY_DELAY_MS = 20

/** Prepares the connections to the services. Their number is that of the slots. */
export async function createForward(app: App, deps: ForwardDeps): Promise<Forward> {
  const { responseMs, readAheadBytes, uploadStallMs: stallMs } = deps.clientLimits
  await app.register(replyFrom, {
    undici: {
      connections: null,
      connect: { timeout: CONNECT_TIMEOUT_MS },
      maxRequestsPerClient: REQUESTS_PER_CONNECTION,
      // Those of requests without a timeout of their own: GET and HEAD.
      headersTimeout: responseMs,
      bodyTimeout: STALL_TIMEOUT_MS.json,
    },
    destroyAgent: true,
    disableRequestLogging: true,
  })
  const pools = createPools(deps)
  const readAhead = createReadAhead(readAheadBytes)
  app.server.on('connection', readAhead.noteConnection)
  const parts = createPartForwarder({ mediaUrl: deps.upstreams.media, identityKeys: deps.identityKeys, stallMs })
  app.addHook('onClose', async () => {
    for (const held of [...Object.values(pools), readAhead, parts]) held.close()
  })

  function send(request: FastifyRequest, reply: FastifyReply, { route, stallMs }: ForwardOptions, release: Release) {
    const isRead = request.method === 'GET' || request.method === 'HEAD'
    const timeout = stallMs ?? (isRead ? undefined : STALL_TIMEOUT_MS[route.body ?? 'json'])
    return reply.from(undefined, {
      ...(timeout && { timeout }),
      ...bodyOf(request),
      getUpstream: () => deps.upstreams[route.service],
      rewriteRequestHeaders: (_request, headers) =>
        requestHeaders(request, withContentType(request, headers), route.service, deps.identityKeys),
      rewriteHeaders(headers) {
        // The response to a client that has gone is dropped without a further call.
        if (request.raw.aborted) release()
        return responseHeaders(headers)
      },
      // A service that restarts may close an idle connection just when it is reused: reads are safe to retry.
      retriesCount: 1,
      retryDelay: ({ err, attempt }) => (isRead && attempt === 0 && isConnectionError(err) ? RETRY_DELAY_MS : null),
      onResponse: (_request, _reply, response) => {
        const source = (response as unknown as { stream: Readable }).stream
        releaseAfter(source, reply, release)
        // Sign-in, sign-out and others end the session of the request: do not wait for the hint from NATS.
        if (route.service === 'auth' && route.method !== 'GET' && request.session)
          deps.sessions.forget(request.session.hash)
        // The header applies to the service's connection, not to the client's.
        reply.removeHeader('connection')
        const isEmpty = request.method === 'HEAD' || reply.statusCode === 204 || reply.statusCode === 304
        const length = isEmpty ? 0 : contentLength(reply)
        reply.send(readAhead.wrap(source, length, shareKeys(request)))
      },
      onError: (_reply, { error }) => {
        release()
        const { errored } = (request.body ?? {}) as Partial<Readable>
        if (errored instanceof AppError) return reply.send(errored)
        const clientDisconnected = request.raw.destroyed && !request.raw.complete
        reply.send(clientDisconnected ? requestCutOff() : error)
      },
    })
  }

  /** A slot whose request was never sent is given back here. */
  function sendWith(release: Release, ...[request, reply, options]: Parameters<Forward>): FastifyReply {
    try {
      if (options.route.body === 'part') return parts.send(request, reply, release)
      return send(request, reply, options, release)
    } catch (error) {
      release()
      throw error
    }
  }

  async function sendLater(pending: Promise<Release | null>, ...[request, reply, options]: Parameters<Forward>) {
    try {
      const release = await pending
      return release ? sendWith(release, request, reply, options) : reply.hijack()
    } catch (error) {
      discardBody(request)
      throw error
    }
  }

  return (request, reply, options) => {
    if (!staysTheSame(request.url)) throw badRequest('The address of the request is not valid.')
    const slot = pools[poolOf(options.route)].acquire(request, reply)
    if (slot instanceof Promise) return sendLater(slot, request, reply, options)
    return sendWith(slot, request, reply, options)
  }
}

function createPools({ clientLimits }: ForwardDeps): Record<PoolName, UpstreamSlots> {
  const { requestsOfService, uploads, downloads, waitingRequests: maxWaiting, waitMs, downloadWaitMs } = clientLimits
  const pool = (name: PoolName, total: number, wait = waitMs) =>
    createUpstreamSlots(name, { total, maxWaiting, waitMs: wait })
  return {
    auth: pool('auth', requestsOfService),
    media: pool('media', requestsOfService),
    folders: pool('folders', requestsOfService),
    'print-orders': pool('print-orders', requestsOfService),
    uploads: pool('uploads', uploads),
    downloads: pool('downloads', downloads, downloadWaitMs),
  }
}

function poolOf({ body, picture, small, download, service }: ProxiedRoute): PoolName {
  if (body === 'upload' || body === 'part') return 'uploads'
  return (picture && !small) || download ? 'downloads' : service
}

/** A body that was read whole, for `reply.from`, which would send a buffer of JSON as JSON of a buffer. */
function bodyOf({ body }: FastifyRequest): { body?: Buffer; contentType?: string } {
  return Buffer.isBuffer(body) ? { body, contentType: 'replaced' } : {}
}

/** With the client's type of the body, to the letter. */
function withContentType({ body, raw }: FastifyRequest, headers: IncomingHttpHeaders): IncomingHttpHeaders {
  if (!Buffer.isBuffer(body)) return headers
  const { 'content-type': type, ...others } = { ...headers, 'content-type': raw.headers['content-type'] }
  return type === undefined ? others : { ...others, 'content-type': type }
}

/** Lets the rest of an upload that was not forwarded be read and discarded. */
function discardBody({ body }: FastifyRequest): void {
  if (body instanceof Readable) body.destroy()
}

function contentLength(reply: FastifyReply): number | null {
  const length = Number(reply.getHeader('content-length') ?? Number.NaN)
  return Number.isNaN(length) ? null : length
}

/**
 * Whether the path means the same to the parser of URLs that makes the service's as to the router: backslashes and encoded
 * dots would lead to another route of the service.
 */
function staysTheSame(url: string): boolean {
  const [path] = url.split('?', 1)
  return URL.parse(url, 'http://service')?.pathname === path
}

const CONNECTION_ERRORS = new Set(['ECONNREFUSED', 'ECONNRESET', 'EPIPE', 'UND_ERR_SOCKET'])

function isConnectionError(error: NodeJS.ErrnoException | null): boolean {
  return CONNECTION_ERRORS.has(error?.code ?? '')
}
