import { StringValueSchema } from '@bufbuild/protobuf/wkt'
import { jetstreamManager } from '@nats-io/jetstream'
import type { NatsConnection } from '@nats-io/transport-node'
import {
  connectNats,
  emit,
  ensureStreams,
  inTransaction,
  onEvent,
  openPool,
  startConsumer,
  startRelay,
} from '@skyfolio/kit'
import { type EventTopic, events, hints } from '@skyfolio/proto'
import { startNats, type TestDatabase, type TestServer } from '@skyfolio/testkit'
import type pg from 'pg'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { busDatabase } from './fixtures/bus.ts'
import { silent, sqlTransaction, transactionOf } from './fixtures/projection.ts'

/** The event of a service that does not exist yet. */
const orderChanged: EventTopic<typeof StringValueSchema> = {
  kind: 'event',
  subject: 'orders.order.changed',
  schema: StringValueSchema,
}

let server: TestServer
let nats: NatsConnection
let database: TestDatabase
let pool: pg.Pool

beforeEach(async () => {
  server = await startNats()
  nats = await connectNats(server.url, 'topics-test')
  database = await busDatabase()
  pool = openPool(database.url)
})

afterEach(async () => {
  await nats.close()
  await server.stop()
  await pool.end()
  await database.drop()
})

const subjects = async () => (await (await jetstreamManager(nats)).streams.info('EVENTS')).config.subjects

function consumeOrders(handled: string[] = []) {
  const handler = onEvent(orderChanged, async ({ value }, _tx: pg.PoolClient) => void handled.push(value))
  return startConsumer({
    nats,
    durable: 'orders',
    handlers: [handler],
    transaction: transactionOf(pool),
    logger: silent,
  })
}

test('the stream stores the declared events, and redelivered ones', async () => {
  await ensureStreams(nats, events)
  expect(await subjects()).toEqual(['media.photo.*', 'folders.folder.*', 'redelivery.>'])
})

test('an event of a new service reaches its consumer once it is declared', async () => {
  await ensureStreams(nats, events)
  await ensureStreams(nats, { ...events, orderChanged })
  expect((await subjects()).toSorted()).toEqual(['folders.folder.*', 'media.photo.*', 'orders.order.*', 'redelivery.>'])
  const handled: string[] = []
  const consumer = await consumeOrders(handled)
  await inTransaction(pool, (client) => emit(sqlTransaction(client), orderChanged, { value: 'order 1' }))
  const relay = startRelay({ pool, nats, logger: silent })
  await relay.flush()
  await relay.stop()
  await consumer.drained()
  expect(handled).toEqual(['order 1'])
  await consumer.stop()
})

test('a consumer of an event that no stream stores does not start', async () => {
  await ensureStreams(nats, events)
  await expect(consumeOrders()).rejects.toThrow('The stream EVENTS does not store orders.order.changed.')
})

test('rejects a subject that would not have a stream of its own', async () => {
  const order = { ...orderChanged, subject: 'orders' }
  await expect(ensureStreams(nats, { order })).rejects.toThrow('The event subject "orders" must have the form')
})

test('a hint cannot be emitted as an event', async () => {
  const hint = hints.sessionRevoked as EventTopic<typeof hints.sessionRevoked.schema>
  const emitting = inTransaction(pool, (client) => emit(sqlTransaction(client), hint, { sessionHash: '' }))
  await expect(emitting).rejects.toThrow('auth.session.revoked is not an event')
})
