import { setTimeout as delay } from 'node:timers/promises'
import { type DescMessage, fromBinary, type MessageShape } from '@bufbuild/protobuf'
import {
  AckPolicy,
  type Consumer,
  type ConsumerMessages,
  type JsMsg,
  jetstream,
  jetstreamManager,
} from '@nats-io/jetstream'
import { type NatsConnection, nanos } from '@nats-io/transport-node'
import type { Topic } from '@skyfolio/proto'
import { isDatabaseUnavailable, isTransactionExpired, type SqlDatabase } from '../postgres/database.ts'
import type { Logger } from '../process/logger.ts'
import { repeat } from '../process/repeat.ts'
import { type Measurement, metrics } from '../telemetry/metrics.ts'
import { continueTrace } from '../telemetry/trace-context.ts'
import { fromHeaders, toHeaders } from './core-nats.ts'
import { DEAD_LETTERS_STREAM, EVENTS_STREAM, requireStreamFor } from './streams.ts'

const ACK_WAIT_MS = 30_000
/** A silent database is noticed before, and counts as unavailable. The acknowledgement is waited for longer. */
const HANDLER_TIMEOUT_MS = 25_000
const CONCURRENCY = 8
const MAX_ACK_PENDING = 1_000
/** Delays before the second to the eighth delivery. */
const BACKOFF_MS = [200, 1_000, 5_000, 15_000, 30_000, 60_000, 120_000]

/** The headers of a dead letter besides those of the event. */
export const DEAD_LETTER_HEADERS = {
  consumer: 'Skyfolio-Consumer',
  error: 'Skyfolio-Error',
  tries: 'Skyfolio-Tries',
  sequence: 'Skyfolio-Sequence',
}

const deliveries = metrics.counter('skyfolio_event_deliveries_total', 'Deliveries of events by outcome', [
  'consumer',
  'subject',
  'outcome',
])
const pending = metrics.gauge('skyfolio_consumer_pending_events', 'Events not yet delivered to a consumer', [
  'consumer',
])
const unacknowledged = metrics.gauge(
  'skyfolio_consumer_unacknowledged_events',
  'Events delivered to a consumer and not yet acknowledged',
  ['consumer'],
)
const deadLetters = metrics.gauge('skyfolio_dead_letters', 'Dead letters of a consumer', ['consumer'])

export interface Handler<Tx> {
  subject: string
  /** `afterCommit` takes what is to be done once the transaction has committed. */
  handle(data: Uint8Array, tx: Tx, afterCommit: (effect: () => void) => void): Promise<void>
}

/**
 * Binds a handler to a topic. It may be called more than once and in any order for the same entity,
 * so it must apply only newer revisions and keep a tombstone for a deletion.
 */
export function onEvent<Schema extends DescMessage, Tx>(
  topic: Topic<Schema>,
  handle: (message: MessageShape<Schema>, tx: Tx, afterCommit: (effect: () => void) => void) => Promise<void>,
): Handler<Tx> {
  return {
    subject: topic.subject,
    handle: (data, tx, afterCommit) => handle(fromBinary(topic.schema, data), tx, afterCommit),
  }
}

export interface ConsumerOptions<Tx> {
  nats: NatsConnection
  /** Name of the durable consumer; all processes that use it share its messages. */
  durable: string
  handlers: Handler<Tx>[]
  /** Each event is handled in one transaction of it. */
  db: SqlDatabase<Tx>
  logger: Logger
  /** Called after each commit, for example to wake the outbox relay. */
  afterCommit?: () => void
  /** Milliseconds before each further delivery; their number bounds the attempts. */
  backoffMs?: number[]
  /** Milliseconds without acknowledgement after which a delivery counts as lost. */
  ackWaitMs?: number
}

export interface RunningConsumer {
  /** Takes no more messages and waits for those being handled. */
  stop(): Promise<void>
  /** Resolves when this consumer has acknowledged everything that the stream holds for it. For tests. */
  drained(): Promise<void>
}

/**
 * Consumes durable events at least once: the handler's effect commits first, the acknowledgement follows.
 * A message that fails is retried with growing delays and then moved to the dead letters with its error.
 * While the database is unavailable messages wait without using up their attempts.
 * @throws Error when no stream stores one of the handlers' subjects
 */
