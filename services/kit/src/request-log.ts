import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { metrics } from './metrics.ts'
import { quietRoutes, telemetryEnabled } from './telemetry.ts'

declare module 'fastify' {
  interface FastifyRequest {
    /** The code of the refusal that answers this request. */
    errorCode: string | undefined
  }
}

/** Of the successes of quiet routes, one in this many is logged. */
const QUIET_SAMPLE = 1000

const durations = metrics.histogram(
  'http_request_duration_seconds',
  'Time from the first byte of a request to the last of its answer',
  ['method', 'route', 'status'],
  [0.002, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 10],
)

function logRequest(request: FastifyRequest, reply: FastifyReply, sampled: number | undefined): void {
  // The pattern, not the URL: share codes and queries with coordinates are in the latter.
  const route = request.routeOptions.url ?? 'unknown'
  const fields = {
    method: request.method,
    route,
    status: reply.statusCode,
    ms: Math.round(reply.elapsedTime * 10) / 10,
    ...(request.errorCode && { code: request.errorCode }),
    ...(sampled && { sampled }),
  }
  request.log.info(fields, 'request')
}

/** One log line and one measurement for each request, and its id in the answer. */
// biome-ignore lint/suspicious/noExplicitAny: any kind of Fastify instance will do
export function observeRequests(app: FastifyInstance<any, any, any, any, any>): void {
  let quietCount = 0
  app.decorateRequest('errorCode')
  app.addHook('onRoute', (route) => {
    if (route.config?.quiet) for (const method of [route.method].flat()) quietRoutes.add(`${method} ${route.url}`)
  })
  app.addHook('onRequest', (request, reply, done) => {
    reply.header('x-request-id', request.id)
    done()
  })
  app.addHook('onResponse', (request, reply, done) => {
    const { url, config } = request.routeOptions
    if (telemetryEnabled()) {
      durations.observe(
        { method: request.method, route: url ?? 'unknown', status: reply.statusCode },
        reply.elapsedTime / 1000,
      )
    }
    const quiet = config?.quiet === true && reply.statusCode < 300
    if (!quiet) logRequest(request, reply, undefined)
    else if (quietCount++ % QUIET_SAMPLE === 0) logRequest(request, reply, QUIET_SAMPLE)
    done()
  })
}
