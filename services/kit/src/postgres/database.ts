import { hash } from 'node:crypto'
import pg from 'pg'
import { metrics } from '../telemetry/metrics.ts'
import { Connection } from './connection.ts'

/** What this package needs of a Prisma transaction client; it cannot import the one that a service generates. */
export interface SqlTransaction {
  $executeRawUnsafe(sql: string, ...values: unknown[]): Promise<number>
  $queryRawUnsafe<T>(sql: string, ...values: unknown[]): Promise<T>
}

/** What this package needs of a service's Prisma client. */
export interface SqlDatabase<Tx = SqlTransaction> {
  /** @param options.timeout milliseconds until it is rolled back */
  $transaction<Result>(work: (tx: Tx) => Promise<Result>, options?: { timeout?: number }): Promise<Result>
}

/** For a server or a network that says nothing any more, not even that a statement took longer than its `statement_timeout`. */
const QUERY_TIMEOUT_MS = 20_000

const connections = metrics.gauge('skyfolio_db_connections', 'Connections of the database pool', ['state'])
const maxConnections = metrics.gauge('skyfolio_db_connections_max', 'Maximum connections of the database pool')
const waiting = metrics.gauge('skyfolio_db_waiting', 'Callers that wait for a connection of the database pool')
const waits = metrics.histogram(
  'skyfolio_db_wait_seconds',
  'Time that callers waited for a connection of the database pool, failures included',
  [],
  [0.001, 0.01, 0.1, 1, 5],
)

/** A pool with the time limits of the project, for `PrismaPg` and raw SQL alike. */
export function openPool(url: string, options: { max?: number } = {}): pg.Pool {
  const pool = new pg.Pool({
    // PgBouncer rejects start-up options: those of sessions are settings of the database (migrations.ts).
    connectionString: url,
    Client: Connection as never,
    max: options.max ?? 10,
    connectionTimeoutMillis: 3_000,
    idleTimeoutMillis: 30_000,
    query_timeout: QUERY_TIMEOUT_MS,
  })
  // The pool replaces broken connections; without a listener Node would end the process. The pool listens only while a
  // connection is idle, this also while a transaction holds it.
  pool.on('error', () => {})
  pool.on('connect', (client) => client.on('error', () => {}))
  pool.on('release', closeInTransaction)
  replaceLost(pool)
  measure(pool)
  return pool
}

/**
 * A server that has stopped, or that is cut off, closes no connection: each would wait for its own `query_timeout`. When one
 * connection is lost, those that were open then are not used again.
 */
function replaceLost(pool: pg.Pool): void {
  const open = new Set<pg.PoolClient>()
  const suspect = new WeakSet<pg.PoolClient>()
  pool.on('connect', (client) => open.add(client))
  pool.on('remove', (client) => open.delete(client))
  pool.on('release', (error: unknown) => {
    if (error !== true && !isDatabaseUnavailable(error)) return
    for (const client of open) suspect.add(client)
  })
  const connect = pool.connect.bind(pool)
  async function connectAnew(): Promise<pg.PoolClient> {
    for (;;) {
      const client = await connect()
      if (!suspect.has(client)) return client
      // The pool keeps none that is ending.
      void client.end()
      client.release()
    }
  }
  pool.connect = ((done?: Parameters<typeof connect>[0]) => {
    const connected = connectAnew()
    if (!done) return connected
    connected.then(
      (client) => done(undefined, client, client.release),
      (error) => done(error, undefined, () => {}),
    )
  }) as typeof connect
}

/** Lists have a text for each length: what comes after so many statements is parsed each time. */
const MAX_PREPARED = 500

/** Options of `PrismaPg`: a connection prepares each statement once. Without them uploads lost some hundredths of their rate. */
export function preparedStatements(max = MAX_PREPARED) {
  const names = new Map<string, string>()
  return {
    statementNameGenerator({ sql }: { sql: string }): string {
      const known = names.get(sql)
      if (known !== undefined || names.size === max) return known ?? ''
      // One text, one name, whoever uses the connection.
      const name = hash('sha1', sql)
      names.set(sql, name)
      return name
    },
  }
}

/**
 * Prisma returns a connection also when its ROLLBACK had no response: whoever took it next would work in that transaction. The
 * pool keeps none that is ending.
 */
function closeInTransaction(_error: Error, client: pg.PoolClient): void {
  if (client.getTransactionStatus() !== 'I') void client.end()
}

