import type { NatsConnection } from '@nats-io/transport-node'
import { connectNats, emit, ensureStreams, onHint, openPool, startRelay } from '@skyfolio/kit'
import { events } from '@skyfolio/proto'
import { runFixture, startNats, type TestDatabase, type TestServer, waitFor } from '@skyfolio/testkit'
import type pg from 'pg'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { busDatabase, streamSize } from './fixtures/bus.ts'
import { prismaLike, silent } from './fixtures/projection.ts'

let server: TestServer
let nats: NatsConnection
let database: TestDatabase
let pool: pg.Pool

beforeEach(async () => {
  server = await startNats({ durable: true })
  nats = await connectNats(server.url, 'outbox-test')
  await ensureStreams(nats, events)
  database = await busDatabase()
  pool = openPool(database.url)
})

afterEach(async () => {
  await nats.close()
  await server.stop()
  await pool.end()
  await database.drop()
})

const photos = (...ids: number[]) => ids.map((id) => ({ photo: { id, title: `Photo ${id}` }, revision: 1 }))

const emitPhotos = (...ids: number[]) =>
  prismaLike(pool).$transaction((tx) => emit(tx, events.photoChanged, ...photos(...ids)))

const unpublished = async () =>
  Number((await pool.query('SELECT count(*) FROM outbox WHERE published_at IS NULL')).rows[0].count)

/** The ids of every photo event that goes over the wire from now on, duplicates included. */
function listen(): number[] {
  const seen: number[] = []
  onHint(nats, events.photoChanged, ({ photo }) => void seen.push(photo?.id ?? 0))
  return seen
}

describe('outbox', () => {
  test('publishes what was committed, in order, and nothing that was rolled back', async () => {
    const seen = listen()
    await emitPhotos(3, 1, 2)
    const failing = prismaLike(pool).$transaction(async (tx) => {
      await emit(tx, events.photoChanged, ...photos(4))
      throw new Error('changed my mind')
    })
    await expect(failing).rejects.toThrow('changed my mind')
    const relay = startRelay({ pool, nats, logger: silent })
    await relay.flush()
    await relay.stop()
    await waitFor(() => seen.length === 3, { what: 'three events' })
    expect(seen).toEqual([3, 1, 2])
    expect(await streamSize(nats, 'EVENTS')).toBe(3)
  })

  test('publishes at once when it is woken after a commit', async () => {
    const relay = startRelay({ pool, nats, logger: silent, intervalMs: 60_000 })
    await relay.flush()
    const seen = listen()
    await emitPhotos(1)
    relay.wake()
    await waitFor(() => seen.length === 1, { what: 'the event', timeoutMs: 5_000 })
    await relay.stop()
  })

  test('publishes again what a killed relay had published but not marked, and the stream keeps it once', async () => {
    const seen = listen()
    await emitPhotos(1, 2, 3)
    const child = runFixture(new URL('./fixtures/dying-relay.ts', import.meta.url), [database.url, server.url])
    expect(await child.ended).toBe('SIGKILL')
    expect(await unpublished()).toBe(3)
    expect(await streamSize(nats, 'EVENTS')).toBe(3)

    const relay = startRelay({ pool, nats, logger: silent })
    await relay.flush()
    await relay.stop()
    expect(await unpublished()).toBe(0)
    await waitFor(() => seen.length === 6, { what: 'both publications' })
    expect(await streamSize(nats, 'EVENTS')).toBe(3)
  })

  test('shares the rows between two relays, each row to one of them', async () => {
    const seen = listen()
    const ids = Array.from({ length: 1500 }, (_, index) => index + 1)
    await emitPhotos(...ids)
    const otherPool = openPool(database.url)
    const relays = [pool, otherPool].map((own) => startRelay({ pool: own, nats, logger: silent, intervalMs: 5 }))
    await waitFor(async () => (await unpublished()) === 0, { what: 'everything published' })
    await Promise.all(relays.map((relay) => relay.stop()))
    await nats.flush()
    expect(seen.toSorted((a, b) => a - b)).toEqual(ids)
    await otherPool.end()
  })

  test('keeps events while NATS is down and publishes them when it is back', async () => {
    const relay = startRelay({ pool, nats, logger: silent, intervalMs: 20 })
    await server.kill()
    await emitPhotos(1, 2)
    await expect(relay.flush()).rejects.toThrow()
    expect(await unpublished()).toBe(2)
    await server.start()
    await waitFor(async () => (await unpublished()) === 0, { what: 'everything published', timeoutMs: 20_000 })
    expect(await streamSize(nats, 'EVENTS')).toBe(2)
    await relay.stop()
  })
})
