import { randomUUID } from 'node:crypto'
import { setTimeout as delay } from 'node:timers/promises'
import type { DescMessage, MessageInitShape } from '@bufbuild/protobuf'
import { jetstream } from '@nats-io/jetstream'
import type { NatsConnection } from '@nats-io/transport-node'
import { SpanKind } from '@opentelemetry/api'
import type { EventTopic } from '@skyfolio/proto'
import type pg from 'pg'
import { inTransaction, type SqlTransaction } from '../postgres/database.ts'
import type { Logger } from '../process/logger.ts'
import { repeat } from '../process/repeat.ts'
import { type Measurement, metrics } from '../telemetry/metrics.ts'
import { continueTrace, traceHeaders } from '../telemetry/trace-context.ts'
import { encode, toHeaders } from './core-nats.ts'

const BATCH = 200
/** At least from the start of a pass to that of the next: commits in quick succession share one, which costs as much as they do. */
const PASS_MS = 25
const PUBLISH_TIMEOUT_MS = 5_000
const CLEANUP_EVERY_SECONDS = 3_600
/** Counting stops here, so that a scrape stays cheap with a large backlog. */
const COUNT_LIMIT = 10_000

const pending = metrics.gauge('skyfolio_outbox_events', `Events not yet published, counted up to ${COUNT_LIMIT}`)
const oldest = metrics.gauge('skyfolio_outbox_oldest_seconds', 'Age of the oldest event not yet published, or 0')

/**
 * Records events in the caller's transaction: they are published if, and only if, it commits.
 * @throws Error when the topic is not one of the declared events, since no stream would store it
 */
export async function emit<Schema extends DescMessage>(
  tx: SqlTransaction,
  topic: EventTopic<Schema>,
  ...messages: MessageInitShape<Schema>[]
): Promise<void> {
  if (topic.kind !== 'event') throw new Error(`${topic.subject} is not an event: no stream stores it`)
  if (messages.length === 0) return
  const headers = {
    'Skyfolio-Schema': topic.schema.typeName,
    'Skyfolio-Time': new Date().toISOString(),
    ...traceHeaders(),
  }
  await tx.$executeRawUnsafe(
    `INSERT INTO outbox (id, subject, payload, headers)
     SELECT id, $1, decode(payload, 'base64'), $2::jsonb
     FROM unnest($3::uuid[], $4::text[]) WITH ORDINALITY AS message (id, payload, place) ORDER BY place`,
    topic.subject,
    JSON.stringify(headers),
    messages.map(() => randomUUID()),
    messages.map((message) => Buffer.from(encode(topic.schema, message)).toString('base64')),
  )
}

export interface Relay {
  /** Publishes now instead of at the next poll; call it after a commit. */
  wake(): void
  /** Publishes all that is committed. @throws when that fails */
  flush(): Promise<void>
  /** Stops polling after a last attempt to publish what is committed. */
  stop(): Promise<void>
}

/** Publishes outbox rows to JetStream until stopped. Any number of relays may share a table. */
export function startRelay(deps: { pool: pg.Pool; nats: NatsConnection; logger: Logger; intervalMs?: number }): Relay {
  const intervalMs = deps.intervalMs ?? 250
  let isStopped = false
  let failures = 0
  let isWoken = false
  let endSleep = () => {}
  let lastPass: Promise<void> = Promise.resolve()

  // Passes run one after another, so that each call is served by a pass that starts after it.
  function pass(): Promise<void> {
    lastPass = lastPass.catch(() => {}).then(() => publishAll(deps.pool, deps.nats))
    return lastPass
  }

  /** Most polls find nothing, and a transaction takes three statements: unless an event is expected, one asks first. */
  async function poll(isExpected = false): Promise<void> {
    try {
      if (isExpected || (await hasPending(deps.pool))) await pass()
      failures = 0
    } catch (error) {
      failures += 1
      deps.logger.warn({ err: error, failures }, 'outbox not published, will retry')
    }
  }

  function sleep(milliseconds: number): Promise<void> {
    return new Promise((resolve) => {
      const timer = setTimeout(resolve, milliseconds)
      endSleep = () => {
        clearTimeout(timer)
        resolve()
      }
    })
  }

  async function run(): Promise<void> {
    while (!isStopped) {
      const isExpected = isWoken
      isWoken = false
      const start = performance.now()
      await poll(isExpected)
      const pause = start + PASS_MS - performance.now()
      if (pause > 0) await delay(pause)
      if (!isStopped && !isWoken) await sleep(Math.min(intervalMs * 2 ** failures, 5_000))
    }
  }

  metrics.onScrape('outbox', () => readBacklog(deps.pool))
  const running = run()
  const cleanUp = () => deleteOldEvents(deps.pool)
  const stopCleanup = repeat('outbox cleanup', CLEANUP_EVERY_SECONDS, cleanUp, deps.logger, { delayFirst: true })
  return {
    wake() {
      // While publishing fails, the backoff decides when to retry.
      if (failures > 0) return
      isWoken = true
      endSleep()
    },
    flush: pass,
    async stop() {
      isStopped = true
      endSleep()
      await running
      await poll()
      await stopCleanup()
    },
  }
}

