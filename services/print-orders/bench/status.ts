// 10,000 open orders become due at once, for two replicas of the worker at the default rate limit, as after an outage.
// Every order has changed at the partner. `npm run check -- load:orders` takes about three minutes; it exits with 1 when the
// checks take longer than computed, an order does not get its status, or the partner got more requests than it allows.
import { chmod, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { createLifetime, createLogger, loadConfig, openNats, openPool, openRedis } from '@skyfolio/kit'
import { migrate } from '@skyfolio/kit/migrations'
import { type Sandbox, startSandbox } from '@skyfolio/partner-sandbox'
import { events } from '@skyfolio/proto'
import { startNats, startPostgres, startRedis } from '@skyfolio/testkit/servers'
import { workerSettings } from '../src/config.ts'
import { backgroundIntervalMs } from '../src/partner/rate-limit.ts'
import { startWorkerTasks } from '../src/worker-tasks.ts'
import { placeOrders } from './place-orders.ts'

const { values: flags } = parseArgs({ options: { orders: { type: 'string', default: '10000' } } })
const ORDERS = Number(flags.orders)
const REPLICAS = 2
/** For the start of the schedule, and for batches that two replicas hand over. */
const TOLERANCE = 1.1
const TOLERANCE_MS = 5_000
const CREDENTIALS = { apiKey: 'sandbox-key', affiliateId: 'sandbox-affiliate' }

type Pool = ReturnType<typeof openPool>

/** Stores the orders as submitted within the last day, all of them due now. */
async function storeOrders(pool: Pool, numbers: string[]): Promise<void> {
  await pool.query(
    `INSERT INTO walgreens_orders (user_id, environment, order_status, vendor_order_id, store_number, product_id,
       subtotal_cents, total_cents, customer_first_name, customer_last_name, customer_email, customer_phone,
       request_hash, order_hash, created_at, next_check_at)
     SELECT 1 + place % 500, 'sandbox', 'submitted', number, '59', '6560003', 39, 39, 'Ada', 'Pilot', 'ada@example.com',
       '2185550100', 'request', number, now() - random() * interval '1 day', now()
     FROM unnest($1::text[]) WITH ORDINALITY AS given (number, place)`,
    [numbers],
  )
  await pool.query('VACUUM ANALYZE walgreens_orders')
}

async function count(pool: Pool, condition: string): Promise<number> {
  const { rows } = await pool.query(`SELECT count(*)::int AS count FROM walgreens_orders WHERE ${condition}`)
  return Number(rows[0]?.count)
}

async function readStats({ controlUrl }: Sandbox) {
  const response = await fetch(`${controlUrl}/stats`)
  return (await response.json()) as { requests: Record<string, number>; limited: number; peakPerMinute: number }
}

/** Starts one replica of the worker in this process. Returns how to stop it. */
async function startReplica(env: Record<string, string>): Promise<() => Promise<boolean>> {
  const config = loadConfig(workerSettings, env)
  const life = createLifetime(createLogger('print-orders-worker', 'warn'))
  const pool = openPool(config.databaseUrl)
  life.defer('database', () => pool.end())
  const redis = openRedis(config.redisUrl, 'print-orders-worker', life.logger)
  life.defer('redis', () => redis.disconnect())
  const nats = await openNats(life, config, 'print-orders-worker', events)
  startWorkerTasks(life, { pool, nats, redis }, config)
  return () => life.close()
}

async function measure(pool: Pool, sandbox: Sandbox, env: Record<string, string>): Promise<string[]> {
  const { partnerRequestsPerMinute, partnerBackgroundPercent, partnerStatusBatch } = loadConfig(workerSettings, env)
  const intervalMs = backgroundIntervalMs({
    requestsPerMinute: partnerRequestsPerMinute,
    backgroundPercent: partnerBackgroundPercent,
  })
  const requests = Math.ceil(ORDERS / partnerStatusBatch)
  const computedMs = (requests - 1) * intervalMs
  console.log(
    `${ORDERS} orders, ${partnerStatusBatch} in a request: ${requests} requests, one in ${intervalMs.toFixed(0)} ms ` +
      `(${partnerBackgroundPercent}% of ${partnerRequestsPerMinute} a minute, less a reserve): ${seconds(computedMs)}`,
  )
  const start = performance.now()
  const replicas = await Promise.all(Array.from({ length: REPLICAS }, () => startReplica(env)))
  const deadline = start + 2 * computedMs + 30_000
  while (performance.now() < deadline && (await count(pool, `order_status = 'submitted'`)) > 0) await delay(200)
  const measuredMs = performance.now() - start
  for (const stop of replicas) await stop()
  const { requests: sent, limited, peakPerMinute } = await readStats(sandbox)
  const unchanged = await count(pool, `order_status = 'submitted'`)
  console.log(`measured: ${seconds(measuredMs)}, ${sent.status} requests, at most ${peakPerMinute} in a minute`)
  const wrong: string[] = []
  if (unchanged > 0) wrong.push(`${unchanged} orders do not have the partner's status`)
  if (measuredMs > computedMs * TOLERANCE + TOLERANCE_MS) wrong.push('the checks took longer than computed')
  if (limited > 0) wrong.push(`the partner rejected ${limited} requests as too many`)
  const share = (partnerRequestsPerMinute * partnerBackgroundPercent) / 100
  if (peakPerMinute > share)
    wrong.push(`${peakPerMinute} requests in a minute are more than the poller's share, ${share}`)
  return wrong
}

const seconds = (ms: number) => `${(ms / 1000).toFixed(1)} s`

async function main(): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'skyfolio-bench-'))
  // PostgreSQL runs as another user when this runs as root.
  await chmod(folder, 0o755)
  const postgres = await startPostgres({ dataDir: join(folder, 'postgres'), password: 'bench' })
  const redis = await startRedis({ dataDir: join(folder, 'redis') })
  const nats = await startNats({ dataDir: join(folder, 'nats') })
  const sandbox = await startSandbox(CREDENTIALS)
  const databaseUrl = `${postgres.url}/print-orders`
  await migrate(databaseUrl, join(import.meta.dirname, '../prisma/migrations'))
  const pool = openPool(databaseUrl)
  const env = {
    ...{ DATABASE_URL: databaseUrl, REDIS_URL: redis.url, NATS_URL: nats.url, OPS_PORT: '0' },
    ...{ PARTNER_SANDBOX_URL: sandbox.url, PARTNER_API_KEY: CREDENTIALS.apiKey },
    PARTNER_AFFILIATE_ID: CREDENTIALS.affiliateId,
  }
  try {
    console.log(`Placing ${ORDERS} orders at the sandbox, and waiting a minute.`)
    const { partnerRequestsPerMinute } = loadConfig(workerSettings, env)
    const limit = { requestsPerMinute: partnerRequestsPerMinute }
    await storeOrders(pool, await placeOrders(sandbox, { credentials: CREDENTIALS, count: ORDERS, ...limit }))
    const wrong = await measure(pool, sandbox, env)
    console.log(wrong.length === 0 ? 'The rate limit was kept.' : `FAILED:\n${wrong.join('\n')}`)
    if (wrong.length > 0) process.exitCode = 1
  } finally {
    await pool.end()
    await sandbox.stop()
    await Promise.all([postgres.stop(), redis.stop(), nats.stop()])
    await rm(folder, { recursive: true, force: true, maxRetries: 10, retryDelay: 100 })
  }
}

await main()
