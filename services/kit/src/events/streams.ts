import { setTimeout as delay } from 'node:timers/promises'
import type { DescMessage } from '@bufbuild/protobuf'
import {
  JetStreamApiError,
  type JetStreamManager,
  jetstreamManager,
  RetentionPolicy,
  StorageType,
  type StreamConfig,
} from '@nats-io/jetstream'
import { type NatsConnection, nanos } from '@nats-io/transport-node'
import type { EventTopic } from '@skyfolio/proto'
import type { Logger } from '../process/logger.ts'
import { isUnavailable } from '../process/unavailable.ts'

export const EVENTS_STREAM = 'EVENTS'
export const DEAD_LETTERS_STREAM = 'DEADLETTERS'
const DAY_MS = 24 * 3600 * 1000
const CREATE_WITHIN_MS = 60_000
/** "No suitable peers": the servers of a cluster have not all found each other yet. */
const NO_PEERS = 10_005
const STREAM_DIFFERS = 10_058

/** The declared events, by name. */
export type EventTopics = Readonly<Record<string, EventTopic<DescMessage>>>

export interface StreamOptions {
  /** Copies of each stream, in a NATS cluster of at least as many servers. Default: 1. */
  replicas?: number
  logger?: Logger
}

/**
 * Creates the streams or updates them: one with the given events, one with the dead letters.
 * Waits up to a minute for a NATS whose JetStream is not ready yet.
 * @throws when a subject is not valid, or when the servers reject a stream or cannot hold its replicas after that minute
 */
export async function ensureStreams(
  nats: NatsConnection,
  topics: EventTopics,
  options: StreamOptions = {},
): Promise<void> {
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
      subjects: [...eventSubjects(topics), 'redelivery.>'],
      max_age: nanos(14 * DAY_MS),
    },
    { ...common, name: DEAD_LETTERS_STREAM, subjects: ['deadletter.>'], max_age: nanos(90 * DAY_MS) },
  ]
  for (const deadline = performance.now() + CREATE_WITHIN_MS; ; await delay(1_000)) {
    try {
      const manager = await jetstreamManager(nats)
      for (const stream of streams) await ensureStream(manager, stream)
      return
    } catch (error) {
      if (!isNotReadyYet(error) || performance.now() > deadline) throw error
      options.logger?.warn({ err: error }, 'JetStream is not ready yet')
    }
  }
}

/** @throws Error when the events stream does not store one of these subjects */
export async function requireStreamFor(manager: JetStreamManager, subjects: string[]): Promise<void> {
  const { config } = await manager.streams.info(EVENTS_STREAM)
  const missing = subjects.filter((subject) => !config.subjects.some((pattern) => matches(pattern, subject)))
  if (missing.length === 0) return
  throw new Error(`The stream ${EVENTS_STREAM} does not store ${missing.join(', ')}. Pass its topic to ensureStreams.`)
}

/** `context.entity.*` for each event `context.entity.verb`. */
function eventSubjects(topics: EventTopics): string[] {
  const patterns = Object.values(topics).map(({ subject }) => {
    if (!/^[\w-]+\.[\w-]+\.[\w-]+$/.test(subject)) {
      throw new Error(`The event subject "${subject}" must have the form context.entity.verb`)
    }
    return subject.replace(/[^.]+$/, '*')
  })
  return [...new Set(patterns)]
}

function matches(pattern: string, subject: string): boolean {
  const tokens = subject.split('.')
  const expected = pattern.split('.')
  const isOpen = expected.at(-1) === '>'
  if (isOpen ? tokens.length < expected.length : tokens.length !== expected.length) return false
  return expected.every((token, index) => token === '>' || token === '*' || token === tokens[index])
}

function isNotReadyYet(error: unknown): boolean {
  if (error instanceof JetStreamApiError) return error.status === 503 || error.code === NO_PEERS
  return (error as Error).name === 'JetStreamNotEnabled' || isUnavailable(error)
}

type DesiredStream = Pick<StreamConfig, 'name' | 'subjects' | 'num_replicas'> & Partial<StreamConfig>

/**
 * Only adds replicas and subjects, and never removes any: during a rollout processes of both releases start, and the
 * old ones must not take away what the new ones need.
 */
async function ensureStream(manager: JetStreamManager, desired: DesiredStream): Promise<void> {
  try {
    // Adding is idempotent for an equal configuration; a changed one is rejected.
    await manager.streams.add(desired)
  } catch (error) {
    if (!(error instanceof JetStreamApiError) || error.code !== STREAM_DIFFERS) throw error
    const { config } = await manager.streams.info(desired.name)
    await manager.streams.update(desired.name, {
      ...desired,
      subjects: [...new Set([...config.subjects, ...desired.subjects])],
      num_replicas: Math.max(config.num_replicas, desired.num_replicas),
    })
  }
}
