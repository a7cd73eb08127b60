import { JetStreamApiError, type JsMsg, jetstream, jetstreamManager } from '@nats-io/jetstream'
import type { NatsConnection } from '@nats-io/transport-node'
import { DEAD_LETTER_HEADERS, redeliverySubject } from './consumer.ts'
import { fromHeaders, toHeaders } from './messages.ts'
import { DEAD_LETTERS_STREAM, EVENTS_STREAM } from './streams.ts'

/** An event that a consumer could not handle. */
export interface DeadLetter {
  /** Its place among the dead letters. */
  sequence: number
  consumer: string
  /** Under which the event was published. */
  subject: string
  /** When the consumer gave up. */
  at: Date
  tries: number
  error: string
  headers: Record<string, string>
  data: Uint8Array
}

const AT_ONCE = 100

export interface LetterFilter {
  consumer?: string | undefined
  subject?: string | undefined
}

function subjectFor({ consumer = '*', subject = '>' }: LetterFilter): string {
  return `deadletter.${consumer}.${subject}`
}

function toLetter({ seq, subject, headers: given, data, time }: JsMsg): DeadLetter {
  const headers = fromHeaders(given)
  const [, consumer = '', ...rest] = subject.split('.')
  return {
    sequence: seq,
    consumer,
    subject: rest.join('.'),
    at: time,
    tries: Number(headers[DEAD_LETTER_HEADERS.tries] ?? 0),
    error: headers[DEAD_LETTER_HEADERS.error] ?? '',
    headers,
    data,
  }
}

/** The letters that are there now, the oldest first. */
export async function* deadLetters(nats: NatsConnection, filter: LetterFilter = {}): AsyncGenerator<DeadLetter> {
  const consumer = await jetstream(nats).consumers.get(DEAD_LETTERS_STREAM, { filter_subjects: [subjectFor(filter)] })
  const { state } = await (await jetstream(nats).streams.get(DEAD_LETTERS_STREAM)).info()
  let pending = (await consumer.info()).num_pending
  while (pending > 0) {
    // Waits no longer for letters that someone else has removed meanwhile.
    pending = 0
    for await (const message of await consumer.fetch({ max_messages: AT_ONCE, expires: 2_000 })) {
      // Letters that come meanwhile may be those that were just given back.
      if (message.seq > state.last_seq) return
      pending = message.info.pending
      yield toLetter(message)
    }
  }
}

/**
 * Gives a letter to its consumer once more, and to no other, and takes it out of the dead letters. When this is cut off
 * between the two, the letter is still there; giving it twice does no harm, as consumers apply only newer revisions.
 * @throws Error when there is no such consumer any more
 */
export async function retryLetter(nats: NatsConnection, letter: DeadLetter): Promise<void> {
  await checkConsumer(nats, letter.consumer)
  const ours = new Set(Object.values(DEAD_LETTER_HEADERS))
  const kept = Object.entries(letter.headers).filter(([name]) => !ours.has(name) && !name.startsWith('Nats-'))
  await jetstream(nats).publish(redeliverySubject(letter.consumer, letter.subject), letter.data, {
    msgID: `redelivery-${letter.sequence}`,
    headers: toHeaders(Object.fromEntries(kept)),
    expect: { streamName: EVENTS_STREAM },
  })
  await discardLetter(nats, letter)
}

/** What no consumer takes would lie in the stream unseen. */
async function checkConsumer(nats: NatsConnection, name: string): Promise<void> {
  const { consumers } = await jetstreamManager(nats)
  const { config } = await consumers.info(EVENTS_STREAM, name).catch((error) => {
    const isGone = error instanceof JetStreamApiError && error.status === 404
    throw isGone ? new Error(`There is no consumer ${name} any more.`) : error
  })
  if (config.filter_subjects?.includes(redeliverySubject(name, '>'))) return
  throw new Error(`The consumer ${name} is of a release that takes no letters back. Roll out this one first.`)
}

/** Removes a letter for good. */
export async function discardLetter(nats: NatsConnection, { sequence }: DeadLetter): Promise<void> {
  const { streams } = await jetstreamManager(nats)
  await streams.deleteMessage(DEAD_LETTERS_STREAM, sequence)
}
