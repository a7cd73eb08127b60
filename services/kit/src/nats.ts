import {
  create,
  type DescMessage,
  fromBinary,
  type MessageInitShape,
  type MessageShape,
  toBinary,
} from '@bufbuild/protobuf'
import { jetstreamManager, RetentionPolicy, StorageType } from '@nats-io/jetstream'
import {
  connect,
  headers,
  type Msg,
  type MsgHdrs,
  type NatsConnection,
  nanos,
  type Subscription,
} from '@nats-io/transport-node'
import type { Question, Topic } from '@skyfolio/proto'
import { unavailable } from './errors.ts'
import type { Logger } from './logger.ts'
import { continueTrace, traceHeaders } from './trace-context.ts'

export const EVENTS_STREAM = 'EVENTS'
export const DEAD_LETTERS_STREAM = 'DEADLETTERS'
const DAY = 24 * 3600 * 1000
const ERROR_HEADER = 'Skyfolio-Error'

/** Something that listens until it is told to stop. */
export interface Listener {
  /** Resolves when what was received before is handled. */
  stop(): Promise<void>
}

/** Connects, waiting for a server that is not up yet, and reconnects for ever. */
export function connectNats(url: string, name: string): Promise<NatsConnection> {
  return connect({
    servers: url,
    name,
    waitOnFirstConnect: true,
    maxReconnectAttempts: -1,
    reconnectTimeWait: 250,
    pingInterval: 10_000,
  })
}

/** Creates or updates the streams: durable events, and the letters that no consumer could handle. */
export async function ensureStreams(nats: NatsConnection, options: { replicas?: number } = {}): Promise<void> {
  const manager = await jetstreamManager(nats)
  const common = {
    retention: RetentionPolicy.Limits,
    storage: StorageType.File,
    num_replicas: options.replicas ?? 1,
    duplicate_window: nanos(10 * 60 * 1000),
  }
  const streams = [
    { ...common, name: EVENTS_STREAM, subjects: ['media.photo.*', 'folders.folder.*'], max_age: nanos(14 * DAY) },
    { ...common, name: DEAD_LETTERS_STREAM, subjects: ['deadletter.>'], max_age: nanos(90 * DAY) },
  ]
  for (const stream of streams) {
    // Adding is idempotent for an equal configuration; a changed one is refused and then updated.
    await manager.streams.add(stream).catch(() => manager.streams.update(stream.name, stream))
  }
}

/** Tells whoever listens now; nobody may depend on it. Never throws for a lost connection. */
export function publishHint<Schema extends DescMessage>(
  nats: NatsConnection,
  topic: Topic<Schema>,
  message: MessageInitShape<Schema>,
): void {
  if (nats.isClosed() || nats.isDraining()) return
  nats.publish(topic.subject, encode(topic.schema, message))
}

/** Listens without durability: to hints, or to events as hints (each process gets every message). */
export function onHint<Schema extends DescMessage>(
  nats: NatsConnection,
  topic: Topic<Schema>,
  handler: (message: MessageShape<Schema>) => void | Promise<void>,
  logger?: Logger,
): Listener {
  const subscription = nats.subscribe(topic.subject)
  const work = async (data: Uint8Array) => handler(fromBinary(topic.schema, data))
  return listenTo(subscription, (message) =>
    work(message.data).catch((error) => logger?.warn({ err: error, subject: topic.subject }, 'hint not handled')),
  )
}

/** Asks the service that answers `question`. Throws the 503 AppError when no answer comes within `timeoutMs`. */
export async function ask<Request extends DescMessage, Response extends DescMessage>(
  nats: NatsConnection,
  question: Question<Request, Response>,
  request: MessageInitShape<Request>,
  options: { timeoutMs: number },
): Promise<MessageShape<Response>> {
  try {
    const reply = await nats.request(question.subject, encode(question.request, request), {
      timeout: options.timeoutMs,
      headers: toHeaders(traceHeaders()),
    })
    const failure = reply.headers?.get(ERROR_HEADER)
    if (failure) throw new Error(failure)
    return fromBinary(question.response, reply.data)
  } catch (error) {
    throw Object.assign(unavailable(), { cause: error })
  }
}

/** Answers `question`; of all processes that answer it one gets each request. */
export function answer<Request extends DescMessage, Response extends DescMessage>(
  nats: NatsConnection,
  question: Question<Request, Response>,
  handler: (request: MessageShape<Request>) => Promise<MessageInitShape<Response>>,
  logger?: Logger,
): Listener {
  const subscription = nats.subscribe(question.subject, { queue: question.subject })
  return listenTo(subscription, (message) =>
    continueTrace(fromHeaders(message.headers), `answer ${question.subject}`, async () => {
      const response = await handler(fromBinary(question.request, message.data))
      message.respond(encode(question.response, response))
    }).catch((error) => {
      logger?.error({ err: error, subject: question.subject }, 'question not answered')
      message.respond(new Uint8Array(), { headers: toHeaders({ [ERROR_HEADER]: 'the answering service failed' }) })
    }),
  )
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

/** The binary form of a message. */
export function encode<Schema extends DescMessage>(schema: Schema, message: MessageInitShape<Schema>): Uint8Array {
  return toBinary(schema, create(schema, message))
}

/** Handles each message as it comes. Who stops answers what the server has sent already: nobody else gets those. */
function listenTo(subscription: Subscription, handle: (message: Msg) => Promise<void>): Listener {
  const running = new Set<Promise<void>>()
  const listening = (async () => {
    for await (const message of subscription) {
      const work: Promise<void> = handle(message).finally(() => running.delete(work))
      running.add(work)
    }
  })()
  return {
    async stop() {
      await subscription.drain()
      await listening
      await Promise.all(running)
    },
  }
}
