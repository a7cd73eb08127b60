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
    /** How long the server goes on, with answers that end their connections, before it closes. */
    lameDuckMs: number
  }
}

export interface ServerOptions {
  name: string
  logger: Logger
  /** Given by services: every request must carry an identity that one of these keys signed. */
  identityKeys?: string[]
  /** Largest request body in bytes; 256 KiB by default. */
  bodyLimit?: number
  /** Title of the OpenAPI document; the name by default. */
  title?: string
  /** Addresses or networks of proxies whose X-Forwarded-For is believed; none by default. */
  trustedProxies?: string[]
  /** Paths below which the bodies of errors repeat the message in the field `error`. */
  errorFieldPaths?: string[]
}

export type App = Awaited<ReturnType<typeof buildServer>>

const REQUEST_ID = /^[\w.-]{8,64}$/
const BODY_LIMIT = 256 * 1024

/** Only a service behind the gateway believes in a request id that it is given. */
function requestIds(behindGateway: boolean): (request: IncomingMessage) => string {
  return (request) => {
    const given = request.headers['x-request-id']
    return behindGateway && typeof given === 'string' && REQUEST_ID.test(given) ? given : randomUUID()
  }
}

const RAW_BAD_REQUEST = JSON.stringify(badRequest('The request is not valid.').toBody())

function create(o: ServerOptions) {
  return Fastify({
    loggerInstance: o.logger as FastifyBaseLogger,
    logController: new LogController({ disableRequestLogging: true, requestIdLogLabel: 'requestId' }),
    childLoggerFactory: requestLogger,
    genReqId: requestIds(o.identityKeys !== undefined),
    bodyLimit: o.bodyLimit ?? BODY_LIMIT,
    trustProxy: o.trustedProxies?.length ? o.trustedProxies : false,
    // While draining, requests that still arrive on open connections are served, and told to close the connection.
    return503OnClosing: false,
    forceCloseConnections: 'idle',
    schemaController: { compilersFactory: { buildValidator: validatorFactory() } },
    frameworkErrors: (error, request, reply) => {
      const rejection = toAppError(error)
      const body = withErrorField(rejection.toBody(), o.errorFieldPaths, request.url)
      ;(reply as FastifyReply).code(rejection.status).send(body)
    },
    clientErrorHandler: (_error, socket) => {
      if (!socket.writable) return socket.destroy()
      const head = 'HTTP/1.1 400 Bad Request\r\nConnection: close\r\nContent-Type: application/json'
      socket.end(`${head}\r\nContent-Length: ${RAW_BAD_REQUEST.length}\r\n\r\n${RAW_BAD_REQUEST}`)
    },
  }).withTypeProvider<TypeBoxTypeProvider>()
}

type Bare = ReturnType<typeof create>

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

function sendErrors(app: Bare, errorFieldPaths: string[] | undefined): void {
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
 * While draining, each answer ends its connection, so that whoever keeps it open goes to another replica; new requests
 * are served as before. After `lameDuckMs` connections end as soon as nobody waits on them: one that is idle then was not
 * used for so long that hardly anybody sends on it in that moment. Node closes those that are idle when it begins, but
 * neither those whose request is answered later, nor those that have never sent anything: browsers open them ahead of need.
 */
function closeConnections(app: Bare): void {
  const open = new Set<Socket>()
  let closing = false
  let sweep: NodeJS.Timeout | undefined
  app.decorate('lameDuckMs', 0)
  app.server.on('connection', (socket: Socket) => {
    open.add(socket)
    socket.once('close', () => open.delete(socket))
  })
  app.addHook('onSend', (_request, reply, answer, done) => {
    if (closing) reply.header('connection', 'close')
    done(null, answer)
  })
  app.addHook('preClose', async () => {
    closing = true
    if (app.lameDuckMs > 0 && app.server.listening) await delay(app.lameDuckMs)
    for (const socket of open) if (socket.bytesRead === 0) socket.destroy()
    // For answers that had begun before.
    sweep = setInterval(() => app.server.closeIdleConnections(), IDLE_CHECK_MS)
  })
  app.addHook('onClose', async () => clearInterval(sweep))
}

/** Traces requests when telemetry does so; the work of a request then belongs to its span. */
async function traceRequests(app: Bare): Promise<void> {
  const plugin = httpTracingPlugin()
  if (!plugin) return
  await app.register(plugin)
  // Reading a body continues in the connection's own context, so the request's is entered again after it.
  app.addHook('preValidation', (request, _reply, done) => {
    const own = request.opentelemetry().context
    if (own) context.with(own, done)
    else done()
  })
}

/**
 * An HTTP server with the error model, identity check, request ids, logs, metrics, traces and OpenAPI.
 * Each route says who may call it with `config: { access: 'public' | 'user' | 'admin' }`; one that does not is
 * refused when it is added. `config: { quiet: true }` is for hot paths: successes are logged and traced by sample.
 */
export async function buildServer(o: ServerOptions) {
  const app = create(o)
  await traceRequests(app)
  observeRequests(app)
  accessRules(app, o.identityKeys)
  sendErrors(app, o.errorFieldPaths)
  closeConnections(app)
  await app.register(fastifySwagger, {
    openapi: { openapi: '3.1.0', info: { title: o.title ?? o.name, version: '1' } },
  })
  return app
}

/** Where a server listens and how it leaves; the settings of every service have it all. */
export interface ServeOptions {
  host: string
  port: number
  lameDuckSeconds?: number
  drainSeconds?: number
}

/**
 * Listens, and closes when the process drains: for `lameDuckSeconds` all is served and connections are told to end, then
 * there are no new ones, and requests in progress have `drainSeconds` to end.
 */
export async function serve(life: Lifetime, app: App, o: ServeOptions): Promise<void> {
  app.lameDuckMs = (o.lameDuckSeconds ?? 0) * 1000
  const limitMs = app.lameDuckMs + (o.drainSeconds ?? 10) * 1000
  life.defer('http', () => app.close(), limitMs)
  const address = await app.listen({ host: o.host, port: o.port })
  life.logger.info({ address }, 'listening')
}

/** Writes the OpenAPI document of a server to a file, relative to the working directory. */
export async function writeOpenApi(app: App, file: string): Promise<void> {
  await app.ready()
  await writeFile(resolve(file), `${JSON.stringify(app.swagger(), null, 2)}\n`)
}
