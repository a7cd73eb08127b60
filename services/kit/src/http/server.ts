import { randomUUID } from 'node:crypto'
import { writeFile } from 'node:fs/promises'
import type { IncomingMessage } from 'node:http'
import type { Socket } from 'node:net'
import { resolve } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import fastifySwagger from '@fastify/swagger'
import type { TypeBoxTypeProvider } from '@fastify/type-provider-typebox'
import { context } from '@opentelemetry/api'
import Fastify, { type FastifyBaseLogger, type FastifyReply, LogController } from 'fastify'
import type { Lifetime } from '../process/lifetime.ts'
import type { Logger } from '../process/logger.ts'
import { hostToListen } from '../process/ops-server.ts'
import { httpTracingPlugin } from '../telemetry/telemetry.ts'
import { accessRules } from './access.ts'
import { proxyTrust } from './client-network.ts'
import { errorResponse, toAppError } from './error-responses.ts'
import { type AppError, badRequest, notFound, requestCutOff, requestTimeout } from './errors.ts'
import { observeRequests, requestLogger } from './request-log.ts'
import { SESSION_COOKIE } from './session.ts'
import { endSlowReaders, type SlowReaderOptions } from './slow-readers.ts'
import { validatorFactory } from './validation.ts'

declare module 'fastify' {
  interface FastifyInstance {
    /** How long the server continues after SIGTERM, with responses that close their connections. */
    lameDuckMs: number
    /** Then, how long requests in progress may take. */
    drainMs: number
    /** Aborted shortly before: who receives a long body responds that it can be sent again. */
    ending: AbortSignal
    /** Whether this server's own `onSend` hooks have nothing to do for a response: false while draining, and with traces. */
    mayRespondDirectly: boolean
  }
}

export interface ServerOptions {
  name: string
  logger: Logger
  /** For services: every request must carry an identity that one of these keys signed. */
  identityKeys?: string[]
  /** Largest request body in bytes; 256 KiB by default. */
  bodyLimit?: number
  /** Title of the OpenAPI document; the name by default. */
  title?: string
  /** Addresses or networks of proxies whose X-Forwarded-For is trusted; none by default. */
  trustedProxies?: string[]
  /** Paths below which the bodies of errors repeat the message in the field `error`. */
  errorFieldPaths?: string[]
  /** How long the headers of a request may take; 10 seconds by default. */
  headersTimeoutMs?: number
  /** When slow clients are disconnected; by default after two minutes, by services, whose client is the gateway, after five. */
  slowReaders?: SlowReaderOptions
}

export type App = Awaited<ReturnType<typeof buildServer>>

const REQUEST_ID = /^[\w.-]{8,64}$/
const BODY_LIMIT = 256 * 1024
const HEADERS_TIMEOUT_MS = 10_000
/** Node looks for expired requests at this interval; its own default would end them up to 30 seconds late. */
const HEADERS_CHECK_MS = 2_000
/** An unused connection stays open for longer than the usual proxies keep theirs, so that it is they who close it. */
const KEEP_ALIVE_MS = 72_000
const DRAIN_MS = 10_000
const CLIENT_WINDOW_MS = 120_000
/** The gateway judges its clients itself; in front of it a service only bounds what a gateway that hangs may hold. */
const GATEWAY_WINDOW_MS = 300_000

/** Only a service behind the gateway trusts the request id of a request. */
function requestIds(behindGateway: boolean): (request: IncomingMessage) => string {
  return (request) => {
    const given = request.headers['x-request-id']
    return behindGateway && typeof given === 'string' && REQUEST_ID.test(given) ? given : randomUUID()
  }
}

/** Responds on a connection whose request Node could not read, and closes it. */
function rejectUnread({ code }: { code?: string }, socket: Socket): void {
  const isLate = code === 'ERR_HTTP_REQUEST_TIMEOUT'
  // Browsers open connections ahead of need: a response there would be taken for that of their first request.
  if (!socket.writable || (isLate && socket.bytesRead === 0)) return void socket.destroy()
  socket.end(isLate ? RAW_TIMEOUT : RAW_BAD_REQUEST)
}

function rawResponse(reason: string, error: AppError): string {
  const body = JSON.stringify(error.toBody())
  const head = `HTTP/1.1 ${error.status} ${reason}\r\nConnection: close\r\nContent-Type: application/json`
  return `${head}\r\nContent-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`
}

const RAW_BAD_REQUEST = rawResponse('Bad Request', badRequest('The request is not valid.'))
const RAW_TIMEOUT = rawResponse('Request Timeout', requestTimeout())

