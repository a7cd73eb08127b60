import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { json } from 'node:stream/consumers'

export interface Span {
  service: string
  name: string
  traceId: string
  spanId: string
  parentSpanId?: string
  attributes: { key: string; value: { stringValue?: string } }[]
}

interface Exported {
  resourceSpans: { resource: Pick<Span, 'attributes'>; scopeSpans: { spans: Omit<Span, 'service'>[] }[] }[]
}

/** An OTLP/HTTP receiver that keeps all spans in memory. */
export async function startTraceCollector() {
  const spans: Span[] = []
  const server = createServer(async (request, response) => {
    const { resourceSpans } = (await json(request)) as Exported
    for (const { resource, scopeSpans } of resourceSpans ?? []) {
      const service = textOf(resource, 'service.name') ?? ''
      for (const span of scopeSpans.flatMap((scope) => scope.spans)) spans.push({ ...span, service })
    }
    response.end('{}')
  })
  await once(server.listen(0, '127.0.0.1'), 'listening')
  return {
    spans,
    /** Environment with which a process sends its spans here without delay. */
    env: {
      OTEL_EXPORTER_OTLP_ENDPOINT: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
      OTEL_EXPORTER_OTLP_PROTOCOL: 'http/json',
      OTEL_BSP_SCHEDULE_DELAY: '100',
    },
    /** A span and its ancestors, root first, as "service: name"; "?" for a span that was not received. */
    pathTo(span: Span): string[] {
      const parent = spans.find(({ spanId, traceId }) => spanId === span.parentSpanId && traceId === span.traceId)
      if (span.parentSpanId && !parent) return ['?', labelOf(span)]
      return [...(parent ? this.pathTo(parent) : []), labelOf(span)]
    },
    close: () => server.close(),
  }
}

export function textOf({ attributes }: Pick<Span, 'attributes'>, key: string): string | undefined {
  return attributes.find((attribute) => attribute.key === key)?.value.stringValue
}

/** Names requests, which are all called "request", by route. Any relay of a service may publish an event. */
function labelOf(span: Span): string {
  if (span.name.startsWith('publish ')) return span.name
  return `${span.service}: ${textOf(span, 'http.route') ?? span.name}`
}
