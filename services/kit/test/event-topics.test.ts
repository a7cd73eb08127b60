import { StringValueSchema } from '@bufbuild/protobuf/wkt'
import { jetstreamManager } from '@nats-io/jetstream'
import type { NatsConnection } from '@nats-io/transport-node'
import { connectNats, emit, ensureStreams, onEvent, openPool, startConsumer, startRelay } from '@skyfolio/kit'
import { type EventTopic, events, hints } from '@skyfolio/proto'
import { startNats, type TestDatabase, type TestServer } from '@skyfolio/testkit'
import type pg from 'pg'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { busDatabase } from './fixtures/bus.ts'
import { databaseOf, prismaLike, silent } from './fixtures/projection.ts'

/** The event of a service that does not exist yet. */
const parcelChanged: EventTopic<typeof StringValueSchema> = {
  kind: 'event',
  subject: 'parcels.parcel.changed',
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

function consumeParcels(handled: string[] = []) {
  const handler = onEvent(parcelChanged, async ({ value }, _tx: pg.PoolClient) => void handled.push(value))
  return startConsumer({
    nats,
    durable: 'parcels',
    handlers: [handler],
    db: databaseOf(pool),
    logger: silent,
  })
}

test('the stream stores the declared events, and redelivered ones', async () => {
  await ensureStreams(nats, events)
  expect(await subjects()).toEqual([
    'media.photo.*',
    'folders.folder.*',
    'orders.order.*',
    'media.usage.*',
    'media.upload.*',
    'media.export.*',
    'auth.user.*',
    'media.erasure.*',
    'folders.erasure.*',
    'orders.erasure.*',
    'media.audit.*',
    'folders.audit.*',
    'orders.audit.*',
    'redelivery.>',
  ])
})

test('an event of a new service reaches its consumer once it is declared', async () => {
  await ensureStreams(nats, events)
  await ensureStreams(nats, { ...events, parcelChanged })
  expect(await subjects()).toContain('parcels.parcel.*')
  const handled: string[] = []
  const consumer = await consumeParcels(handled)
  await prismaLike(pool).$transaction((tx) => emit(tx, parcelChanged, { value: 'order 1' }))
  const relay = startRelay({ pool, nats, logger: silent })
  await relay.flush()
  await relay.stop()
  await consumer.drained()
  expect(handled).toEqual(['order 1'])
  await consumer.stop()
})

test('a consumer of an event that no stream stores does not start', async () => {
  await ensureStreams(nats, events)
  await expect(consumeParcels()).rejects.toThrow('The stream EVENTS does not store parcels.parcel.changed.')
})

test('rejects a subject that would not have a stream of its own', async () => {
  const parcel = { ...parcelChanged, subject: 'parcels' }
  await expect(ensureStreams(nats, { parcel })).rejects.toThrow('The event subject "parcels" must have the form')
})

test('a hint cannot be emitted as an event', async () => {
  const hint = hints.sessionRevoked as EventTopic<typeof hints.sessionRevoked.schema>
  const emitting = prismaLike(pool).$transaction((tx) => emit(tx, hint, { sessionHash: '' }))
  await expect(emitting).rejects.toThrow('auth.session.revoked is not an event')
})