/** Queries of the pool use `connect` too. */
function measure(pool: pg.Pool): void {
  const connect = pool.connect.bind(pool)
  pool.connect = ((done?: Parameters<typeof connect>[0]) => {
    const measured = waits.startTimer()
    if (!done) return connect().finally(measured)
    connect((...given) => {
      measured()
      done(...given)
    })
  }) as typeof connect
  metrics.onScrape('database pool', () => {
    const inUse = pool.totalCount - pool.idleCount
    return [
      [connections, pool.idleCount, { state: 'idle' }],
      [connections, inUse, { state: 'in_use' }],
      [maxConnections, pool.options.max],
      // With free connections they are about to receive one, such as readers of other metrics.
      [waiting, inUse < pool.options.max ? 0 : pool.waitingCount],
    ]
  })
}

/** Runs `work` in a transaction on one connection of the pool: commits when it resolves, else rolls back. */
export async function inTransaction<T>(pool: pg.Pool, work: (client: pg.PoolClient) => Promise<T>): Promise<T> {
  const client = await pool.connect()
  try {
    await client.query('BEGIN')
    const result = await work(client)
    await client.query('COMMIT')
    client.release()
    return result
  } catch (error) {
    const isRolledBack = !isDatabaseUnavailable(error) && (await rollBack(client))
    // Closing the connection rolls back as well.
    client.release(!isRolledBack)
    throw error
  }
}

/** Resolves with false when the connection failed. */
async function rollBack(client: pg.PoolClient): Promise<boolean> {
  return await client.query('ROLLBACK').then(
    () => true,
    () => false,
  )
}

const UNAVAILABLE_CODES = new Set([
  ...['ECONNREFUSED', 'ECONNRESET', 'EPIPE', 'ETIMEDOUT', 'ENOTFOUND', 'EAI_AGAIN', 'EHOSTUNREACH'],
  // 25006: the server has become a standby.
  ...['57P01', '57P02', '57P03', '53300', '25P03', '25006'],
  ...['P1001', 'P1002', 'P1008', 'P1017', 'P2024', 'P2028', 'P2037'],
])
const UNAVAILABLE_MESSAGE =
  /Connection terminated|timeout exceeded when trying to connect|Query read timeout|not queryable|Server has closed the connection|Can't reach database server|None of the database hosts/

/** Whether the database could not be reached or had no free connection, so that a retry may help. */
export function isDatabaseUnavailable(error: unknown): boolean {
  return errorChain(error).some((link) => {
    const code = String(link.code ?? link.originalCode ?? '')
    return UNAVAILABLE_CODES.has(code) || code.startsWith('08') || UNAVAILABLE_MESSAGE.test(String(link.message ?? ''))
  })
}

/** Whether a transaction of Prisma took longer than its time limit. */
export function isTransactionExpired(error: unknown): boolean {
  return errorChain(error).some(({ message }) => /expired transaction/.test(String(message)))
}

/** Whether the database ended the transaction because of a deadlock: it can be repeated. */
export function isDeadlock(error: unknown): boolean {
  return errorChain(error).some((link) => (link.code ?? link.originalCode) === '40P01')
}

/** Whether a statement was cancelled because it exceeded its `statement_timeout`. */
export function isStatementTimeout(error: unknown): boolean {
  return errorChain(error).some((link) => (link.code ?? link.originalCode) === '57014')
}

/** Whether a unique constraint was violated; `constraint` narrows it to that constraint's (index's) name. */
export function isUniqueViolation(error: unknown, constraint?: string): boolean {
  return errorChain(error).some((link) => {
    const code = link.code ?? link.originalCode
    if (code !== '23505' && link.kind !== 'UniqueConstraintViolation') return false
    const violated = typeof link.constraint === 'object' ? link.constraint?.index : link.constraint
    return constraint === undefined || violated === constraint
  })
}

export interface ErrorLink {
  name?: string
  code?: string
  originalCode?: string
  kind?: string
  message?: string
  constraint?: string | { index?: string }
}

/** The error and its causes: Prisma wraps the driver's error in `cause` or in `meta`. */
export function errorChain(error: unknown): ErrorLink[] {
  const chain: ErrorLink[] = []
  let next = error as (ErrorLink & { cause?: unknown; meta?: { driverAdapterError?: unknown } }) | undefined
  while (next && typeof next === 'object' && chain.length < 10) {
    chain.push(next)
    next = (next.meta?.driverAdapterError ?? next.cause) as typeof next
  }
  return chain
}
