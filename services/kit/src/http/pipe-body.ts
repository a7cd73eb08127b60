import type { ClientRequest, IncomingMessage } from 'node:http'
import type { Socket } from 'node:net'
import { freeBuffersOf } from '../process/free-buffers.ts'

/**
 * Sends the body of a request as that of another one, at its pace and from socket to socket; both have the same Content-Length. Node's
 * own `write` of a request checks, corks and schedules each chunk, which a body of known length does not need: that would be a tenth of
 * the CPU time. Until there is a connection nothing is read. Returns a function that ends it and leaves the rest of the body unread.
 */
export function pipeBody(body: IncomingMessage, outgoing: ClientRequest): () => void {
  let connection: Socket | undefined
  const end = () => outgoing.end()
  const start = (socket: Socket) => {
    connection = socket
    body.pipe(socket, { end: false })
    freeBuffersOf(body)
    // After the listener of `pipe`, which has given the connection back then.
    body.once('end', end)
  }
  // Says that nothing arrives because nobody reads (`isWaitingForServer`).
  body.pause()
  outgoing.once('socket', start)
  // Before the first chunk, which would be written before them.
  outgoing.flushHeaders()
  return () => {
    outgoing.off('socket', start)
    body.off('end', end)
    if (connection) body.unpipe(connection)
  }
}
