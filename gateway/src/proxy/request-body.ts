import type { IncomingMessage } from 'node:http'
import { PassThrough, Readable } from 'node:stream'
import { payloadTooLarge } from '@skyfolio/kit'
import type { FastifyReply, FastifyRequest } from 'fastify'

export const tooLarge = 'The request is too large.'

/** How much of a body that nobody wants is still read, and for how long. */
export interface RestLimits {
  bytes: number
  ms: number
}

/**
 * The body of a client's request as a stream for the service behind. When the client goes away or sends more than
 * `maxBytes`, the stream fails and so ends the request to the service.
 */
export function forwardableBody(request: IncomingMessage, maxBytes = Number.POSITIVE_INFINITY): PassThrough {
  const body = new PassThrough()
  let bytes = 0
  request.on('data', (chunk: Buffer) => {
    bytes += chunk.length
    if (bytes > maxBytes) body.destroy(payloadTooLarge(tooLarge))
  })
  request.pipe(body)
  request.once('close', () => {
    if (!request.complete) body.destroy(new Error('The client went away'))
  })
  body.once('close', () => {
    request.unpipe(body)
    // Read on and drop: the answer's end bounds it.
    request.resume()
  })
  // The request to the service reports the failure; without a listener Node would end the process.
  body.on('error', () => {})
  return body
}

/** Resolves when the request has come to its end, the client has left, or what may still come is used up. */
function restOf(request: IncomingMessage, { bytes, ms }: RestLimits): Promise<void> {
  const { socket } = request
  const end = { bytes: socket.bytesRead + bytes, at: performance.now() + ms }
  return new Promise((resolve) => {
    const timer = setInterval(() => {
      const within = socket.bytesRead < end.bytes && performance.now() < end.at
      if (within && !request.complete && !socket.destroyed) return
      clearInterval(timer)
      resolve()
    }, 100)
  })
}

async function* thenWait(answer: unknown, request: IncomingMessage, limits: RestLimits) {
  const rest = restOf(request, limits)
  if (answer instanceof Readable) yield* answer
  else if (answer) yield answer as string | Buffer
  await rest
}

/**
 * An answer that comes before the client has sent everything goes out at once, but is the last on its connection, which
 * is closed when the rest has been read and dropped: browsers read only after sending, and one that is cut off in the
 * middle might not see the answer. Who sends more than `limits` is cut off.
 */
export function answerBeforeEnd(
  { raw }: FastifyRequest,
  reply: FastifyReply,
  answer: unknown,
  limits: RestLimits,
): unknown {
  if (raw.complete) return answer
  const announced = Number(raw.headers['content-length'] ?? 0) > 0 || raw.headers['transfer-encoding'] !== undefined
  if (!announced) return answer
  if (typeof answer === 'string' || Buffer.isBuffer(answer)) {
    reply.header('content-length', Buffer.byteLength(answer))
  }
  reply.header('connection', 'close')
  // Nobody has begun to read it.
  if (raw.readableFlowing === null) raw.resume()
  return Readable.from(thenWait(answer, raw, limits), { objectMode: false })
}
