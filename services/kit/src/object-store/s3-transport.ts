import http from 'node:http'
import https from 'node:https'

export interface TransportLimits {
  /** How long a request may wait for a connection, and how long a connection may stall. */
  timeoutMs: number
  /** Maximum of open connections; further requests wait. */
  connections: number
}

/** No data from the store within the timeout. */
class StoreTimeout extends Error {
  // `isUnavailable` recognises this name.
  override name = 'TimeoutError'
}

/** Unused connections are closed before servers and firewalls forget them. */
const UNUSED_MS = 5_000

/** Responses of an unavailable store, which the S3 client drops without reading their bodies; it reads that of a full one. */
function isUnread({ statusCode = 0 }: http.IncomingMessage): boolean {
  return (statusCode >= 500 && ![501, 507].includes(statusCode)) || [408, 429, 499].includes(statusCode)
}

/** Whether the store is silent because it has not got the whole request: the body is slow. */
function isWaitingForBody(request: http.ClientRequest): boolean {
  const { socket } = request
  const isFull = request.writableNeedDrain || socket?.writableNeedDrain
  return !request.writableEnded && !isFull && socket?.connecting === false
}

/**
 * Ends the request when the store sends nothing for too long. Neither a slow reader nor a slow body counts as a silent
 * store: who brings it ends it.
 */
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
    if (response ? response.readableLength > 0 : isWaitingForBody(request)) request.setTimeout(timeoutMs)
    else (response ?? request).destroy(error())
  })
  return request
}

/** The transport of the S3 client: with timeouts, and with a bounded number of connections. */
export function boundedTransport(secure: boolean, limits: TransportLimits) {
  const { Agent, request } = secure ? https : http
  const send = (options: https.RequestOptions, answered: (response: http.IncomingMessage) => void) =>
    watch(request(options, answered), limits.timeoutMs)
  return {
    transport: { request: send as typeof http.request },
    transportAgent: new Agent({ keepAlive: true, maxSockets: limits.connections, timeout: UNUSED_MS }),
  }
}
