import { setTimeout as delay } from 'node:timers/promises'
import {
  create,
  type DescMessage,
  fromBinary,
  type MessageInitShape,
  type MessageShape,
  toBinary,
} from '@bufbuild/protobuf'
import {
  JetStreamApiError,
  type JetStreamManager,
  jetstreamManager,
  RetentionPolicy,
  StorageType,
  type StreamConfig,
} from '@nats-io/jetstream'
import { headers, type Msg, type MsgHdrs, type NatsConnection, nanos, type Subscription } from '@nats-io/transport-node'
import type { RequestReply, Topic } from '@skyfolio/proto'
import { unavailable } from '../http/errors.ts'
import type { Logger } from '../process/logger.ts'
import { isUnavailable } from '../process/unavailable.ts'
import { continueTrace, traceHeaders } from '../telemetry/trace-context.ts'

export const EVENTS_STREAM = 'EVENTS'
export const DEAD_LETTERS_STREAM = 'DEADLETTERS'
const DAY = 24 * 3600 * 1000
const ERROR_HEADER = 'Skyfolio-Error'

/** Something that listens until it is told to stop. */
export interface NatsSubscription {
  /** Resolves when what was received before is handled. */
  stop(): Promise<void>
}

export interface StreamOptions {
  /** Copies of each stream, in a NATS cluster of at least as many servers. Default: 1. */
  replicas?: number
  logger?: Logger
}

const CREATE_WITHIN_MS = 60_000
/** "No suitable peers": the servers of a cluster have not all found each other yet. */
const NO_PEERS = 10_005
const STREAM_DIFFERS = 10_058

/**
 * Creates the streams, or brings them up to date: durable events, and the letters that no consumer could handle.
 * Waits up to a minute for a NATS whose JetStream is not ready yet.
 * @throws when the servers refuse, or cannot hold so many replicas after that minute
 */
export async function ensureStreams(nats: NatsConnection, options: StreamOptions = {}): Promise<void> {
  const common = {
    retention: RetentionPolicy.Limits,
    storage: StorageType.File,
    num_replicas: options.replicas ?? 1,
    duplicate_window: nanos(10 * 60 * 1000),
  }
  const streams = [
    {
      ...common,
      name: EVENTS_STREAM,
      subjects: ['media.photo.*', 'folders.folder.*', 'redelivery.>'],
      max_age: nanos(14 * DAY),
    },
    { ...common, name: DEAD_LETTERS_STREAM, subjects: ['deadletter.>'], max_age: nanos(90 * DAY) },
  ]
  for (const deadline = Date.now() + CREATE_WITHIN_MS; ; await delay(1_000)) {
    try {
      const manager = await jetstreamManager(nats)
      for (const stream of streams) await ensureStream(manager, stream)
      return
    } catch (error) {
      if (!isNotReadyYet(error) || Date.now() > deadline) throw error
      options.logger?.warn({ err: error }, 'JetStream is not ready yet')
    }
  }
}

function isNotReadyYet(error: unknown): boolean {
  if (error instanceof JetStreamApiError) return error.status === 503 || error.code === NO_PEERS
  return (error as Error).name === 'JetStreamNotEnabled' || isUnavailable(error)
}

type StreamWish = Pick<StreamConfig, 'name' | 'subjects' | 'num_replicas'> & Partial<StreamConfig>

/**
 * Only ever adds replicas and subjects: while a new release or setting is rolled out, processes of both start, and the
 * old ones must not take away what the new ones need.
 */
async function ensureStream(manager: JetStreamManager, wish: StreamWish): Promise<void> {
  try {
    // Adding is idempotent for an equal configuration; a changed one is refused.
    await manager.streams.add(wish)
  } catch (refusal) {
    if (!(refusal instanceof JetStreamApiError) || refusal.code !== STREAM_DIFFERS) throw refusal
    const { config } = await manager.streams.info(wish.name)
    await manager.streams.update(wish.name, {
      ...wish,
      subjects: [...new Set([...config.subjects, ...wish.subjects])],
      num_replicas: Math.max(config.num_replicas, wish.num_replicas),
    })
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
): NatsSubscription {
  const subscription = nats.subscribe(topic.subject)
  const work = async (data: Uint8Array) => handler(fromBinary(topic.schema, data))
  return listenTo(subscription, (message) =>
    work(message.data).catch((error) => logger?.warn({ err: error, subject: topic.subject }, 'hint not handled')),
  )
}

/** Asks the service that answers `question`. Throws the 503 AppError when no answer comes within `timeoutMs`. */
export async function sendRequest<Request extends DescMessage, Response extends DescMessage>(
  nats: NatsConnection,
  question: RequestReply<Request, Response>,
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
export function serveRequests<Request extends DescMessage, Response extends DescMessage>(
  nats: NatsConnection,
  question: RequestReply<Request, Response>,
  handler: (request: MessageShape<Request>) => Promise<MessageInitShape<Response>>,
  logger?: Logger,
): NatsSubscription {
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
function listenTo(subscription: Subscription, handle: (message: Msg) => Promise<void>): NatsSubscription {
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
