import { type Attributes, type Span, SpanStatusCode, trace } from '@opentelemetry/api'
import type { FastifyPluginCallback } from 'fastify'
import { collectProcessMetrics, renderMetrics } from './metrics.ts'

export interface Telemetry {
  /** Sends the remaining traces. */
  stop(): Promise<void>
}

export interface TelemetryOptions {
  version?: string
  /** Whether traces are sent; the SDK reads the endpoint and the rest of `OTEL_*` itself. */
  traces?: boolean
}

/** Routes with one traced request in a thousand, as "METHOD pattern". */
export const quietRoutes = new Set<string>()

let enabled = false
let httpTracing: (() => FastifyPluginCallback) | undefined

/**
 * Starts metrics and, where requested, traces. `runProcess` calls it before `main`.
 * The SDK takes some 30 MB of memory, so it is loaded only for traces.
 */
export async function startTelemetry(name: string, options: TelemetryOptions = {}): Promise<Telemetry> {
  if (enabled) return { stop: async () => {} }
  enabled = true
  collectProcessMetrics(name, options.version ?? 'unknown')
  if (!options.traces) return { stop: async () => {} }
  const { startTracing } = await import('./tracing.ts')
  const tracing = startTracing(name, quietRoutes)
  httpTracing = tracing.httpPlugin
  return { stop: tracing.stop }
}

/** Whether this process collects metrics. */
export function telemetryEnabled(): boolean {
  return enabled
}

/** A new plugin that traces the requests of an HTTP server; undefined when tracing is off. */
export function httpTracingPlugin(): FastifyPluginCallback | undefined {
  return httpTracing?.()
}

/** All metrics in Prometheus' text format; undefined before telemetry has started. */
export async function metricsText(): Promise<{ text: string; contentType: string } | undefined> {
  return enabled ? await renderMetrics() : undefined
}

/** Runs `work` inside a span that ends with it and records its failure. */
export function inSpan<T>(name: string, attributes: Attributes, work: (span: Span) => Promise<T>): Promise<T> {
  return trace.getTracer('skyfolio').startActiveSpan(name, { attributes }, async (span) => {
    try {
      return await work(span)
    } catch (error) {
      if (error instanceof Error) span.recordException(error)
      span.setStatus({ code: SpanStatusCode.ERROR, message: String(error) })
      throw error
    } finally {
      span.end()
    }
  })
}