export async function startConsumer<Tx>(options: ConsumerOptions<Tx>): Promise<RunningConsumer> {
  const consumer = await ensureConsumer(options)
  const stopping = new AbortController()
  const running = new Set<Promise<void>>()
  let messages: ConsumerMessages | undefined

  async function consume(): Promise<void> {
    messages = await consumer.consume({ max_messages: 2 * CONCURRENCY })
    if (stopping.signal.aborted) await messages.close()
    for await (const message of messages) {
      const work = settle(options, message, stopping.signal).finally(() => running.delete(work))
      running.add(work)
      if (running.size >= CONCURRENCY) await Promise.race(running)
    }
  }

  metrics.onScrape(`consumer ${options.durable}`, () => readLag(consumer, options.durable))
  metrics.onScrape(`dead letters ${options.durable}`, () => readDeadLetters(options.nats, options.durable))
  const stopConsuming = repeat(`consumer ${options.durable}`, 1, consume, options.logger)
  return {
    async stop() {
      stopping.abort()
      const stopped = stopConsuming()
      await messages?.close()
      await stopped
      await Promise.all(running)
    },
    drained: () => waitUntilCaughtUp(options.nats, { durable: options.durable, subjects: subjectsOf(options) }),
  }
}

async function readLag(running: Consumer, consumer: string): Promise<Measurement[]> {
  const { num_pending, num_ack_pending } = await running.info()
  return [
    [pending, num_pending, { consumer }],
    [unacknowledged, num_ack_pending, { consumer }],
  ]
}

async function readDeadLetters(nats: NatsConnection, consumer: string): Promise<Measurement[]> {
  const { streams } = await jetstreamManager(nats, { checkAPI: false })
  const { state } = await streams.info(DEAD_LETTERS_STREAM, { subjects_filter: `deadletter.${consumer}.>` })
  const count = Object.values(state.subjects ?? {}).reduce((sum, letters) => sum + letters, 0)
  return [[deadLetters, count, { consumer }]]
}

/**
 * Resolves when a durable consumer has handled all that the stream held for it at the time of the call. Some process
 * must run that consumer.
 */
export async function waitUntilCaughtUp(
  nats: NatsConnection,
  options: { durable: string; subjects: string[] },
): Promise<void> {
  const { consumers } = await jetstreamManager(nats)
  const last = await lastSequence(nats, options.subjects)
  for (;;) {
    const { num_pending, num_ack_pending, delivered, ack_floor } = await consumers.info(EVENTS_STREAM, options.durable)
    if (ack_floor.stream_seq >= last) return
    // A message just stored may not count as pending yet.
    if (num_pending === 0 && num_ack_pending === 0 && delivered.stream_seq >= last) return
    await delay(10)
  }
}

/** The sequence number of the newest message with one of these subjects, 0 when there is none. */
async function lastSequence(nats: NatsConnection, subjects: string[]): Promise<number> {
  const { streams } = await jetstreamManager(nats)
  const newest = await Promise.all(
    subjects.map((subject) => streams.getMessage(EVENTS_STREAM, { last_by_subj: subject })),
  )
  return Math.max(0, ...newest.map((message) => message?.seq ?? 0))
}

/** The subject on which dead letters are redelivered to this consumer alone (see `dead-letters.ts`). */
export function redeliverySubject(durable: string, subject: string): string {
  return `redelivery.${durable}.${subject}`
}

function subjectsOf<Tx>({ durable, handlers }: ConsumerOptions<Tx>): string[] {
  return [...handlers.map((handler) => handler.subject), redeliverySubject(durable, '>')]
}

/** The subject under which the event was first published. */
function subjectOf<Tx>({ durable }: ConsumerOptions<Tx>, { subject }: JsMsg): string {
  const prefix = redeliverySubject(durable, '')
  return subject.startsWith(prefix) ? subject.slice(prefix.length) : subject
}

