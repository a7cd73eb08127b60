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
import { httpTracingPlugin } from '../telemetry/telemetry.ts'
import { accessRules } from './access.ts'
import { errorResponse, toAppError } from './error-responses.ts'
import { badRequest, notFound } from './errors.ts'
import { observeRequests } from './request-log.ts'
import { requestLogger } from './request-logger.ts'
import { validatorFactory } from './validation.ts'

declare module 'fastify' {
  interface FastifyInstance {
    /** How long the server continues after SIGTERM, with responses that close their connections. */
    lameDuckMs: number
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
}

export type App = Awaited<ReturnType<typeof buildServer>>

const REQUEST_ID = /^[\w.-]{8,64}$/
const BODY_LIMIT = 256 * 1024

/** Only a service behind the gateway trusts the request id of a request. */
function requestIds(behindGateway: boolean): (request: IncomingMessage) => string {
  return (request) => {
    const given = request.headers['x-request-id']
    return behindGateway && typeof given === 'string' && REQUEST_ID.test(given) ? given : randomUUID()
  }
}

const RAW_BAD_REQUEST = JSON.stringify(badRequest('The request is not valid.').toBody())

function create(options: ServerOptions) {
  return Fastify({
    loggerInstance: options.logger as FastifyBaseLogger,
    logController: new LogController({ disableRequestLogging: true, requestIdLogLabel: 'requestId' }),
    childLoggerFactory: requestLogger,
    genReqId: requestIds(options.identityKeys !== undefined),
    bodyLimit: options.bodyLimit ?? BODY_LIMIT,
    trustProxy: options.trustedProxies?.length ? options.trustedProxies : false,
    // While draining, requests that still arrive on open connections are served, and their connections closed.
    return503OnClosing: false,
    forceCloseConnections: 'idle',
    schemaController: { compilersFactory: { buildValidator: validatorFactory() } },
    frameworkErrors: (error, request, reply) => {
      const rejection = toAppError(error)
      const body = withErrorField(rejection.toBody(), options.errorFieldPaths, request.url)
      ;(reply as FastifyReply).code(rejection.status).send(body)
    },
    clientErrorHandler: (_error, socket) => {
      if (!socket.writable) return socket.destroy()
      const head = 'HTTP/1.1 400 Bad Request\r\nConnection: close\r\nContent-Type: application/json'
      socket.end(`${head}\r\nContent-Length: ${RAW_BAD_REQUEST.length}\r\n\r\n${RAW_BAD_REQUEST}`)
    },
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
    const response = errorResponse(error, request.log)
    request.errorCode = response.code
    const body = withErrorField(response.body, errorFieldPaths, request.url, request.routeOptions.url)
    return reply.code(response.status).headers(response.headers).send(body)
  })
  app.setNotFoundHandler((request) => {
    throw notFound(`There is nothing at ${request.method} ${request.url.split('?')[0]?.slice(0, 200)}.`)
  })
}

const IDLE_CHECK_MS = 100

/**
 * While draining, each response closes its connection, so that keep-alive clients move to another replica; new requests
 * are served as before. After `lameDuckMs` connections are closed once they are idle: one that was unused for so long is
 * unlikely to receive a request at that moment. Node closes those that are idle when closing begins, but neither those
 * whose response comes later, nor those that never sent anything: browsers open connections ahead of need.
 */
function drainConnections(app: PlainServer): void {
  const open = new Set<Socket>()
  let closing = false
  let sweep: NodeJS.Timeout | undefined
  app.decorate('lameDuckMs', 0)
  app.server.on('connection', (socket: Socket) => {
    open.add(socket)
    socket.once('close', () => open.delete(socket))
  })
  app.addHook('onSend', (_request, reply, payload, done) => {
    if (closing) reply.header('connection', 'close')
    done(null, payload)
  })
  app.addHook('preClose', async () => {
    closing = true
    if (app.lameDuckMs > 0 && app.server.listening) await delay(app.lameDuckMs)
    for (const socket of open) if (socket.bytesRead === 0) socket.destroy()
    // For responses that had begun before.
    sweep = setInterval(() => app.server.closeIdleConnections(), IDLE_CHECK_MS)
  })
  app.addHook('onClose', async () => clearInterval(sweep))
}

/** Traces requests where tracing is on; the work of a request then belongs to its span. */
async function traceRequests(app: PlainServer): Promise<void> {
  const plugin = httpTracingPlugin()
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
 * Each route declares `config: { access: 'public' | 'user' | 'admin' }`; adding one that does not throws.
 * `config: { quiet: true }` is for hot paths: successes are only sampled in logs and traces.
 */
export async function buildServer(options: ServerOptions) {
  const app = create(options)
  await traceRequests(app)
  observeRequests(app)
  accessRules(app, options.identityKeys)
  sendErrors(app, options.errorFieldPaths)
  drainConnections(app)
  await app.register(fastifySwagger, {
    openapi: { openapi: '3.1.0', info: { title: options.title ?? options.name, version: '1' } },
  })
  return app
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
  const limitMs = app.lameDuckMs + (options.drainSeconds ?? 10) * 1000
  life.defer('http', () => app.close(), limitMs)
  const address = await app.listen({ host: options.host, port: options.port })
  life.logger.info({ address }, 'listening')
}

/** Writes the OpenAPI document of a server to a file, relative to the working directory. */
export async function writeOpenApi(app: App, file: string): Promise<void> {
  await app.ready()
  await writeFile(resolve(file), `${JSON.stringify(app.swagger(), null, 2)}\n`)
}
