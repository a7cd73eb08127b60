import { randomUUID } from 'node:crypto'
import {
  type App,
  connectNats,
  createLifetime,
  createLogger,
  ensureStreams,
  type Identity,
  type Logger,
  loadConfig,
  openPool,
  openRedis,
} from '@skyfolio/kit'
import { events } from '@skyfolio/proto'
import { createTestDatabase, identityHeaders, startNats, startRedis, TEST_IDENTITY_KEYS } from '@skyfolio/testkit'
import { startSandbox } from '../../../deploy/partner-sandbox/src/sandbox.ts'
import { settings, workerSettings } from '../src/config.ts'
import { type Database, openDatabase } from '../src/database.ts'
import type { Prisma } from '../src/generated/client.ts'
import type { UserLimitOptions } from '../src/service.ts'
import { startPrintOrders } from '../src/service.ts'
import { beginErasure, eraseUser } from '../src/users/erasure.ts'
import { startWorkerTasks } from '../src/worker-tasks.ts'
import { type MediaStub, printImageName, startMediaStub } from './media-stub.ts'
import { controlOf, type SandboxControl } from './sandbox-control.ts'

export const ORIGIN = 'http://photos.test'
export const IMAGE_ORIGIN = 'http://images.test'

/** The partner's 4x6 and 5x7 prints in the sandbox. */
export const PRINT_4X6 = { productId: '6560003', cents: 40 }
export const PRINT_5X7 = { productId: '6560103', cents: 349 }
export const STORE = '4101'
const NO_LIMITS = { submitsPerMinute: 1_000, searchesPerMinute: 1_000 }

export type Nats = Awaited<ReturnType<typeof connectNats>>

interface ReplicaOptions {
  logger?: Logger
  /** Of users, that are otherwise practically infinite. */
  limits?: UserLimitOptions
}

/** A system under test: database, Redis, NATS, the partner's sandbox, a stand-in for media, and replicas of the service. */
export interface TestSystem {
  databaseUrl: string
  pool: ReturnType<typeof openPool>
  db: Database
  nats: Nats
  natsUrl: string
  redisUrl: string
  sandbox: SandboxControl
  /** Settings of a replica, as its environment. */
  environment(more?: Record<string, string>): Record<string, string>
  media: MediaStub
  /** One more replica of the service. */
  start(more?: Record<string, string>, options?: ReplicaOptions): Promise<App>
  /** One more replica of the worker. */
  startWorker(): void
  /** Erases a user whose orders are over. */
  erase(userId: number): Promise<void>
  close(): Promise<void>
}

/** A private system; `start` adds replicas of the service. */
export async function openTestSystem(given: { databaseUrl?: string } = {}): Promise<TestSystem> {
  const testDatabase = given.databaseUrl ? null : await createTestDatabase('print-orders')
  const databaseUrl = given.databaseUrl ?? (testDatabase?.url as string)
  const [natsServer, redisServer, sandbox] = await Promise.all([
    startNats(),
    startRedis(),
    startSandbox({ imageOrigin: IMAGE_ORIGIN }),
  ])
  const nats = await connectNats(natsServer.url, 'test')
  await ensureStreams(nats, events)
  const media = startMediaStub(nats)
  const pool = openPool(databaseUrl)
  const control = controlOf(sandbox.url, sandbox.controlUrl)
  await control.turnClockToMorning()
  await control.changeProfile({ requestsPerMinute: 1_000_000, couponsPerMinute: 1_000_000, downloads: false })
  const db = openDatabase(pool)
  const lives: ReturnType<typeof createLifetime>[] = []
  const connect = (logger: Logger) => {
    const life = createLifetime(logger)
    lives.push(life)
    const own = openPool(databaseUrl)
    life.defer('database', () => own.end())
    const redis = openRedis(redisServer.url, 'test')
    life.defer('redis', () => redis.quit())
    return { life, connections: { pool: own, nats, redis } }
  }
  const environment = (more: Record<string, string> = {}) => ({
    PORT: '0',
    OPS_PORT: '0',
    DATABASE_URL: databaseUrl,
    NATS_URL: natsServer.url,
    REDIS_URL: redisServer.url,
    IDENTITY_KEYS: TEST_IDENTITY_KEYS.join(','),
    PUBLIC_ORIGIN: ORIGIN,
    PRINT_IMAGE_ORIGIN: IMAGE_ORIGIN,
    PARTNER_SANDBOX_URL: sandbox.url,
    PARTNER_API_KEY: 'sandbox-key',
    PARTNER_AFFILIATE_ID: 'sandbox-affiliate',
    PARTNER_REQUESTS_PER_MINUTE: '100000',
    ...more,
  })
  return {
    databaseUrl,
    pool,
    db,
    nats,
    natsUrl: natsServer.url,
    redisUrl: redisServer.url,
    sandbox: control,
    environment,
    media,
    async start(more = {}, { logger = createLogger('print-orders', 'silent'), limits } = {}) {
      const { life, connections } = connect(logger)
      const app = await startPrintOrders(life, connections, loadConfig(settings, environment(more)), {
        ...NO_LIMITS,
        ...limits,
      })
      life.defer('http', () => app.close())
      return app
    },
    startWorker() {
      const { life, connections } = connect(createLogger('worker', 'silent'))
      startWorkerTasks(life, connections, loadConfig(workerSettings, environment()))
    },
    async erase(userId) {
      await db.$transaction((tx) => beginErasure(tx, userId))
      await db.order.updateMany({ where: { userId, orderStatus: 'submitted' }, data: { orderStatus: 'processing' } })
      const progress = await eraseUser(db, userId)
      if (progress !== 'complete') throw new Error(progress.waitsFor)
    },
    async close() {
      for (const life of lives) await life.close()
      await media.stop()
      await pool.end()
      await nats.close()
      await Promise.all([natsServer.stop(), redisServer.stop(), sandbox.stop()])
      await testDatabase?.drop()
    },
  }
}

