import { jetstream, jetstreamManager } from '@nats-io/jetstream'
import type { NatsConnection } from '@nats-io/transport-node'
import {
  type ConsumerOptions,
  connectNats,
  ensureStreams,
  onEvent,
  openPool,
  type RunningConsumer,
  startConsumer,
} from '@skyfolio/kit'
import { events, PhotoChangedSchema, PhotoDeletedSchema } from '@skyfolio/proto'
import { runFixture, startNats, startPostgres, type TestDatabase, type TestServer, waitFor } from '@skyfolio/testkit'
import fc from 'fast-check'
import type pg from 'pg'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { encode } from '../src/events/core-nats.ts'
import { busDatabase, streamSize } from './fixtures/bus.ts'
import { databaseOf, photoHandlers, silent } from './fixtures/projection.ts'

let server: TestServer
let nats: NatsConnection
let database: TestDatabase
let pool: pg.Pool

beforeAll(async () => {
  server = await startNats()
  nats = await connectNats(server.url, 'consumer-test')
  await ensureStreams(nats, events)
  database = await busDatabase()
  pool = openPool(database.url)
})

afterAll(async () => {
  await nats.close()
  await server.stop()
  await pool.end()
  await database.drop()
})

// Every test begins with empty streams and tables, and its own durable consumer.
beforeEach(async () => {
  const manager = await jetstreamManager(nats)
  await manager.streams.purge('EVENTS')
  await manager.streams.purge('DEADLETTERS')
  await pool.query('TRUNCATE photos, handled')
})

let durables = 0
const start = (options: Partial<ConsumerOptions<pg.PoolClient>> = {}): Promise<RunningConsumer> =>
  startConsumer({
    nats,
    durable: `consumer-${++durables}`,
    handlers: photoHandlers,
    db: databaseOf(pool),
    logger: silent,
    ...options,
  })

const publishChanged = (id: number, revision: number, title = `Revision ${revision}`) =>
  jetstream(nats).publish(events.photoChanged.subject, encode(PhotoChangedSchema, { photo: { id, title }, revision }))

const publishDeleted = (photoId: number, revision: number) =>
  jetstream(nats).publish(events.photoDeleted.subject, encode(PhotoDeletedSchema, { photoId, revision }))

const rows = async (sql: string) => (await pool.query(sql)).rows

