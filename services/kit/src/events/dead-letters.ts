import { JetStreamApiError, type JsMsg, jetstream, jetstreamManager } from '@nats-io/jetstream'
import type { NatsConnection } from '@nats-io/transport-node'
import { DEAD_LETTER_HEADERS, redeliverySubject } from './consumer.ts'
import { fromHeaders, toHeaders } from './core-nats.ts'
import { DEAD_LETTERS_STREAM, EVENTS_STREAM } from './streams.ts'

/** An event that a consumer could not handle. */
export interface DeadLetter {
  /** Its sequence number in the stream of dead letters. */
  sequence: number
  consumer: string
  /** The subject of the event. */
  subject: string
  /** When the consumer gave up. */
  at: Date
  attempts: number
  error: string
  headers: Record<string, string>
  data: Uint8Array
}

const FETCH_SIZE = 100

export interface DeadLetterFilter {
  consumer?: string | undefined
  subject?: string | undefined
}

function subjectOf({ consumer = '*', subject = '>' }: DeadLetterFilter): string {
  return `deadletter.${consumer}.${subject}`
}

function toDeadLetter({ seq, subject, headers: given, data, time }: JsMsg): DeadLetter {
  const headers = fromHeaders(given)
  const [, consumer = '', ...rest] = subject.split('.')
  return {
    sequence: seq,
    consumer,
    subject: rest.join('.'),
    at: time,
    attempts: Number(headers[DEAD_LETTER_HEADERS.tries] ?? 0),
    error: headers[DEAD_LETTER_HEADERS.error] ?? '',
    headers,
    data,
  }
}

/** The present dead letters, oldest first. */
export async function* deadLetters(nats: NatsConnection, filter: DeadLetterFilter = {}): AsyncGenerator<DeadLetter> {
  const consumer = await jetstream(nats).consumers.get(DEAD_LETTERS_STREAM, { filter_subjects: [subjectOf(filter)] })
  const { state } = await (await jetstream(nats).streams.get(DEAD_LETTERS_STREAM)).info()
  let pending = (await consumer.info()).num_pending
  while (pending > 0) {
    // Does not wait for letters that somebody else has removed meanwhile.
    pending = 0
    for await (const message of await consumer.fetch({ max_messages: FETCH_SIZE, expires: 2_000 })) {
      // Letters that arrive meanwhile may be those that were just redelivered.
      if (message.seq > state.last_seq) return
      pending = message.info.pending
      yield toDeadLetter(message)
    }
  }
}

/**
 * Redelivers the event to its consumer alone and removes the dead letter. When interrupted between the two, the dead
 * letter remains; a second delivery does no harm, since consumers apply only newer revisions.
 * @throws Error when the consumer no longer exists
 */
export async function redeliver(nats: NatsConnection, letter: DeadLetter): Promise<void> {
  await checkConsumer(nats, letter.consumer)
  const ours = new Set(Object.values(DEAD_LETTER_HEADERS))
  const kept = Object.entries(letter.headers).filter(([name]) => !ours.has(name) && !name.startsWith('Nats-'))
  await jetstream(nats).publish(redeliverySubject(letter.consumer, letter.subject), letter.data, {
    msgID: `redelivery-${letter.sequence}`,
    headers: toHeaders(Object.fromEntries(kept)),
    expect: { streamName: EVENTS_STREAM },
  })
  await discard(nats, letter)
}

/** A message without a consumer would stay in the stream unnoticed. */
async function checkConsumer(nats: NatsConnection, name: string): Promise<void> {
  const { consumers } = await jetstreamManager(nats)
  const { config } = await consumers.info(EVENTS_STREAM, name).catch((error) => {
    const isMissing = error instanceof JetStreamApiError && error.status === 404
    throw isMissing ? new Error(`The consumer ${name} no longer exists.`) : error
  })
  if (config.filter_subjects?.includes(redeliverySubject(name, '>'))) return
  throw new Error(`The consumer ${name} is of a release without redelivery. Roll out this release first.`)
}

/** Removes a dead letter permanently. */
export async function discard(nats: NatsConnection, { sequence }: DeadLetter): Promise<void> {
  const { streams } = await jetstreamManager(nats)
  await streams.deleteMessage(DEAD_LETTERS_STREAM, sequence)
}
