import { promisify } from 'node:util'
import type { FastifyBaseLogger, FastifyInstance } from 'fastify'
import { metrics } from '../telemetry/metrics.ts'
import { quietRoutes, telemetryEnabled } from '../telemetry/telemetry.ts'

declare module 'fastify' {
  interface FastifyRequest {
    /** The error code of the response. */
    errorCode: string | undefined
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
}

const connections = metrics.gauge('skyfolio_http_connections', 'Open HTTP connections of clients')
const rejections = metrics.counter('skyfolio_http_refusals_total', 'Requests rejected by this process, by error code', [
  'code',
])

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

function logOutcome(log: FastifyBaseLogger, { code, ...outcome }: Outcome, sampled?: number): void {
  const ms = Math.round(outcome.ms * 10) / 10
  log.info({ ...outcome, ms, ...(code && { code }), ...(sampled && { sampled }) }, 'request')
}

/** Measures and logs a finished request; successes of quiet routes are sampled in the log. */
export function observeOutcome(outcome: Outcome, quiet: boolean, log: () => FastifyBaseLogger): void {
  if (telemetryEnabled()) measure(outcome)
  if (!quiet || outcome.status >= 400) logOutcome(log(), outcome)
  else if (quietCount++ % QUIET_SAMPLE === 0) logOutcome(log(), outcome, QUIET_SAMPLE)
}

/** One log line and one measurement for each request, and its id in the response. */
// biome-ignore lint/suspicious/noExplicitAny: any kind of Fastify instance will do
export function observeRequests(app: FastifyInstance<any, any, any, any, any>): void {
  app.decorateRequest('errorCode')
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
    const { method, errorCode: code } = request
    const outcome = { method, route: url, status: reply.statusCode, ms: reply.elapsedTime, code }
    observeOutcome(outcome, config?.quiet === true, () => request.log)
    done()
  })
}
