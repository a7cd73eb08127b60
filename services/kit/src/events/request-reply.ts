import { type DescMessage, fromBinary, type MessageInitShape, type MessageShape } from '@bufbuild/protobuf'
import type { NatsConnection } from '@nats-io/transport-node'
import type { RequestReply } from '@skyfolio/proto'
import { unavailable } from '../http/errors.ts'
import type { Logger } from '../process/logger.ts'
import { continueTrace, traceHeaders } from '../telemetry/trace-context.ts'
import { encode, fromHeaders, toHeaders } from './messages.ts'
import { handleMessages, type NatsSubscription } from './subscription.ts'

const ERROR_HEADER = 'Skyfolio-Error'

/** Sends a request to the service that serves `contract`. @throws AppError 503 without a response in `timeoutMs` */
export async function sendRequest<Request extends DescMessage, Response extends DescMessage>(
  nats: NatsConnection,
  contract: RequestReply<Request, Response>,
  request: MessageInitShape<Request>,
  options: { timeoutMs: number },
): Promise<MessageShape<Response>> {
  try {
    const reply = await nats.request(contract.subject, encode(contract.request, request), {
      timeout: options.timeoutMs,
      headers: toHeaders(traceHeaders()),
    })
    const failure = reply.headers?.get(ERROR_HEADER)
    if (failure) throw new Error(failure)
    return fromBinary(contract.response, reply.data)
  } catch (error) {
    throw Object.assign(unavailable(), { cause: error })
  }
}

/** Serves the requests of `contract`; of all processes that serve it, one receives each request. */
export function serveRequests<Request extends DescMessage, Response extends DescMessage>(
  nats: NatsConnection,
  contract: RequestReply<Request, Response>,
  handler: (request: MessageShape<Request>) => Promise<MessageInitShape<Response>>,
  logger?: Logger,
): NatsSubscription {
  const subscription = nats.subscribe(contract.subject, { queue: contract.subject })
  return handleMessages(subscription, (message) =>
    continueTrace(fromHeaders(message.headers), `answer ${contract.subject}`, async () => {
      const response = await handler(fromBinary(contract.request, message.data))
      message.respond(encode(contract.response, response))
    }).catch((error) => {
      logger?.error({ err: error, subject: contract.subject }, 'request failed')
      message.respond(new Uint8Array(), { headers: toHeaders({ [ERROR_HEADER]: 'the serving process failed' }) })
    }),
  )
}
