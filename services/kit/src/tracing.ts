import { FastifyOtelInstrumentation } from '@fastify/otel'
import type { Attributes, Context, Link, SpanKind } from '@opentelemetry/api'
import { UndiciInstrumentation } from '@opentelemetry/instrumentation-undici'
import { NodeSDK, tracing } from '@opentelemetry/sdk-node'
import type { FastifyPluginCallback } from 'fastify'
import { quietRoutes } from './telemetry.ts'

const { AlwaysOnSampler, ParentBasedSampler, TraceIdRatioBasedSampler } = tracing

const QUIET_RATIO = 1 / 1000

/** Everything, but of quiet routes a share chosen by trace id, so that all processes choose the same traces. */
class RouteSampler implements tracing.Sampler {
  #all = new AlwaysOnSampler()
  #few = new TraceIdRatioBasedSampler(QUIET_RATIO)

  shouldSample(
    parent: Context,
    traceId: string,
    _name: string,
    _kind: SpanKind,
    attributes: Attributes,
    _links: Link[],
  ) {
    const route = `${attributes['http.request.method']} ${attributes['http.route']}`
    return quietRoutes.has(route) ? this.#few.shouldSample(parent, traceId) : this.#all.shouldSample()
  }

  toString(): string {
    return 'RouteSampler'
  }
}

/** Sends traces by OTLP over HTTP to OTEL_EXPORTER_OTLP_ENDPOINT. */
export function startTracing(name: string): { httpPlugin(): FastifyPluginCallback; stop(): Promise<void> } {
  const http = new FastifyOtelInstrumentation({ instrumentHooks: false, instrumentHandler: false })
  const sdk = new NodeSDK({
    serviceName: name,
    autoDetectResources: false,
    // A caller's own decision holds, except that nobody can have all of a hot path traced.
    sampler: new ParentBasedSampler({ root: new RouteSampler(), remoteParentSampled: new RouteSampler() }),
    instrumentations: [http, new UndiciInstrumentation()],
  })
  sdk.start()
  return { httpPlugin: () => http.plugin() as FastifyPluginCallback, stop: () => sdk.shutdown() }
}
