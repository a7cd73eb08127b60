import http from 'node:http'
import https from 'node:https'
import { Client, S3Error } from 'minio'

export interface S3Config {
  /** For example `http://127.0.0.1:9000`. */
  endpoint: string
  region: string
  bucket: string
  accessKeyId: string
  secretAccessKey: string
  /** How long a request may wait for a connection, and how long a connection may stall. */
  timeoutMs: number
  /** Maximum of open connections; further requests wait. */
  connections: number
  /** Where browsers send parts to the server. */
  direct: DirectConfig | null
  /** Called with what does not work as the operator may expect. */
  warn(what: string, error?: unknown): void
}

export interface DirectConfig {
  /** The server as browsers reach it. */
  publicEndpoint: string
  /** A key that may only put; null: temporary credentials. */
  uploadKey: { accessKeyId: string; secretAccessKey: string } | null
  stsEndpoint: string
  roleArn: string | undefined
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
  // A request passes on only the first timeout of its socket.
  request.once('socket', (socket) => {
    const onSilence = () => {
      if (response ? response.readableLength > 0 : isWaitingForBody(request)) socket.setTimeout(timeoutMs)
      else (response ?? request).destroy(error())
    }
    socket.setTimeout(timeoutMs)
    socket.on('timeout', onSilence)
    request.once('close', () => socket.off('timeout', onSilence))
  })
  return request
}

/**
 * The client of the S3 server: with time limits, with a bounded number of connections, and without retries of its own; and what
 * begins the requests that it cannot make.
 */
export function connect(config: S3Config) {
  const { endpoint, region, accessKeyId: accessKey, secretAccessKey: secretKey, timeoutMs, connections } = config
  const { hostname, port, protocol } = new URL(endpoint)
  const useSSL = protocol === 'https:'
  const { Agent, request } = useSSL ? https : http
  const agent = new Agent({ keepAlive: true, maxSockets: connections, timeout: UNUSED_MS })
  const send = (options: https.RequestOptions, answered: (response: http.IncomingMessage) => void) =>
    watch(request(options, answered), timeoutMs)
  const open = (url: string, options: https.RequestOptions) => watch(request(url, { ...options, agent }), timeoutMs)
  const client = new Client({
    ...{ endPoint: hostname, port: Number(port) || (useSSL ? 443 : 80), useSSL, region, accessKey, secretKey },
    // The caller decides what to retry, and when.
    retryOptions: { disableRetry: true },
    transport: { request: send as typeof http.request },
    transportAgent: agent,
  })
  return { client, open }
}

/** Amazon sends them with 200 or 400 as well: with a completion that took long, for example. */
const OUTAGE_CODES = [
  ...['InternalError', 'SlowDown', 'ServiceUnavailable', 'RequestTimeout', 'OperationAborted'],
  // This machine's clock is wrong.
  'RequestTimeTooSkewed',
]

export function codeOf(error: unknown): string | undefined {
  return (error as { code?: string }).code
}

/**
 * An error that `isUnavailable` recognizes, when the store failed, or when what answered was a proxy: the store says what it rejects.
 * The client makes `NotFound` of a 404 without a word.
 */
export function toOutage(error: unknown): unknown {
  if (!(error instanceof S3Error)) return error
  const code = codeOf(error)
  const isOutage = !code || code === 'NotFound' || OUTAGE_CODES.includes(code)
  return isOutage ? new Error(`Retryable HTTP status: ${code || 'none of an S3 server'}`, { cause: error }) : error
}