describe('consumer', () => {
  test('handles what was published before it began and what is published later', async () => {
    await publishChanged(1, 1)
    const consumer = await start()
    await publishChanged(2, 1)
    await consumer.drained()
    expect(await rows('SELECT id FROM photos ORDER BY id')).toEqual([{ id: 1 }, { id: 2 }])
    await consumer.stop()
  })

  test('continues after a stop where it stopped', async () => {
    const durable = 'stopped-between'
    const first = await start({ durable })
    await publishChanged(1, 1)
    await first.drained()
    await first.stop()
    await publishChanged(2, 1)
    const second = await start({ durable })
    await second.drained()
    expect(await rows('SELECT photo_id FROM handled ORDER BY at')).toEqual([{ photo_id: 1 }, { photo_id: 2 }])
    await second.stop()
  })

  test('ends with the newest state of each photo, in whatever order and however often events come', async () => {
    const consumer = await start()
    let nextId = 1
    const history = fc.array(fc.boolean(), { minLength: 1, maxLength: 5 })
    await fc.assert(
      fc.asyncProperty(
        fc.array(history, { minLength: 1, maxLength: 3 }),
        fc.infiniteStream(fc.nat()),
        async (histories, picks) => {
          const photos = histories.map((deletions) => ({ id: nextId++, deletions }))
          const inOrder = photos.flatMap(({ id, deletions }) =>
            deletions.map((deleted, index) => ({ id, deleted, revision: index + 1 })),
          )
          const doubled = inOrder.flatMap((event) => (picks.next().value % 3 === 0 ? [event, event] : [event]))
          const shuffled = doubled
            .map((event) => ({ event, place: picks.next().value }))
            .sort((a, b) => a.place - b.place)
          for (const { event } of shuffled) {
            await (event.deleted ? publishDeleted(event.id, event.revision) : publishChanged(event.id, event.revision))
          }
          await consumer.drained()
          const ids = photos.map(({ id }) => id)
          const found = await pool.query('SELECT id, revision, deleted FROM photos WHERE id = ANY($1) ORDER BY id', [
            ids,
          ])
          expect(found.rows).toEqual(
            photos.map(({ id, deletions }) => ({ id, revision: deletions.length, deleted: deletions.at(-1) })),
          )
        },
      ),
      { numRuns: 30 },
    )
    await consumer.stop()
  })

  test('delivers again what a consumer had committed but not acknowledged when it was killed', async () => {
    const durable = 'killed-after-commit'
    await publishChanged(1, 1)
    const child = runFixture(new URL('./fixtures/dying-consumer.ts', import.meta.url), [
      database.url,
      server.url,
      durable,
      'after-commit',
    ])
    expect(await child.ended).toBe('SIGKILL')
    expect(await rows('SELECT id, revision FROM photos')).toEqual([{ id: 1, revision: 1 }])

    const consumer = await start({ durable, ackWaitMs: 500 })
    await consumer.drained()
    expect(await rows('SELECT photo_id FROM handled')).toHaveLength(2)
    expect(await rows('SELECT id, revision FROM photos')).toEqual([{ id: 1, revision: 1 }])
    await consumer.stop()
  })

  test('retries a failing message with growing delays, then stores it as a dead letter with its error', async () => {
    const tries: number[] = []
    const committed: unknown[] = []
    const failing = onEvent(events.photoChanged, async ({ photo }, tx: pg.PoolClient, afterCommit) => {
      afterCommit(() => committed.push(photo?.id))
      const message = encode(PhotoChangedSchema, { photo, revision: 1 })
      if (photo?.id !== 13) return photoHandlers[0]?.handle(message, tx, afterCommit)
      tries.push(Date.now())
      await tx.query('INSERT INTO handled (photo_id, revision) VALUES (13, 1)')
      throw new Error('cannot stand this photo')
    })
    const consumer = await start({ durable: 'poisoned', handlers: [failing], backoffMs: [50, 400] })
    await publishChanged(13, 1)
    await publishChanged(14, 1)
    await consumer.drained()

    expect(tries).toHaveLength(3)
    expect((tries[1] ?? 0) - (tries[0] ?? 0)).toBeGreaterThanOrEqual(45)
    expect((tries[2] ?? 0) - (tries[1] ?? 0)).toBeGreaterThanOrEqual(390)
    expect(await rows('SELECT photo_id FROM handled')).toEqual([{ photo_id: 14 }])
    expect(committed).toEqual([14])
    const letter = await (await jetstreamManager(nats)).streams.getMessage('DEADLETTERS', {
      last_by_subj: 'deadletter.poisoned.media.photo.changed',
    })
    expect(letter?.header.get('Skyfolio-Error')).toContain('cannot stand this photo')
    expect(letter?.header.get('Skyfolio-Tries')).toBe('3')
    expect(letter?.data).toEqual(encode(PhotoChangedSchema, { photo: { id: 13, title: 'Revision 1' }, revision: 1 }))
    await consumer.stop()
  })

  test('stores a message that cannot be decoded as a dead letter', async () => {
    const consumer = await start({ backoffMs: [] })
    await jetstream(nats).publish(events.photoChanged.subject, new Uint8Array([255, 255, 255]))
    await consumer.drained()
    expect(await streamSize(nats, 'DEADLETTERS')).toBe(1)
    await consumer.stop()
  })

  test('stores a message that kills its consumer as a dead letter', async () => {
    const durable = 'killed-by-message'
    await publishChanged(1, 1)
    const child = runFixture(new URL('./fixtures/dying-consumer.ts', import.meta.url), [
      database.url,
      server.url,
      durable,
      'in-handler',
    ])
    expect(await child.ended).toBe('SIGKILL')
    const consumer = await start({ durable, ackWaitMs: 500, backoffMs: [] })
    await waitFor(async () => (await streamSize(nats, 'DEADLETTERS')) === 1, { what: 'the dead letter' })
    expect(await rows('SELECT photo_id FROM handled')).toEqual([])
    await consumer.stop()
  })

  test('waits while the database is unavailable without using up the attempts', async () => {
    const postgres = await startPostgres({ durable: true })
    const own = openPool(`${postgres.url}/postgres`)
    await own.query('CREATE TABLE handled (photo_id integer NOT NULL, revision integer NOT NULL)')
    await own.query('CREATE TABLE photos (id integer PRIMARY KEY, title text, revision integer, deleted boolean)')
    let attempts = 0
    const consumer = await start({
      db: {
        $transaction(work) {
          attempts += 1
          return databaseOf(own).$transaction(work)
        },
      },
      backoffMs: [],
    })
    await postgres.kill()
    await publishChanged(1, 1)
    await waitFor(() => attempts >= 3, { what: 'three attempts' })
    await postgres.start()
    await consumer.drained()
    expect((await own.query('SELECT photo_id FROM handled')).rows).toEqual([{ photo_id: 1 }])
    expect(await streamSize(nats, 'DEADLETTERS')).toBe(0)
    await consumer.stop()
    await own.end()
    await postgres.stop()
  })

  test('a handler that takes too long is a failure, no outage', async () => {
    const message = 'Transaction API error: A query cannot be executed on an expired transaction.'
    const expired = Object.assign(new Error(message), { code: 'P2028' })
    const consumer = await start({ db: { $transaction: () => Promise.reject(expired) }, backoffMs: [] })
    await publishChanged(1, 1)
    await waitFor(async () => (await streamSize(nats, 'DEADLETTERS')) === 1, { what: 'the dead letter' })
    await consumer.stop()
  })

  test.each([
    ['succeeds', undefined],
    ['fails', new Error('broken')],
    ['finds no database', Object.assign(new Error('refused'), { code: 'ECONNREFUSED' })],
  ])(
    'a handler that %s after its process has waited for it in vain fails nothing, and no event is lost',
    async (_how, failure) => {
      const own = await connectNats(server.url, 'drained-early')
      const began = Promise.withResolvers<void>()
      const release = Promise.withResolvers<void>()
      const durable = `drained-early-${++durables}`
      const late = await start({
        nats: own,
        durable,
        ackWaitMs: 100,
        db: {
          async $transaction(work) {
            began.resolve()
            await release.promise
            if (failure) throw failure
            return databaseOf(pool).$transaction(work)
          },
        },
      })
      await publishChanged(1, 1)
      await began.promise
      const stopped = late.stop()
      await own.drain()
      release.resolve()
      await stopped
      const next = await start({ durable, ackWaitMs: 100 })
      await next.drained()
      expect(await rows('SELECT id FROM photos')).toEqual([{ id: 1 }])
      await next.stop()
    },
  )

  test('continues when NATS is available again', async () => {
    const own = await startNats({ durable: true })
    const connection = await connectNats(own.url, 'coming-back')
    await ensureStreams(connection, events)
    const consumer = await start({ nats: connection })
    await own.kill()
    await own.start()
    const message = encode(PhotoChangedSchema, { photo: { id: 1, title: 'After' }, revision: 1 })
    await waitFor(() => jetstream(connection).publish(events.photoChanged.subject, message), { what: 'published' })
    await consumer.drained()
    expect(await rows('SELECT title FROM photos')).toEqual([{ title: 'After' }])
    await consumer.stop()
    await connection.close()
    await own.stop()
  })
})