function create(options: ServerOptions) {
  const headersTimeout = options.headersTimeoutMs ?? HEADERS_TIMEOUT_MS
  return Fastify({
    loggerInstance: options.logger as FastifyBaseLogger,
    logController: new LogController({ disableRequestLogging: true, requestIdLogLabel: 'requestId' }),
    childLoggerFactory: requestLogger,
    genReqId: requestIds(options.identityKeys !== undefined),
    bodyLimit: options.bodyLimit ?? BODY_LIMIT,
    trustProxy: options.trustedProxies?.length ? proxyTrust(options.trustedProxies) : false,
    // While draining, requests that still arrive on open connections are served, and their connections closed.
    return503OnClosing: false,
    forceCloseConnections: 'idle',
    schemaController: { compilersFactory: { buildValidator: validatorFactory() } },
    frameworkErrors: (error, request, reply) => {
      const rejection = toAppError(error)
      const body = withErrorField(rejection.toBody(), options.errorFieldPaths, request.url)
      ;(reply as FastifyReply).code(rejection.status).send(body)
    },
    clientErrorHandler: rejectUnread,
    http: { headersTimeout, connectionsCheckingInterval: Math.min(HEADERS_CHECK_MS, headersTimeout / 4) },
    keepAliveTimeout: KEEP_ALIVE_MS,
  }).withTypeProvider<TypeBoxTypeProvider>()
}

type PlainServer = ReturnType<typeof create>

/** Clients of some paths read the sentence from the field `error`. */
function withErrorField<Body extends { message: string }>(
  body: Body,
  prefixes: string[] = [],
  ...paths: (string | undefined)[]
): Body | (Body & { error: string }) {
  const isBelow = (path: string, prefix: string) =>
    path.startsWith(prefix) && ['/', '?', undefined].includes(path[prefix.length])
  const applies = paths.some((path) => path && prefixes.some((prefix) => isBelow(path, prefix)))
  return applies ? { ...body, error: body.message } : body
}

function sendErrors(app: PlainServer, errorFieldPaths: string[] | undefined): void {
  app.setErrorHandler((error, request, reply) => {
    // The router decodes the path, so the route that it found counts as well as the text of the URL.
    const route = request.routeOptions.url ?? 'unknown'
    const thrown = hasLeft(reply, error as NodeJS.ErrnoException) ? requestCutOff() : error
    const response = errorResponse(thrown, { route, log: () => request.log, repeatedLines: app.repeatedLines })
    request.errorCode = response.code
    request.reachedLimit = response.limit
    const body = withErrorField(response.body, errorFieldPaths, request.url, request.routeOptions.url)
    return reply.code(response.status).headers(response.headers).send(body)
  })
  app.setNotFoundHandler((request) => {
    throw notFound(`There is nothing at ${request.method} ${request.url.split('?')[0]?.slice(0, 200)}.`)
  })
}

/** Whether the error is only that Fastify ended the stream of a response because its client had disconnected. */
function hasLeft({ raw }: FastifyReply, { name, code }: NodeJS.ErrnoException): boolean {
  return raw.destroyed && (name === 'AbortError' || code === 'ERR_STREAM_PREMATURE_CLOSE')
}

const IDLE_CHECK_MS = 100
/** Of `drainMs`: when long requests are asked to end, and when the connections of the others are closed. */
const END_AFTER = 0.7
const CLOSE_AFTER = 0.9

/**
 * While draining, each response closes its connection, so that keep-alive clients move to another replica; new requests
 * are served as before. After `lameDuckMs` connections are closed once they are idle: one that was unused for so long is
 * unlikely to receive a request at that moment. Node closes those that are idle when closing begins, but neither those
 * whose response comes later, nor those that never sent anything: browsers open connections ahead of need. What takes longer than
 * `drainMs`, such as an upload over a slow line, is ended before: with a response where the route listens to `ending`.
 */
