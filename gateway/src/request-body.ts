import type { IncomingMessage } from 'node:http'
import { PassThrough } from 'node:stream'
import { payloadTooLarge } from '@skyfolio/kit'

export const tooLarge = 'The request is too large.'

/**
 * The body of a client's request as a stream for the service behind. When the service answers before it has read
 * all, the rest is read and dropped: a client that is cut off in the middle of sending would not see the answer.
 * When the client goes away or sends more than `maxBytes`, the stream fails and so ends the request to the service.
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
    request.resume()
  })
  // The request to the service reports the failure; without a listener Node would end the process.
  body.on('error', () => {})
  return body
}
