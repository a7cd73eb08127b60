import type { IncomingMessage } from 'node:http'
import { PassThrough, Readable } from 'node:stream'
import { enforceMinimumRate, payloadTooLarge } from '@skyfolio/kit'
import type { FastifyReply, FastifyRequest } from 'fastify'

export const TOO_LARGE = 'The request is too large.'

/** How much of a rejected body is still read and discarded, and for how long. */
export interface DiscardLimits {
  bytes: number
  ms: number
}

export interface ForwardableBodyOptions {
  maxBytes?: number | undefined
  /** How far the client may fall behind the minimum rate. */
  stallMs: number
}

/** Below that of media, which knows what it waits for: this one holds whatever a service does. */
export const MIN_UPLOAD_RATE = 1024

/**
 * Returns the body of an upload as a stream for the service. When the client disconnects, stalls or sends more than
 * `maxBytes`, the stream fails, which ends the request to the service.
 */
export function forwardableBody(request: IncomingMessage, options: ForwardableBodyOptions): PassThrough {
  const { maxBytes = Number.POSITIVE_INFINITY, stallMs } = options
  const body = new PassThrough()
  request.once('close', enforceMinimumRate(request, { stallMs, minRate: MIN_UPLOAD_RATE }))
  let bytes = 0
  request.on('data', (chunk: Buffer) => {
    bytes += chunk.length
    if (bytes > maxBytes) body.destroy(payloadTooLarge(TOO_LARGE))
  })
  request.pipe(body)
  request.once('close', () => {
    if (!request.complete) body.destroy(new Error('The client disconnected'))
  })
  body.once('close', () => {
    request.unpipe(body)
    // Discard the rest; `respondBeforeBodyEnds` bounds how much.
    request.resume()
  })
  // The request to the service reports the error; without a listener it would be unhandled.
  body.on('error', () => {})
  return body
}

/** Resolves when the request has ended, the client has disconnected, or a limit is reached. */
function bodyDiscarded(request: IncomingMessage, { bytes, ms }: DiscardLimits): Promise<void> {
  const { socket } = request
  const end = { bytes: socket.bytesRead + bytes, at: performance.now() + ms }
  return new Promise((resolve) => {
    const check = () => {
      const mayContinue = socket.bytesRead < end.bytes && performance.now() < end.at
      if (mayContinue && !request.complete && !socket.destroyed) return
      clearInterval(timer)
      request.off('data', check)
      resolve()
    }
    const timer = setInterval(check, 100)
    // Between two ticks a fast client can send far more than `bytes`.
    request.on('data', check)
  })
}

async function* sendThenDiscard(payload: unknown, request: IncomingMessage, limits: DiscardLimits) {
  const discarded = bodyDiscarded(request, limits)
  if (payload instanceof Readable) yield* payload
  else if (payload) yield payload as string | Buffer
  await discarded
}

/**
 * Sends a response that is ready before the client has sent its whole body at once, as the last one of its connection,
 * which is closed after the rest of the body has been read and discarded: browsers read only after sending, and might
 * miss the response if the connection ended earlier. Beyond `limits` the connection is closed.
 */
export function respondBeforeBodyEnds(
  { raw }: FastifyRequest,
  reply: FastifyReply,
  payload: unknown,
  limits: DiscardLimits,
): unknown {
  if (raw.complete) return payload
  const hasBody = Number(raw.headers['content-length'] ?? 0) > 0 || raw.headers['transfer-encoding'] !== undefined
  if (!hasBody) return payload
  if (typeof payload === 'string' || Buffer.isBuffer(payload)) {
    reply.header('content-length', Buffer.byteLength(payload))
  }
  reply.header('connection', 'close')
  // Nothing reads the body yet.
  if (raw.readableFlowing === null) raw.resume()
  return Readable.from(sendThenDiscard(payload, raw, limits), { objectMode: false })
}
