import type { OutgoingHttpHeaders } from 'node:http'
import type { BatchClient, BatchedResponse } from '@skyfolio/kit'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { cookiesFor, responseHeaders } from './headers.ts'
import type { ServiceName } from './route-table.ts'

export interface BatchTarget {
  client: BatchClient
  service: ServiceName
}

type ForwardAlone = () => FastifyReply | Promise<FastifyReply>

const JSON_TYPE = 'application/json; charset=utf-8'

/** Forwards a request in the next batch; on its own where that cannot be. */
export async function forwardInBatch(
  request: FastifyRequest,
  reply: FastifyReply,
  target: BatchTarget,
  forwardAlone: ForwardAlone,
): Promise<string | Buffer | FastifyReply> {
  const response = await sendInBatch(request, target)
  if (!response) return forwardAlone()
  const content = setResponse(reply, response)
  return content.length > 0 ? content : reply.send()
}

/**
 * Forwards a vote like `forwardInBatch`, but its response does not pass the hooks of `onSend` where they have nothing to do for
 * it: with the promises of the handler they cost a tenth of the gateway's time.
 */
export function forwardVote(
  request: FastifyRequest,
  reply: FastifyReply,
  target: BatchTarget,
  forwardAlone: ForwardAlone,
): void {
  sendInBatch(request, target)
    .then((response) => {
      if (!response) return forwardAlone()
      const content = setResponse(reply, response)
      // Of `onSend` there is one more hook in the gateway, for responses before the end of a body.
      const isDirect = reply.server.mayRespondDirectly && request.raw.complete
      if (isDirect && typeof content === 'string') respondDirectly(reply, content)
      else reply.send(content.length > 0 ? content : undefined)
    })
    .catch((error) => reply.send(error))
}

function sendInBatch(
  { id, identity, params, query, body, headers }: FastifyRequest,
  { client, service }: BatchTarget,
): Promise<BatchedResponse | null> {
  const kept = {
    cookie: cookiesFor(service, headers.cookie),
    'accept-encoding': headers['accept-encoding'],
    'if-none-match': headers['if-none-match'],
    // Node joins repeated headers of this kind to one text.
    'x-share-code': headers['x-share-code'] as string | undefined,
    'x-embed': headers['x-embed'] as string | undefined,
  }
  return client.send({ id, identity, params, query, body, headers: kept })
}

/** Sets status and headers of the response, and returns its body. */
function setResponse(reply: FastifyReply, [status, content, headers]: BatchedResponse): string | Buffer {
  reply.code(status)
  if (typeof content === 'string') reply.type(JSON_TYPE)
  if (headers) reply.headers(responseHeaders(headers))
  return content
}

function respondDirectly(reply: FastifyReply, text: string): void {
  const headers = reply.getHeaders() as OutgoingHttpHeaders
  headers['content-length'] = Buffer.byteLength(text)
  reply.raw.writeHead(reply.statusCode, headers)
  // Only now: a header that is not valid is still an error with a response.
  reply.hijack()
  reply.raw.end(text)
}