export interface TestUser {
  userId: number
  headers: Record<string, string>
}

let lastUser = 0

/** A user that no other test of the file uses. */
export function newUser(more: Partial<Identity> = {}): TestUser {
  lastUser += 1
  return { userId: lastUser, headers: asUser(lastUser, more) }
}

export function asUser(userId: number, more: Partial<Identity> = {}): Record<string, string> {
  return identityHeaders({ userId, username: `user${userId}`, sessionHash: 'hash', ...more })
}

export interface CallResult {
  status: number
  headers: Record<string, unknown>
  // biome-ignore lint/suspicious/noExplicitAny: tests look into bodies of every shape
  body: any
}

/** Calls a route; parses a JSON body. */
export async function call(
  app: App,
  method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE',
  url: string,
  options: { headers?: Record<string, string>; body?: unknown } = {},
): Promise<CallResult> {
  const response = await app.inject({
    method,
    url,
    headers: options.headers ?? identityHeaders(),
    ...(options.body !== undefined && { payload: options.body as object }),
  })
  const body = /json/.test(`${response.headers['content-type']}`) ? response.json() : response.body
  return { status: response.statusCode, headers: response.headers, body }
}

/** The path of the wizard before an order: searches stores near Duluth. Returns the store's promise time. */
export async function searchStores(app: App, user: TestUser, productId = PRINT_4X6.productId): Promise<string> {
  const response = await call(app, 'POST', '/api/walgreens/store-search', {
    headers: user.headers,
    body: { latitude: '46.82', longitude: '-92.03', productDetails: [{ productId, qty: 1 }] },
  })
  if (response.status !== 200) throw new Error(`no stores: ${JSON.stringify(response.body)}`)
  const stores = response.body.photoStores.map((store: { photoStoreDetails: object }) => store.photoStoreDetails)
  return stores.find((store: { storeNum: string }) => store.storeNum === STORE).promiseTime
}

export const CUSTOMER = { firstName: 'Ada', lastName: 'Quillfeather', phone: '2185550199', email: 'ada@quill.test' }

/** The body of an order of 4x6 prints; fields may be replaced. */
export function orderBody(prints: { url?: string; photoId?: number; qty: number }[], more: object = {}) {
  const quantity = prints.reduce((sum, { qty }) => sum + qty, 0)
  const total = ((quantity * PRINT_4X6.cents) / 100).toFixed(2)
  return {
    storeNum: STORE,
    promiseTime: 'Same Day',
    ...CUSTOMER,
    productDetails: [{ productId: PRINT_4X6.productId, productPrice: '0.40', imageDetails: prints }],
    orderTotal: total,
    subtotal: total,
    termsAccepted: true,
    act: 'submitphotoorder',
    appVer: '1.0',
    devInf: 'WebApp,1.0',
    ...more,
  }
}

/** Submits an order as a browser does. */
export function submit(app: App, user: TestUser, body: unknown, key: string | null = randomUUID()) {
  const headers = { ...user.headers, ...(key !== null && { 'idempotency-key': key }) }
  return call(app, 'POST', '/api/walgreens/submit-order', { headers, body })
}

/**
 * A user who has searched stores and uploaded an image: what precedes an order. The last name is the user's own, so that
 * the sandbox's orders are found by it.
 */
export async function newCustomer(system: TestSystem, app: App) {
  const user = newUser()
  await searchStores(app, user)
  const filename = system.media.addUpload(user.userId)
  const url = `${ORIGIN}/api/uploads/${filename}`
  const lastName = `Customer ${user.userId}`
  return {
    ...user,
    filename,
    url,
    lastName,
    /** The body of an order of this image; fields may be replaced. */
    body: (more: object = {}, qty = 1) => orderBody([{ url, qty }], { lastName, ...more }),
    /** What the sandbox has of this customer. */
    placed: () => system.sandbox.ordersOf(lastName),
    /** What the service lists. */
    listed: async () => (await call(app, 'GET', '/api/walgreens/orders', { headers: user.headers })).body,
  }
}

export type Customer = Awaited<ReturnType<typeof newCustomer>>

/** Stores an order as if it had been placed before. */
export function storeOrder(
  db: Database,
  { item = {}, ...fields }: Partial<Prisma.OrderUncheckedCreateInput> & { userId: number; item?: object },
) {
  const imageUrl = `/api/uploads/${printImageName(randomUUID())}`
  return db.order.create({
    data: {
      ...{ environment: 'sandbox', orderStatus: 'submitted', storeNumber: STORE, productId: PRINT_4X6.productId },
      ...{ productSize: '4x6', imageUrl, subtotalCents: 40, totalCents: 40, promiseTime: '11-22-2026 3:00 PM' },
      ...{ customerFirstName: CUSTOMER.firstName, customerLastName: CUSTOMER.lastName },
      ...{ customerEmail: CUSTOMER.email, customerPhone: CUSTOMER.phone },
      ...{ requestHash: randomUUID(), orderHash: randomUUID(), vendorOrderId: randomUUID(), nextCheckAt: new Date() },
      ...fields,
      items: {
        create: [
          {
            position: 0,
            productId: PRINT_4X6.productId,
            productSize: '4x6',
            unitPriceCents: 40,
            quantity: 1,
            imageUrl,
            ...item,
          },
        ],
      },
    },
    include: { items: true },
  })
}