async function ensureConsumer<Tx>(options: ConsumerOptions<Tx>): Promise<Consumer> {
  const manager = await jetstreamManager(options.nats)
  await requireStreamFor(
    manager,
    options.handlers.map((handler) => handler.subject),
  )
  const config = {
    durable_name: options.durable,
    ack_policy: AckPolicy.Explicit,
    ack_wait: nanos(options.ackWaitMs ?? ACK_WAIT_MS),
    max_ack_pending: MAX_ACK_PENDING,
    // Unlimited at the server: this consumer bounds the attempts itself and writes the dead letter, since the
    // server's advisory may be lost.
    max_deliver: -1,
    filter_subjects: subjectsOf(options),
  }
  await manager.consumers
    .add(EVENTS_STREAM, config)
    .catch(() => manager.consumers.update(EVENTS_STREAM, options.durable, config))
  return jetstream(options.nats).consumers.get(EVENTS_STREAM, options.durable)
}

/** Settles one delivery: acknowledged, returned for a retry, or moved to the dead letters. Never rejects. */
async function settle<Tx>(options: ConsumerOptions<Tx>, message: JsMsg, stopping: AbortSignal): Promise<void> {
  const backoff = options.backoffMs ?? BACKOFF_MS
  const attempts = message.info.deliveryCount
  const subject = subjectOf(options, message)
  const count = (outcome: 'done' | 'retry' | 'dead') => deliveries.inc({ consumer: options.durable, subject, outcome })
  try {
    // Deliveries beyond the last attempt ended before they could be counted as failed: the message kills its consumer.
    if (attempts > backoff.length + 1) throw new Error('the consumer ended while it handled this message')
    await continueTrace(fromHeaders(message.headers), `consume ${subject}`, () => apply(options, message, stopping))
    message.ack()
    count('done')
  } catch (error) {
    if (stopping.aborted) return message.nak()
    const wait = backoff[attempts - 1]
    options.logger.warn({ err: error, subject, seq: message.seq, attempts }, 'event not handled')
    count(wait === undefined ? 'dead' : 'retry')
    if (wait !== undefined) return message.nak(wait)
    await moveToDeadLetters(options, message, error).catch((failure) => {
      options.logger.error({ err: failure, subject, seq: message.seq }, 'dead letter not written')
      message.nak(ACK_WAIT_MS)
    })
  }
}

/** Runs the handler in a transaction; waits while the database is unavailable. */
async function apply<Tx>(options: ConsumerOptions<Tx>, message: JsMsg, stopping: AbortSignal): Promise<void> {
  const subject = subjectOf(options, message)
  const handler = options.handlers.find((candidate) => candidate.subject === subject)
  if (!handler) throw new Error(`no handler for ${subject}`)
  for (let waitMs = 100; ; waitMs = Math.min(waitMs * 2, 5_000)) {
    try {
      const effects: (() => void)[] = []
      const afterCommit = (effect: () => void) => void effects.push(effect)
      await options.db.$transaction((tx) => handler.handle(message.data, tx, afterCommit), {
        timeout: HANDLER_TIMEOUT_MS,
      })
      options.afterCommit?.()
      for (const effect of effects) effect()
      return
    } catch (error) {
      if (!isDatabaseUnavailable(error) || isTransactionExpired(error)) throw error
      message.working()
      await delay(waitMs, undefined, { signal: stopping })
    }
  }
}

/** Stores the message with its error in the dead letters, then terminates its delivery. */
async function moveToDeadLetters<Tx>(options: ConsumerOptions<Tx>, message: JsMsg, error: unknown): Promise<void> {
  const reason = (error instanceof Error ? (error.stack ?? error.message) : String(error)).slice(0, 2_000)
  const headers = toHeaders({
    ...fromHeaders(message.headers),
    [DEAD_LETTER_HEADERS.consumer]: options.durable,
    [DEAD_LETTER_HEADERS.error]: reason.replaceAll(/\s*\n\s*/g, ' | '),
    [DEAD_LETTER_HEADERS.tries]: String(message.info.deliveryCount),
    [DEAD_LETTER_HEADERS.sequence]: String(message.seq),
  })
  await jetstream(options.nats).publish(`deadletter.${options.durable}.${subjectOf(options, message)}`, message.data, {
    msgID: `${options.durable}-${message.seq}`,
    headers,
    expect: { streamName: DEAD_LETTERS_STREAM },
  })
  message.term('moved to the dead letters')
  options.logger.error({ err: error, subject: message.subject, seq: message.seq }, 'event moved to the dead letters')
}
