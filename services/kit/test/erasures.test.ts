import { fromBinary } from '@bufbuild/protobuf'
import type { NatsConnection } from '@nats-io/transport-node'
import {
  connectNats,
  type ErasureDeps,
  type ErasureProgress,
  emit,
  ensureStreams,
  eraseRequested,
  onEvent,
  openPool,
  requestErasure,
  type SqlTransaction,
  startConsumer,
  startErasures,
  startRelay,
} from '@skyfolio/kit'
import { ErasureChangedSchema, events } from '@skyfolio/proto'
import { startNats, type TestDatabase, type TestServer, waitFor } from '@skyfolio/testkit'
import type pg from 'pg'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { busDatabase } from './fixtures/bus.ts'
import { prismaLike, silent } from './fixtures/projection.ts'

let database: TestDatabase
let pool: pg.Pool

beforeEach(async () => {
  database = await busDatabase()
  pool = openPool(database.url)
})
afterEach(async () => {
  await pool.end()
  await database.drop()
})

const transaction = <T>(work: (tx: SqlTransaction) => Promise<T>) => prismaLike(pool).$transaction(work)

async function own(userId: number, ...names: string[]): Promise<void> {
  for (const name of names) await pool.query('INSERT INTO belongings VALUES ($1, $2)', [userId, name])
}

const request = (userId: number) => transaction((tx) => requestErasure(tx, userId))
const left = async () => (await pool.query('SELECT FROM belongings')).rowCount

async function eraseAll(userId: number): Promise<ErasureProgress> {
  await pool.query('DELETE FROM belongings WHERE user_id = $1', [userId])
  return 'complete'
}

function deps(erase: ErasureDeps['erase'] = eraseAll): ErasureDeps {
  return { pool, logger: silent, topic: events.foldersErasureChanged, db: prismaLike(pool), erase, afterCommit() {} }
}

/** What was published, as one line each. */
async function reported(): Promise<string[]> {
  const { rows } = await pool.query<{ payload: Uint8Array }>('SELECT payload FROM outbox ORDER BY seq')
  return rows.map(({ payload }) => {
    const { userId, complete, waitsFor, revision } = fromBinary(ErasureChangedSchema, payload)
    return `${userId} ${complete ? 'complete' : `waits: ${waitsFor}`} ${revision}`
  })
}

test('erases what was requested, of nobody else, and reports it once', async () => {
  await own(1, 'a photo', 'a folder')
  await own(2, 'another photo')
  await request(1)
  await eraseRequested(deps())
  await eraseRequested(deps())
  expect(await reported()).toEqual(['1 complete 1'])
  expect(await left()).toBe(1)
})

test('what is rolled back is not requested', async () => {
  await own(1, 'a photo')
  const failing = transaction(async (tx) => {
    await requestErasure(tx, 1)
    throw new Error('rolled back')
  })
  await expect(failing).rejects.toThrow('rolled back')
  await eraseRequested(deps())
  expect([await left(), await reported()]).toEqual([1, []])
})

test('a repeated event erases what was restored since, and confirms again', async () => {
  await request(1)
  await eraseRequested(deps())
  await own(1, 'a restored photo')
  await request(1)
  await request(1)
  await eraseRequested(deps())
  expect(await reported()).toEqual(['1 complete 1', '1 complete 2'])
  expect(await left()).toBe(0)
})

test('says what it waits for whenever that changes, and goes on when it need not wait any more', async () => {
  const responses: ErasureProgress[] = [
    { waitsFor: 'An order.' },
    { waitsFor: 'An order.' },
    { waitsFor: 'Its images.' },
    { waitsFor: '' },
    'complete',
  ]
  await request(1)
  for (const response of responses) await eraseRequested(deps(async () => response))
  expect(await reported()).toEqual(['1 waits: An order. 1', '1 waits: Its images. 2', '1 waits:  3', '1 complete 4'])
})

test('a user who waits, or whose erasure fails, does not hold up the others, however many there are', async () => {
  for (let userId = 1; userId <= 250; userId += 1) await request(userId)
  await eraseRequested(
    deps(async (userId) => {
      if (userId % 10 === 0) throw new Error('out of order')
      return userId <= 240 ? { waitsFor: 'An order.' } : 'complete'
    }),
  )
  const complete = (await reported()).filter((line) => line.includes('complete'))
  expect(complete).toEqual([241, 242, 243, 244, 245, 246, 247, 248, 249].map((userId) => `${userId} complete 1`))
  await eraseRequested(deps())
  expect((await reported()).filter((line) => line.includes('complete'))).toHaveLength(250)
})

test('an erasure that was interrupted is repeated', async () => {
  await own(1, 'one', 'two', 'three')
  await request(1)
  const interrupted = async () => {
    await pool.query("DELETE FROM belongings WHERE name = 'one'")
    throw new Error('killed')
  }
  await eraseRequested(deps(interrupted))
  expect([await left(), await reported()]).toEqual([2, []])
  await eraseRequested(deps())
  expect([await left(), await reported()]).toEqual([0, ['1 complete 1']])
})

test('one of two processes is at a user at a time, and the other goes on with the next', async () => {
  await request(1)
  await request(2)
  let release = () => {}
  const held = new Promise<void>((resolve) => {
    release = resolve
  })
  const calls: string[] = []
  const slow = deps(async (userId) => {
    calls.push(`slow ${userId}`)
    if (userId === 1) await held
    return 'complete'
  })
  const fast = deps(async (userId) => {
    calls.push(`fast ${userId}`)
    return 'complete'
  })
  const first = eraseRequested(slow)
  await waitFor(async () => calls.includes('slow 1'), { what: 'the first process to begin' })
  await eraseRequested(fast)
  expect(calls).toEqual(['slow 1', 'fast 2'])
  release()
  await first
  expect((await reported()).sort()).toEqual(['1 complete 1', '2 complete 1'])
})

test('a process that loses its connection leaves the user to others', async () => {
  await request(1)
  const own = openPool(database.url)
  const dying = deps(async () => {
    await pool.query(
      "SELECT pg_terminate_backend(pid) FROM pg_locks JOIN pg_database ON oid = database WHERE locktype = 'advisory' AND datname = current_database()",
    )
    throw new Error('lost')
  })
  await eraseRequested({ ...dying, pool: own })
  await own.end()
  // PostgreSQL ends the connection, and with it the lock, a moment after it was told to.
  await expect
    .poll(async () => {
      await eraseRequested(deps())
      return reported()
    })
    .toEqual(['1 complete 1'])
})

test('an event of auth leads to the event of the service', async () => {
  const server: TestServer = await startNats()
  const nats: NatsConnection = await connectNats(server.url, 'erasures-test')
  await ensureStreams(nats, events)
  const relay = startRelay({ pool, nats, logger: silent })
  const confirmed: number[] = []
  const consumer = await startConsumer<SqlTransaction>({
    nats,
    durable: 'erasing',
    handlers: [
      onEvent(events.userDeleted, ({ userId }, tx: SqlTransaction) => requestErasure(tx, userId)),
      onEvent(events.foldersErasureChanged, async ({ userId }) => void confirmed.push(userId)),
    ],
    db: prismaLike(pool),
    logger: silent,
  })
  const stop = startErasures({ ...deps(), afterCommit: relay.wake })
  await own(7, 'a photo')
  await transaction((tx) => emit(tx, events.userDeleted, { userId: 7 }))
  relay.wake()
  await waitFor(async () => confirmed.includes(7), { what: 'the confirmation' })
  expect(await left()).toBe(0)
  await Promise.all([stop(), consumer.stop()])
  await relay.stop()
  await nats.close()
  await server.stop()
})
