import { FastifyOtelInstrumentation } from '@fastify/otel'
import type { Attributes, Context, SpanKind } from '@opentelemetry/api'
import { UndiciInstrumentation } from '@opentelemetry/instrumentation-undici'
import { NodeSDK, tracing } from '@opentelemetry/sdk-node'
import type { FastifyPluginCallback } from 'fastify'

const { AlwaysOnSampler, ParentBasedSampler, TraceIdRatioBasedSampler } = tracing

const QUIET_RATIO = 1 / 1000

/** Samples everything, and quiet routes by a ratio of trace ids, so that all processes sample the same traces. */
class RouteSampler implements tracing.Sampler {
  #all = new AlwaysOnSampler()
  #few = new TraceIdRatioBasedSampler(QUIET_RATIO)
  #quietRoutes: ReadonlySet<string>

  constructor(quietRoutes: ReadonlySet<string>) {
    this.#quietRoutes = quietRoutes
  }

  shouldSample(parent: Context, traceId: string, _name: string, _kind: SpanKind, attributes: Attributes) {
    const route = `${attributes['http.request.method']} ${attributes['http.route']}`
    return this.#quietRoutes.has(route) ? this.#few.shouldSample(parent, traceId) : this.#all.shouldSample()
  }

  toString(): string {
    return 'RouteSampler'
  }
}

interface Tracing {
  httpPlugin(): FastifyPluginCallback
  stop(): Promise<void>
}

/** Sends traces by OTLP over HTTP to OTEL_EXPORTER_OTLP_ENDPOINT. Quiet routes are written as "METHOD pattern". */
export function startTracing(name: string, quietRoutes: ReadonlySet<string>): Tracing {
  const sampler = new RouteSampler(quietRoutes)
  const http = new FastifyOtelInstrumentation({ instrumentHooks: false, instrumentHandler: false })
  const sdk = new NodeSDK({
    serviceName: name,
    autoDetectResources: false,
    // The caller's decision is kept, except that no caller can have all requests of a hot path traced.
    sampler: new ParentBasedSampler({ root: sampler, remoteParentSampled: sampler }),
    instrumentations: [http, new UndiciInstrumentation()],
  })
  sdk.start()
  return { httpPlugin: () => http.plugin() as FastifyPluginCallback, stop: () => sdk.shutdown() }
}
