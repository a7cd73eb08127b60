import { execFile } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { jetstream } from '@nats-io/jetstream'
import type { NatsConnection } from '@nats-io/transport-node'
import { connectNats, ensureStreams, onEvent, openPool, startConsumer } from '@skyfolio/kit'
import { events, PhotoChangedSchema } from '@skyfolio/proto'
import { startNats, type TestDatabase, type TestServer, waitFor } from '@skyfolio/testkit'
import type pg from 'pg'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { encode } from '../../src/events/core-nats.ts'
import { type DeadLetter, deadLetters } from '../../src/events/dead-letters.ts'
import { busDatabase } from '../fixtures/bus.ts'
import { databaseOf, photoHandlers, silent } from '../fixtures/projection.ts'

const COMMAND = fileURLToPath(new URL('../../src/events/dead-letters-command.ts', import.meta.url))
const PASSWORD = 'the password'
let server: TestServer
let url: string
let nats: NatsConnection
let database: TestDatabase
let pool: pg.Pool

beforeAll(async () => {
  server = await startNats({ config: [`authorization { user: skyfolio, password: ${JSON.stringify(PASSWORD)} }`] })
  url = server.url.replace('://', `://skyfolio:${encodeURIComponent(PASSWORD)}@`)
  nats = await connectNats(url, 'test')
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

const publish = (id: number, revision = 1) =>
  jetstream(nats).publish(
    events.photoChanged.subject,
    encode(PhotoChangedSchema, { photo: { id, title: `Photo ${id}` }, revision }),
  )

/** Runs the command as an operator does. */
async function command(...args: string[]): Promise<{ code: number; out: string }> {
  const run = promisify(execFile)(process.execPath, [COMMAND, ...args], { env: { ...process.env, NATS_URL: url } })
  return run.then(
    ({ stdout }) => ({ code: 0, out: stdout }),
    ({ code, stdout, stderr }) => ({ code, out: stdout + stderr }),
  )
}

const consumers: { stop(): Promise<void> }[] = []

/** A consumer of photos, which fails as long as `poison` says so. */
async function start(durable: string, poison: (id: number) => boolean = () => false) {
  const handler = onEvent(events.photoChanged, async (message, tx: pg.PoolClient, afterCommit) => {
    if (poison(message.photo?.id ?? 0)) throw new Error(`cannot stand photo ${message.photo?.id}`)
    await photoHandlers[0]?.handle(encode(PhotoChangedSchema, message), tx, afterCommit)
  })
  const options = {
    nats,
    durable,
    handlers: [handler],
    db: databaseOf(pool),
    logger: silent,
    backoffMs: [1],
  }
  const consumer = await startConsumer(options)
  consumers.push(consumer)
  return consumer
}
afterAll(() => Promise.all(consumers.map((consumer) => consumer.stop())))

async function lettersOf(consumer: string): Promise<DeadLetter[]> {
  const letters: DeadLetter[] = []
  for await (const letter of deadLetters(nats, { consumer })) letters.push(letter)
  return letters
}
const handledOf = async (id: number) =>
  (await pool.query('SELECT revision FROM handled WHERE photo_id = $1', [id])).rows.length

test('a dead letter is listed, shown, redelivered to its consumer alone after the fix, applied once, and removed', async () => {
  let broken = true
  const failing = await start('failing', (id) => broken && id === 13)
  const other = await start('other')
  await publish(13)
  await Promise.all([failing.drained(), other.drained()])
  expect(await handledOf(13)).toBe(1)
  const [letter] = await lettersOf('failing')

  const listed = await command('list')
  expect(listed.out).toContain(
    `${letter?.sequence}  0 min    failing  media.photo.changed  2 attempts  Error: cannot stand photo 13`,
  )
  expect(listed.out).toContain('1  failing  media.photo.changed')
  expect((await command('list', '--consumer', 'other')).out).toBe('There are no dead letters.\n')
  const shown = await command('show', `${letter?.sequence}`, '--data')
  expect(shown.out).toContain('"title": "Photo 13"')
  expect((await command('show', `${letter?.sequence}`)).out).not.toContain('Photo 13')

  broken = false
  expect(await command('retry', `${letter?.sequence}`)).toMatchObject({ code: 0 })
  await Promise.all([failing.drained(), other.drained()])
  expect(await handledOf(13)).toBe(2)
  expect(await lettersOf('failing')).toEqual([])
  expect((await pool.query('SELECT revision FROM photos WHERE id = 13')).rows).toEqual([{ revision: 1 }])
})

test('redelivering a letter that is older than the present state changes nothing', async () => {
  let broken = true
  const consumer = await start('overtaken', (id) => broken && id === 21)
  await publish(21, 1)
  await consumer.drained()
  broken = false
  await publish(21, 2)
  await consumer.drained()
  expect(await command('retry', '--all', '--consumer', 'overtaken')).toMatchObject({ code: 0 })
  await consumer.drained()
  expect((await pool.query('SELECT revision FROM photos WHERE id = 21')).rows).toEqual([{ revision: 2 }])
})

test('an event that fails again becomes a new letter, also when the whole list is redelivered', async () => {
  const consumer = await start('hopeless', (id) => id === 31 || id === 32)
  await publish(31)
  await publish(32)
  await consumer.drained()
  const before = await lettersOf('hopeless')
  expect((await command('retry', '--all', '--consumer', 'hopeless')).out).toContain(': 2.')
  const after = await waitFor(
    async () => {
      const letters = await lettersOf('hopeless')
      return letters.length === 2 && letters.every(({ sequence }) => sequence > (before[1]?.sequence ?? 0)) && letters
    },
    { what: 'the new letters' },
  )
  expect(after.map(({ subject, consumer: durable }) => [durable, subject])).toEqual([
    ['hopeless', 'media.photo.changed'],
    ['hopeless', 'media.photo.changed'],
  ])
})

test('discarding needs --yes, and removes only the given letters', async () => {
  const consumer = await start('discarding', (id) => id === 41 || id === 42)
  await publish(41)
  await publish(42)
  await consumer.drained()
  const [first, second] = await lettersOf('discarding')
  expect((await command('discard', `${first?.sequence}`)).out).toContain('--yes')
  expect(await lettersOf('discarding')).toHaveLength(2)
  expect(await command('discard', `${first?.sequence}`, '--yes')).toMatchObject({ code: 0 })
  expect((await lettersOf('discarding')).map(({ sequence }) => sequence)).toEqual([second?.sequence])
})

test('keeps a letter whose consumer no longer exists, and reports why', async () => {
  await jetstream(nats).publish('deadletter.gone.media.photo.changed', new Uint8Array([1]))
  const { code, out } = await command('retry', '--all', '--consumer', 'gone')
  expect({ code, out }).toEqual({ code: 1, out: 'The consumer gone no longer exists.\n' })
  expect(await lettersOf('gone')).toHaveLength(1)
})

test.each([[[]], [['retry']], [['retry', 'x']], [['retry', '1', '--all']], [['list', '--what']], [['show']]])(
  'the command prints its usage for %j',
  async (args: string[]) => {
    const { code, out } = await command(...args)
    expect(code).toBe(2)
    expect(out).toContain('discard SEQUENCE')
  },
)

test('an unknown letter is an error', async () => {
  expect(await command('show', '999999')).toEqual({ code: 1, out: 'There is no dead letter 999999.\n' })
})