async function readBacklog(pool: pg.Pool): Promise<Measurement[]> {
  const { rows } = await pool.query<{ age: string | null; count: string }>(
    `SELECT (SELECT extract(epoch FROM clock_timestamp() - created_at) FROM outbox WHERE published_at IS NULL
             ORDER BY seq LIMIT 1) AS age,
       (SELECT count(*) FROM (SELECT FROM outbox WHERE published_at IS NULL LIMIT ${COUNT_LIMIT}) AS counted) AS count`,
  )
  return [
    [pending, Number(rows[0]?.count)],
    [oldest, Number(rows[0]?.age ?? 0)],
  ]
}

async function publishAll(pool: pg.Pool, nats: NatsConnection): Promise<void> {
  let published = BATCH
  while (published === BATCH) published = await publishBatch(pool, nats)
}

const HAS_PENDING = { name: 'outbox-pending', text: 'SELECT FROM outbox WHERE published_at IS NULL LIMIT 1' }
const TAKE = {
  name: 'outbox-take',
  text: `SELECT seq, id, subject, payload, headers FROM outbox WHERE published_at IS NULL
    ORDER BY seq LIMIT ${BATCH} FOR UPDATE SKIP LOCKED`,
}
const MARK_PUBLISHED = {
  name: 'outbox-published',
  text: 'UPDATE outbox SET published_at = now() WHERE seq = ANY($1::bigint[])',
}

async function hasPending(pool: pg.Pool): Promise<boolean> {
  return (await pool.query(HAS_PENDING)).rowCount !== 0
}

interface OutboxRow {
  seq: string
  id: string
  subject: string
  payload: Uint8Array
  headers: Record<string, string>
}

/** Publishes and marks up to one batch in one transaction; returns their number. @throws when a row fails; it stays */
async function publishBatch(pool: pg.Pool, nats: NatsConnection): Promise<number> {
  const results = await inTransaction(pool, async (client) => {
    // By state and row locks, never by "seq > last seen": sequences commit out of order.
    const { rows } = await client.query<OutboxRow>(TAKE)
    if (rows.length === 0) return []
    const outcomes = await Promise.allSettled(rows.map((row) => publish(nats, row)))
    const published = rows.filter((_, index) => outcomes[index]?.status === 'fulfilled').map((row) => row.seq)
    await client.query({ ...MARK_PUBLISHED, values: [published] })
    return outcomes
  })
  const failed = results.find((result) => result.status === 'rejected')
  if (failed) throw failed.reason
  return results.length
}

async function publish(nats: NatsConnection, row: OutboxRow): Promise<void> {
  const send = () =>
    jetstream(nats).publish(row.subject, row.payload, {
      msgID: row.id,
      headers: toHeaders({ ...row.headers, ...traceHeaders() }),
      timeout: PUBLISH_TIMEOUT_MS,
    })
  await continueTrace(row.headers, `publish ${row.subject}`, send, SpanKind.PRODUCER)
}

/** Published rows are kept for a week, so that an operator can publish them again to rebuild a projection. */
export async function deleteOldEvents(pool: pg.Pool): Promise<void> {
  await pool.query(
    `DELETE FROM outbox WHERE seq IN (
       SELECT seq FROM outbox WHERE published_at < now() - interval '7 days' ORDER BY seq LIMIT 10000)`,
  )
}
