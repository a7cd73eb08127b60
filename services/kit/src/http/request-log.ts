import { promisify } from 'node:util'
import type { FastifyBaseLogger, FastifyInstance } from 'fastify'
import { createRepeatedLines, type LineLogger, type RepeatedLines } from '../process/repeated-lines.ts'
import { metrics } from '../telemetry/metrics.ts'
import { quietRoutes, telemetryEnabled } from '../telemetry/telemetry.ts'
import { networkOf } from './client-network.ts'

declare module 'fastify' {
  interface FastifyRequest {
    /** The error code of the response. */
    errorCode: string | undefined
    /** The limit that was reached, where that is why the request was rejected. */
    reachedLimit: string | undefined
  }
  interface FastifyInstance {
    repeatedLines: RepeatedLines
  }
}

/** Of the successes of quiet routes, one in this many is logged. */
const QUIET_SAMPLE = 1000

const durations = metrics.histogram(
  'skyfolio_http_request_duration_seconds',
  'Time from the first byte of a request to the last byte of its response, by route pattern and status class (2xx)',
  ['method', 'route', 'status'],
  [0.002, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 10],
)

/** How a request ended. */
interface Outcome {
  method: string
  /** The pattern, not the URL, which contains share codes and coordinates. */
  route: string
  status: number
  ms: number
  code: string | undefined
  limit: string | undefined
  /** The address of the client. */
  address: string
}

const connections = metrics.gauge('skyfolio_http_connections', 'Open HTTP connections of clients')
const rejections = metrics.counter(
  'skyfolio_http_rejections_total',
  'Requests rejected by this process, by error code',
  ['code'],
)

const rateLimited = metrics.counter(
  'skyfolio_rate_limited_total',
  'Requests rejected with 429 or 503, by the limit reached',
  ['limit'],
)

/** Shows limits in the metrics before the first request reaches them. */
export function declareLimits(limits: Iterable<string>): void {
  for (const limit of limits) rateLimited.inc({ limit }, 0)
}

// Looking up a metric by its labels costs more than observing it.
const measured = new Map<string, { observe(seconds: number): void }>()

function measure({ method, route, status, ms, code }: Outcome): void {
  const hundreds = Math.floor(status / 100)
  const key = `${method} ${hundreds} ${route}`
  let duration = measured.get(key)
  if (!duration) {
    duration = durations.labels({ method, route, status: `${hundreds}xx` })
    measured.set(key, duration)
  }
  duration.observe(ms / 1000)
  if (code) rejections.inc({ code })
}

let quietCount = 0

function fieldsOf({ method, route, status, ms, code }: Outcome) {
  return { method, route, status, ms: Math.round(ms * 10) / 10, ...(code && { code }) }
}

/** Counts all, and logs who is limited: a client that is told to slow down must not fill the log instead. */
function reportLimit(outcome: Outcome, log: () => LineLogger, lines: RepeatedLines): void {
  const { method, route, limit, address } = outcome
  if (limit) rateLimited.inc({ limit })
  lines.log(
    {
      // Of a response that the gateway forwards, the service knows the limit.
      kind: `limit ${limit ?? `${method} ${route}`}`,
      network: networkOf(address),
      level: 'warn',
      fields: { ...fieldsOf(outcome), ...(limit && { limit }) },
      message: 'request rejected by a limit',
    },
    log,
  )
}

function logOutage(outcome: Outcome, log: () => LineLogger, lines: RepeatedLines): void {
  const kind = `request ${outcome.status} ${outcome.method} ${outcome.route}`
  lines.log({ kind, level: 'info', fields: fieldsOf(outcome), message: 'request' }, log)
}

/** Measures and logs a finished request. Of the successes of quiet routes a sample is logged, repeated rejections and outages are counted. */
export function observeOutcome(
  outcome: Outcome,
  quiet: boolean,
  log: () => FastifyBaseLogger,
  repeatedLines: RepeatedLines,
): void {
  if (telemetryEnabled()) measure(outcome)
  if (outcome.status === 429 || outcome.limit) reportLimit(outcome, log, repeatedLines)
  else if (outcome.status > 500) logOutage(outcome, log, repeatedLines)
  else if (!quiet || outcome.status >= 400) log().info(fieldsOf(outcome), 'request')
  else if (quietCount++ % QUIET_SAMPLE === 0) log().info({ ...fieldsOf(outcome), sampled: QUIET_SAMPLE }, 'request')
}

/** One log line and one measurement for each request, and its id in the response. */
// biome-ignore lint/suspicious/noExplicitAny: any kind of Fastify instance will do
export function observeRequests(app: FastifyInstance<any, any, any, any, any>): void {
  app.decorateRequest('errorCode')
  app.decorateRequest('reachedLimit')
  const repeatedLines = createRepeatedLines(app.log)
  app.decorate('repeatedLines', repeatedLines)
  app.addHook('onClose', async () => repeatedLines.close())
  app.addHook('onRoute', (route) => {
    if (route.config?.quiet) for (const method of [route.method].flat()) quietRoutes.add(`${method} ${route.url}`)
  })
  app.addHook('onRequest', (request, reply, done) => {
    reply.header('x-request-id', request.id)
    done()
  })
  metrics.onScrape('http connections', async () => {
    const count = await promisify<number>((done) => app.server.getConnections(done))()
    return [[connections, count]]
  })
  app.addHook('onResponse', (request, reply, done) => {
    const { url = 'unknown', config } = request.routeOptions
    const { method, errorCode: code, reachedLimit: limit } = request
    const address = request.identity?.address ?? request.ip
    const outcome = { method, route: url, status: reply.statusCode, ms: reply.elapsedTime, code, limit, address }
    observeOutcome(outcome, config?.quiet === true, () => request.log, repeatedLines)
    done()
  })
}

const METHODS = ['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent', 'child'] as const
type Methods = Record<(typeof METHODS)[number], unknown>
type Made = Record<(typeof METHODS)[number], (...given: unknown[]) => unknown>

/** The logger of one request, created with its first line: on hot paths most requests write none. */
class RequestLogger {
  make: () => Made
  made: Made | undefined

  constructor(make: () => Made) {
    this.make = make
  }
}

for (const method of METHODS) {
  ;(RequestLogger.prototype as Partial<Methods>)[method] = function (this: RequestLogger, ...given: unknown[]) {
    this.made ??= this.make()
    return this.made[method](...given)
  }
}

/** Fastify's child loggers, each created on first use. */
export function requestLogger(parent: FastifyBaseLogger, ...given: Parameters<FastifyBaseLogger['child']>) {
  return new RequestLogger(() => parent.child(...given) as unknown as Made) as unknown as FastifyBaseLogger
}
