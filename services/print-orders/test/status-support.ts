import {
  connectNats,
  createLifetime,
  createLogger,
  ensureStreams,
  type Logger,
  openPool,
  openRedis,
} from '@skyfolio/kit'
import { type Sandbox, startSandbox } from '@skyfolio/partner-sandbox'
import { events } from '@skyfolio/proto'
import { createTestDatabase, startNats, startRedis, type TestServer } from '@skyfolio/testkit'
import { startWorkerTasks } from '../src/worker-tasks.ts'

export const CREDENTIALS = { apiKey: 'sandbox-key', affiliateId: 'sandbox-affiliate' }

/** An order of a test, as stored. */
export interface StoredOrder {
  order_status: string
  next_check_at: Date | null
  checks: number
  revision: number
  unknown_status_text: string | null
}

/** Database, Redis, NATS and a partner sandbox of a test's own; `startWorker` adds replicas of the worker. */
export interface StatusSystem {
  databaseUrl: string
  redis: TestServer
  natsUrl: string
  sandbox: Sandbox
  pool: ReturnType<typeof openPool>
  startWorker(options?: {
    logger?: Logger
    batch?: number
    requestsPerMinute?: number
  }): Promise<{ stop(): Promise<void> }>
  /** Sends JSON to the control API of the sandbox. */
  control(method: string, path: string, body?: object): Promise<unknown>
  /** Places orders at the sandbox. Returns their numbers. */
  placeOrders(count: number): Promise<string[]>
  /** Stores submitted orders with these numbers that are due now, unless the fields say otherwise. Returns their ids. */
  storeOrders(numbers: (string | null)[], fields?: Partial<Record<string, unknown>>): Promise<number[]>
  read(id: number): Promise<StoredOrder>
  notes(id: number): Promise<string[]>
  close(): Promise<void>
}

export async function openStatusSystem(): Promise<StatusSystem> {
  const database = await createTestDatabase('print-orders')
  const [redis, natsServer, sandbox] = await Promise.all([startRedis(), startNats(), startSandbox()])
  const nats = await connectNats(natsServer.url, 'test')
  await ensureStreams(nats, events)
  const pool = openPool(database.url)
  const lives = new Set<ReturnType<typeof createLifetime>>()

  async function control(method: string, path: string, body?: object): Promise<unknown> {
    const response = await fetch(sandbox.controlUrl + path, {
      method,
      ...(body && { body: JSON.stringify(body), headers: { 'content-type': 'application/json' } }),
    })
    const text = await response.text()
    if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${text}`)
    return text ? JSON.parse(text) : undefined
  }
  // The images of these orders do not exist.
  await control('PATCH', `/profiles/${CREDENTIALS.affiliateId}`, {
    downloads: false,
    requestsPerMinute: 1_000_000,
    idsPerStatusCall: 1_000,
  })

  async function callPartner<T>(path: string, body: object): Promise<T> {
    const { apiKey, affiliateId: affId } = CREDENTIALS
    const response = await fetch(sandbox.url + path, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ apiKey, affId, ...body }),
    })
    return (await response.json()) as T
  }

  return {
    databaseUrl: database.url,
    redis,
    natsUrl: natsServer.url,
    sandbox,
    pool,
    control,
    async startWorker({
      logger = createLogger('worker', process.env.TEST_LOG ?? 'silent'),
      batch = 50,
      requestsPerMinute = 100_000,
    } = {}) {
      const life = createLifetime(logger)
      lives.add(life)
      const own = openPool(database.url)
      life.defer('database', () => own.end())
      const connection = openRedis(redis.url, 'worker')
      life.defer('redis', () => connection.disconnect())
      startWorkerTasks(
        life,
        { pool: own, nats, redis: connection },
        {
          ...workerConfig({ databaseUrl: database.url, natsUrl: natsServer.url, redisUrl: redis.url }),
          partnerSandboxUrl: sandbox.url,
          partnerRequestsPerMinute: requestsPerMinute,
        },
        { batchSize: batch },
      )
      return {
        async stop() {
          lives.delete(life)
          await life.close()
        },
      }
    },
    async placeOrders(count) {
      const productDetails = [{ productId: '6560003', qty: 1 }]
      const position = { latitude: '46.8384', longitude: '-92.0153' }
      const { photoStores } = await callPartner<{ photoStores: { photoStoreDetails: Record<string, string> }[] }>(
        '/api/photo/store/v3',
        { act: 'photoStores', ...position, productDetails },
      )
      const { storeNum, promiseTime } = photoStores[0]?.photoStoreDetails ?? {}
      const order = {
        ...{ act: 'submitphotoorder', storeNum, promiseTime },
        ...{ firstName: 'Ada', lastName: 'Pilot', phone: '2185550100', email: 'ada@example.com' },
        productDetails: [{ productId: '6560003', imageDetails: [{ url: 'http://127.0.0.1:9/p.jpg', qty: 1 }] }],
      }
      const numbers: string[] = []
      for (let placed = 0; placed < count; placed += 1) {
        const { vendorOrderId, err } = await callPartner<Record<string, string>>('/api/photo/order/submit/v3', order)
        if (!vendorOrderId) throw new Error(`order not placed: ${err}`)
        numbers.push(vendorOrderId)
      }
      return numbers
    },
    async storeOrders(numbers, fields = {}) {
      const values = { environment: 'sandbox', next_check_at: new Date(), ...fields }
      const names = Object.keys(values)
      const { rows } = await pool.query<{ id: number }>(
        `INSERT INTO walgreens_orders (user_id, order_status, vendor_order_id, store_number, product_id,
           subtotal_cents, total_cents, customer_first_name, customer_last_name, customer_email, customer_phone,
           request_hash, order_hash${names.map((name) => `, ${name}`).join('')})
         SELECT 1, 'submitted', number, '59', '6560003', 39, 39, 'Ada', 'Pilot', 'ada@example.com',
           '2185550100', 'request', number${names.map((_, index) => `, $${index + 2}`).join('')}
         FROM unnest($1::text[]) WITH ORDINALITY AS given (number, place) ORDER BY place RETURNING id`,
        [numbers, ...Object.values(values)],
      )
      return rows.map(({ id }) => id)
    },
    async read(id) {
      const { rows } = await pool.query<StoredOrder>('SELECT * FROM walgreens_orders WHERE id = $1', [id])
      return rows[0] as StoredOrder
    },
    async notes(id) {
      const { rows } = await pool.query(
        'SELECT note FROM order_history WHERE order_id = $1 AND note IS NOT NULL ORDER BY id',
        [id],
      )
      return rows.map(({ note }) => note)
    },
    async close() {
      for (const life of lives) await life.close()
      await nats.close()
      await pool.end()
      await Promise.all([sandbox.stop(), redis.stop(), natsServer.stop()])
      await database.drop()
    },
  }
}

function workerConfig(urls: { databaseUrl: string; natsUrl: string; redisUrl: string }) {
  return {
    ...urls,
    natsReplicas: 1,
    natsCredentialsFile: undefined,
    logLevel: 'silent' as const,
    drainSeconds: 10,
    partnerSandboxUrl: undefined,
    partnerProductionUrl: undefined,
    partnerApiKey: CREDENTIALS.apiKey,
    partnerAffiliateId: CREDENTIALS.affiliateId,
    partnerTimeoutMs: 2_000,
    partnerRequestsPerMinute: 100_000,
    partnerProcesses: 4,
  }
}
