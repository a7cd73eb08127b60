import http from 'node:http'
import https from 'node:https'

export interface TransportLimits {
  /** How long a request may wait for a connection, and how long nothing may move on one. */
  timeoutMs: number
  /** Most connections at the same time; further requests wait. */
  connections: number
}

/** The store kept silent. */
class StoreTimeout extends Error {
  // Known as a sign that the store is out of reach.
  override name = 'TimeoutError'
}

/** Unused connections are closed before servers and firewalls forget them. */
const UNUSED_MS = 5_000

/** Of a store that cannot answer now. The S3 client throws away such an answer without reading it. */
function isUnread({ statusCode = 0 }: http.IncomingMessage): boolean {
  return (statusCode >= 500 && statusCode !== 501) || [408, 429, 499].includes(statusCode)
}

/** Ends the request when the store is silent for too long. A reader that takes its time is not the store's fault. */
function watch(request: http.ClientRequest, timeoutMs: number): http.ClientRequest {
  const error = () => new StoreTimeout(`the object store was silent for ${timeoutMs} ms`)
  const queued = setTimeout(() => request.destroy(error()), timeoutMs)
  for (const event of ['socket', 'close']) request.once(event, () => clearTimeout(queued))

  let response: http.IncomingMessage | undefined
  request.once('response', (incoming) => {
    response = incoming
    if (isUnread(incoming)) incoming.resume()
  })
  request.setTimeout(timeoutMs)
  request.on('timeout', () => {
    if (!response) request.destroy(error())
    else if (response.readableLength === 0) response.destroy(error())
    else request.setTimeout(timeoutMs)
  })
  return request
}

/** What the S3 client shall send its requests with, so that none hangs and they share a bounded set of connections. */
export function boundedTransport(secure: boolean, limits: TransportLimits) {
  const { Agent, request } = secure ? https : http
  const send = (options: https.RequestOptions, answered: (response: http.IncomingMessage) => void) =>
    watch(request(options, answered), limits.timeoutMs)
  return {
    transport: { request: send as typeof http.request },
    transportAgent: new Agent({ keepAlive: true, maxSockets: limits.connections, timeout: UNUSED_MS }),
  }
}
