import { context, propagation, SpanKind, SpanStatusCode, TraceFlags, trace } from '@opentelemetry/api'

const tracer = trace.getTracer('skyfolio-bus')

/** The current trace as message headers (W3C); empty when tracing is off. */
export function traceHeaders(): Record<string, string> {
  const carrier: Record<string, string> = {}
  propagation.inject(context.active(), carrier)
  return carrier
}

/** The current trace if it is sampled, else undefined. For hot paths, where most are not. */
export function sampledTrace(): Record<string, string> | undefined {
  const span = trace.getActiveSpan()?.spanContext()
  return span && span.traceFlags & TraceFlags.SAMPLED ? traceHeaders() : undefined
}

/** Runs `work` in a span that continues the trace in `headers`. */
export function continueTrace<T>(
  headers: Record<string, string>,
  name: string,
  work: () => Promise<T>,
  kind = SpanKind.CONSUMER,
): Promise<T> {
  const parent = propagation.extract(context.active(), headers)
  return tracer.startActiveSpan(name, { kind }, parent, async (span) => {
    try {
      return await work()
    } catch (error) {
      span.recordException(error as Error)
      span.setStatus({ code: SpanStatusCode.ERROR })
      throw error
    } finally {
      span.end()
    }
  })
}
