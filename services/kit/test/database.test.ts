import { cp, mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import {
  AppError,
  inTransaction,
  isDatabaseUnavailable,
  isUniqueViolation,
  openPool,
  preparedStatements,
  toAppError,
} from '@skyfolio/kit'
import { migrate } from '@skyfolio/kit/migrations'
import { startPostgres, startTcpProxy, type TestServer, testDirectory, waitFor } from '@skyfolio/testkit'
import type pg from 'pg'
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { isStatementTimeout } from '../src/postgres/database.ts'

const migrations = new URL('migrations', import.meta.url).pathname

let server: TestServer
let pool: pg.Pool

beforeAll(async () => {
  server = await startPostgres({ durable: true })
  await migrate(`${server.url}/fresh`, migrations)
  pool = openPool(`${server.url}/fresh`)
})

afterAll(async () => {
  await pool.end()
  await server.stop()
})

const insert = (id: number) => pool.query("INSERT INTO photos VALUES ($1, 'a photo', 1, false)", [id])
const caught = (promise: Promise<unknown>): Promise<unknown> => promise.then(() => undefined).catch((error) => error)

test('migrating creates the database, and does nothing the second time', async () => {
  await migrate(`${server.url}/fresh`, migrations)
  expect((await pool.query('SELECT id FROM photos')).rows).toEqual([])
})

test('a failing migration reports where and why', async () => {
  const folder = join(testDirectory(), 'broken-migrations')
  await mkdir(folder)
  await cp(migrations, folder, { recursive: true })
  await writeFile(join(folder, '20261127000000_broken.sql'), '-- migrate:up\nCREATE TABEL oops ();\n-- migrate:down\n')
  const error = await caught(migrate(`${server.url}/broken`, folder))
  expect(String(error)).toContain(folder)
  expect(String(error)).toContain('syntax error')
})

test('recognises a statement timeout', async () => {
  const timeout = await caught(
    inTransaction(pool, async (client) => {
      await client.query("SET LOCAL statement_timeout = '10ms'")
      await client.query('SELECT pg_sleep(60)')
    }),
  )
  expect([isStatementTimeout(timeout), toAppError(timeout).status]).toEqual([true, 503])
  expect(isStatementTimeout(await caught(pool.query('SELECT nothing')))).toBe(false)
})

test('a transaction commits when its work is done and rolls back when it fails', async () => {
  const add = (client: pg.PoolClient, id: number) =>
    client.query("INSERT INTO photos VALUES ($1, 'a photo', 1, false)", [id])
  await inTransaction(pool, (client) => add(client, 1))
  const failing = inTransaction(pool, async (client) => {
    await add(client, 2)
    throw new Error('no')
  })
  await expect(failing).rejects.toThrow('no')
  expect((await pool.query('SELECT id FROM photos')).rows).toEqual([{ id: 1 }])
})

test('a transaction that is rejected is rolled back and keeps its connection', async () => {
  const own = openPool(`${server.url}/fresh`, { max: 1 })
  const pid = async () => (await own.query('SELECT pg_backend_pid() AS pid')).rows[0].pid
  const before = await pid()
  const rejected = inTransaction(own, async (client) => {
    await client.query("INSERT INTO photos VALUES (20, 'a photo', 1, false)")
    throw new AppError(409, 'conflict', 'Not this one.')
  })
  await expect(rejected).rejects.toThrow('Not this one.')
  await expect(inTransaction(own, (client) => client.query('SELECT nonsense'))).rejects.toThrow('nonsense')
  expect(await pid()).toBe(before)
  expect((await own.query('SELECT id FROM photos WHERE id = 20')).rows).toEqual([])
  await own.end()
})

describe('a server that says nothing any more', () => {
  const QUERY_TIMEOUT_MS = 300

  async function freezable() {
    const proxy = await startTcpProxy(server.url)
    const url = Object.assign(new URL(server.url), { host: new URL(proxy.url).host, pathname: '/fresh' })
    const own = openPool(url.href, { max: 1 })
    own.options.query_timeout = QUERY_TIMEOUT_MS
    onTestFinished(async () => {
      await proxy.close()
      await own.end()
    })
    return { proxy, own }
  }

  test('fails the query and the transaction that wait for it, and their connections are closed', async () => {
    const { proxy, own } = await freezable()
    await own.query('SELECT 1')
    proxy.freeze()
    expect(isDatabaseUnavailable(await caught(own.query('SELECT 1')))).toBe(true)
    expect(own.totalCount).toBe(0)
    proxy.thaw()
    const interrupted = inTransaction(own, async (client) => {
      await client.query('SELECT 1')
      proxy.freeze()
      return client.query('SELECT 2')
    })
    expect(isDatabaseUnavailable(await caught(interrupted))).toBe(true)
    expect(own.totalCount).toBe(0)
    proxy.thaw()
    expect((await own.query('SELECT 1 AS one')).rows).toEqual([{ one: 1 }])
  })

  test('leaves nobody a connection whose transaction has not ended', async () => {
    const { proxy, own } = await freezable()
    // As Prisma does.
    const client = await own.connect()
    await client.query('BEGIN')
    proxy.freeze()
    for (const text of ['SELECT 1', 'ROLLBACK'])
      expect(isDatabaseUnavailable(await caught(client.query(text)))).toBe(true)
    client.release()
    proxy.thaw()
    await own.query("INSERT INTO photos VALUES (30, 'a photo', 1, false)")
    expect((await pool.query('SELECT id FROM photos WHERE id = 30')).rows).toHaveLength(1)
  })
})

describe('several hosts', () => {
  const LOGIN = 'several:pw'
  let standby: TestServer

  async function isReadOnly(server: TestServer, value: 'on' | 'off') {
    const admin = openPool(`${server.url}/postgres`, { max: 1 })
    await admin.query(`ALTER ROLE several SET default_transaction_read_only = ${value}`)
    await admin.end()
  }

  beforeAll(async () => {
    standby = await startPostgres({ durable: true })
    for (const one of [server, standby]) {
      const admin = openPool(`${one.url}/postgres`, { max: 1 })
      await admin.query("CREATE ROLE several LOGIN PASSWORD 'pw'")
      await admin.end()
    }
  })

  afterAll(() => standby.stop())

  /** A pool whose connections pass proxies. */
  async function pooled(options: { max?: number } = {}) {
    const proxies = [await startTcpProxy(server.url), await startTcpProxy(standby.url)] as const
    const hosts = proxies.map(({ url }) => new URL(url).host).join(',')
    const own = openPool(`postgres://${LOGIN}@${hosts}/postgres?target_session_attrs=read-write`, options)
    onTestFinished(async () => {
      for (const proxy of proxies) await proxy.close()
      await own.end()
    })
    const port = async () => Number((await own.query('SHOW port')).rows[0].port)
    return { own, port, proxies }
  }

  const portOf = ({ url }: TestServer) => Number(new URL(url).port)

  test('each connection goes to the one that accepts writes, and moves when another one does', async () => {
    await isReadOnly(standby, 'on')
    const { port, own, proxies } = await pooled()
    expect(await port()).toBe(portOf(server))
    await Promise.all([isReadOnly(server, 'on'), isReadOnly(standby, 'off')])
    proxies[0].cut()
    await waitFor(() => own.totalCount === 0, { what: 'the loss of the connection' })
    expect(await port()).toBe(portOf(standby))
  })

  test('without one that accepts writes the database is unavailable', async () => {
    await Promise.all([isReadOnly(server, 'on'), isReadOnly(standby, 'on')])
    const { port } = await pooled()
    const error = await caught(port())
    expect(String(error)).toMatch(/None of the database hosts accepts writes .*: read-only; .*: read-only/)
    expect(isDatabaseUnavailable(error)).toBe(true)
  })

  test('connections to one that has stopped are not used again after the first has shown it', async () => {
    await Promise.all([isReadOnly(server, 'off'), isReadOnly(standby, 'on')])
    const { own, port, proxies } = await pooled({ max: 3 })
    own.options.query_timeout = 1_500
    await Promise.all([port(), own.query('SELECT pg_sleep(0.1)'), own.query('SELECT pg_sleep(0.1)')])
    expect(own.idleCount).toBe(3)
    await isReadOnly(standby, 'off')
    proxies[0].freeze()
    expect(isDatabaseUnavailable(await caught(port()))).toBe(true)
    expect(await Promise.all([port(), port(), port()])).toEqual(Array(3).fill(portOf(standby)))
  })

  test('a connection to one that has become a standby is not used again', async () => {
    await Promise.all([isReadOnly(server, 'off'), isReadOnly(standby, 'on')])
    const { own, port } = await pooled({ max: 1 })
    expect(await port()).toBe(portOf(server))
    await own.query("SELECT set_config('default_transaction_read_only', 'on', false)")
    await Promise.all([isReadOnly(server, 'on'), isReadOnly(standby, 'off')])
    expect(isDatabaseUnavailable(await caught(own.query('CREATE TABLE nothing ()')))).toBe(true)
    expect(await port()).toBe(portOf(standby))
  })
})

test('sessions have the settings of the database, and send none of their own', async () => {
  const { rows } = await pool.query(
    `SELECT name, setting FROM pg_settings WHERE source = 'database' OR source = 'client' ORDER BY name`,
  )
  expect(rows.map(({ name, setting }) => `${name}=${setting}`)).toEqual([
    'client_encoding=UTF8',
    'idle_in_transaction_session_timeout=30000',
    'jit=off',
    'random_page_cost=1.1',
    'statement_timeout=15000',
  ])
})

test('with ?pgbouncer=true no statement is prepared for later', async () => {
  const count = async (url: string) => {
    const own = openPool(url, { max: 1 })
    await own.query({ name: 'one', text: 'SELECT $1::int', values: [1] })
    const { rowCount } = await own.query('SELECT FROM pg_prepared_statements')
    await own.end()
    return rowCount
  }
  expect(await count(`${server.url}/fresh`)).toBe(1)
  expect(await count(`${server.url}/fresh?pgbouncer=true`)).toBe(0)
})

test('recognises a unique violation, also by its constraint', async () => {
  await insert(10)
  const error = await caught(insert(10))
  expect(isUniqueViolation(error)).toBe(true)
  expect(isUniqueViolation(error, 'photos_pkey')).toBe(true)
  expect(isUniqueViolation(error, 'photos_title_key')).toBe(false)
  expect(isDatabaseUnavailable(error)).toBe(false)
  expect(isUniqueViolation(await caught(pool.query('SELECT nonsense')))).toBe(false)
})

test('recognises an outage, and the pool works again after it', async () => {
  const interrupted = caught(
    inTransaction(pool, async (client) => {
      await server.kill()
      return client.query('SELECT 1')
    }),
  )
  expect(isDatabaseUnavailable(await interrupted)).toBe(true)
  expect(isDatabaseUnavailable(await caught(pool.query('SELECT 1')))).toBe(true)
  await server.start()
  expect((await pool.query('SELECT 1 AS one')).rows).toEqual([{ one: 1 }])
  expect(isDatabaseUnavailable(await caught(pool.query('SELECT nonsense')))).toBe(false)
})

test('no free connection counts as an outage', async () => {
  const small = openPool(`${server.url}/fresh`, { max: 1 })
  const client = await small.connect()
  expect(isDatabaseUnavailable(await caught(small.query('SELECT 1')))).toBe(true)
  client.release()
  await small.end()
})

test('a statement has one name, and statements beyond a number have none', () => {
  const { statementNameGenerator: nameOf } = preparedStatements(2)
  const [first, second] = [nameOf({ sql: 'SELECT 1' }), nameOf({ sql: 'SELECT 2' })]
  expect(first).not.toBe(second)
  expect([nameOf({ sql: 'SELECT 3' }), nameOf({ sql: 'SELECT 1' })]).toEqual(['', first])
  expect(preparedStatements().statementNameGenerator({ sql: 'SELECT 1' })).toBe(first)
})
