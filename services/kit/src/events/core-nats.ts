import {
  create,
  type DescMessage,
  fromBinary,
  type MessageInitShape,
  type MessageShape,
  toBinary,
} from '@bufbuild/protobuf'
import { headers, type Msg, type MsgHdrs, type NatsConnection, type Subscription } from '@nats-io/transport-node'
import type { RequestReply, Topic } from '@skyfolio/proto'
import { unavailable } from '../http/errors.ts'
import type { Logger } from '../process/logger.ts'
import { continueTrace, traceHeaders } from '../telemetry/trace-context.ts'

/** The binary form of a message. */
export function encode<Schema extends DescMessage>(schema: Schema, message: MessageInitShape<Schema>): Uint8Array {
  return toBinary(schema, create(schema, message))
}

/** NATS headers of a plain record. */
export function toHeaders(record: Record<string, string>): MsgHdrs {
  const result = headers()
  for (const [name, value] of Object.entries(record)) result.set(name, value)
  return result
}

/** A plain record of NATS headers. */
export function fromHeaders(source: MsgHdrs | undefined): Record<string, string> {
  return Object.fromEntries((source?.keys() ?? []).map((name) => [name, source?.get(name) ?? '']))
}

/** A subscription that runs until it is stopped. */
export interface NatsSubscription {
  /** Takes no more messages; resolves when those already received are handled. */
  stop(): Promise<void>
}

/**
 * Handles each message as it arrives. On stop, messages that the server has already sent are still handled: no other
 * process receives them.
 */
function handleMessages(subscription: Subscription, handle: (message: Msg) => Promise<void>): NatsSubscription {
  const running = new Set<Promise<void>>()
  const receiving = (async () => {
    for await (const message of subscription) {
      const work: Promise<void> = handle(message).finally(() => running.delete(work))
      running.add(work)
    }
  })()
  return {
    async stop() {
      await subscription.drain()
      await receiving
      await Promise.all(running)
    },
  }
}

/** Publishes a message that may be lost. Never throws for a lost connection. */
export function publishHint<Schema extends DescMessage>(
  nats: NatsConnection,
  topic: Topic<Schema>,
  message: MessageInitShape<Schema>,
): void {
  if (nats.isClosed() || nats.isDraining()) return
  nats.publish(topic.subject, encode(topic.schema, message))
}

/** Subscribes without durability: to hints, or to events as hints (each process receives every message). */
export function onHint<Schema extends DescMessage>(
  nats: NatsConnection,
  topic: Topic<Schema>,
  handler: (message: MessageShape<Schema>) => void | Promise<void>,
  logger?: Logger,
): NatsSubscription {
  const subscription = nats.subscribe(topic.subject)
  const work = async (data: Uint8Array) => handler(fromBinary(topic.schema, data))
  return handleMessages(subscription, (message) =>
    work(message.data).catch((error) => logger?.warn({ err: error, subject: topic.subject }, 'hint not handled')),
  )
}

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