function drainConnections(app: PlainServer, open: ReadonlySet<Socket>): void {
  let closing = false
  let sweep: NodeJS.Timeout | undefined
  const ends: NodeJS.Timeout[] = []
  const ending = new AbortController()
  app.decorate('lameDuckMs', 0)
  app.decorate('drainMs', DRAIN_MS)
  app.decorate('ending', { getter: () => ending.signal })
  app.addHook('onSend', (_request, reply, payload, done) => {
    if (closing) reply.header('connection', 'close')
    done(null, payload)
  })
  app.addHook('preClose', async () => {
    closing = true
    app.mayRespondDirectly = false
    if (app.lameDuckMs > 0 && app.server.listening) await delay(app.lameDuckMs)
    for (const socket of open) if (socket.bytesRead === 0) socket.destroy()
    // For responses that had begun before.
    sweep = setInterval(() => app.server.closeIdleConnections(), IDLE_CHECK_MS)
    ends.push(setTimeout(() => ending.abort(), app.drainMs * END_AFTER))
    ends.push(setTimeout(() => app.server.closeAllConnections(), app.drainMs * CLOSE_AFTER))
  })
  app.addHook('onClose', async () => {
    clearInterval(sweep)
    for (const timer of ends) clearTimeout(timer)
  })
}

/** The open connections of clients. */
function trackConnections(app: PlainServer): ReadonlySet<Socket> {
  const open = new Set<Socket>()
  app.server.on('connection', (socket: Socket) => {
    open.add(socket)
    socket.once('close', () => open.delete(socket))
  })
  return open
}

function disconnectSlowReaders(app: PlainServer, open: ReadonlySet<Socket>, options: ServerOptions): void {
  const windowMs = options.identityKeys ? GATEWAY_WINDOW_MS : CLIENT_WINDOW_MS
  const stop = endSlowReaders(open, options.slowReaders ?? { windowMs })
  app.addHook('onClose', async () => stop())
}

/** Traces requests where tracing is on; the work of a request then belongs to its span. */
async function traceRequests(app: PlainServer): Promise<void> {
  const plugin = httpTracingPlugin()
  app.decorate('mayRespondDirectly', !plugin)
  if (!plugin) return
  await app.register(plugin)
  // Reading a body continues in the context of the connection, so that of the request is entered again.
  app.addHook('preValidation', (request, _reply, done) => {
    const own = request.opentelemetry().context
    if (own) context.with(own, done)
    else done()
  })
}

/**
 * An HTTP server with the error model, identity check, request ids, logs, metrics, traces and OpenAPI.
 * Each route declares `config: { access: 'public' | 'user' | 'admin' | 'gateway' }`; adding one that does not throws.
 * `config: { quiet: true }` is for hot paths: successes are only sampled in logs and traces.
 */
export async function buildServer(options: ServerOptions) {
  const app = create(options)
  await traceRequests(app)
  observeRequests(app)
  accessRules(app, options.identityKeys)
  sendErrors(app, options.errorFieldPaths)
  const connections = trackConnections(app)
  drainConnections(app, connections)
  disconnectSlowReaders(app, connections, options)
  await describeRoutes(app, options.title ?? options.name)
  return app
}

/** In OpenAPI 3.1 the list of a scheme may name roles. */
const SECURITY = { public: [], user: [{ session: [] }], admin: [{ session: ['administrator'] }], gateway: [] }

async function describeRoutes(app: PlainServer, title: string): Promise<void> {
  await app.register(fastifySwagger, {
    openapi: {
      openapi: '3.1.0',
      info: { title, version: '1' },
      components: { securitySchemes: { session: { type: 'apiKey', in: 'cookie', name: SESSION_COOKIE } } },
    },
    transform: ({ schema, url, route }) => ({
      schema: { ...schema, security: SECURITY[route.config?.access ?? 'gateway'] },
      url,
    }),
  })
}

/** Where a server listens and how it drains; the settings of every service contain these. */
export interface ServeOptions {
  host: string
  port: number
  lameDuckSeconds?: number
  drainSeconds?: number
}

/**
 * Listens, and closes when the process drains: for `lameDuckSeconds` all requests are served and their connections
 * closed, then no new connections are accepted, and requests in progress have `drainSeconds` to finish.
 */
export async function serve(life: Lifetime, app: App, options: ServeOptions): Promise<void> {
  app.lameDuckMs = (options.lameDuckSeconds ?? 0) * 1000
  if (options.drainSeconds !== undefined) app.drainMs = options.drainSeconds * 1000
  life.defer('http', () => app.close(), app.lameDuckMs + app.drainMs)
  const address = await app.listen({ host: hostToListen(options.host), port: options.port })
  life.logger.info({ address }, 'listening')
}

/** Writes the OpenAPI document of a server to a file, relative to the working directory. */
export async function writeOpenApi(app: App, file: string): Promise<void> {
  await app.ready()
  await writeFile(resolve(file), `${JSON.stringify(app.swagger(), null, 2)}\n`)
}
