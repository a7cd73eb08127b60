import type { FastifyReply } from 'fastify'

export interface PageHeaders {
  path: string
  total: number
  /** Query of the next page; null on the last. */
  next: Record<string, string> | null
}

/** Sets `X-Total-Count` and, unless the page is the last, a `Link` to the next one. */
export function setPageHeaders(reply: FastifyReply, { path, total, next }: PageHeaders): void {
  reply.header('x-total-count', total).header('cache-control', 'private, no-store')
  if (next) reply.header('link', `<${path}?${new URLSearchParams(next)}>; rel="next"`)
}
