import type { NatsConnection } from '@nats-io/nats-core'
import {
  type App,
  type Config,
  createViewAudit,
  type Lifetime,
  repeat,
  serveRequests,
  startConsumer,
  startRelay,
} from '@skyfolio/kit'
import { createRateLimit } from '@skyfolio/kit/rate-limit'
import { events, exportSources, printingStatus } from '@skyfolio/proto'
import type { Redis } from 'ioredis'
import type { Pool } from 'pg'
import { buildApp } from './app.ts'
import { createProductCatalog } from './catalog/products.ts'
import { forgetOldPositions } from './catalog/stores.ts'
import type { settings } from './config.ts'
import { openDatabase } from './database.ts'
import type { PrintOrdersDeps } from './deps.ts'
import { readPrintingStatus } from './environment.ts'
import { DURABLE, eventHandlers } from './events.ts'
import { exportOrders } from './export/export-orders.ts'
import { expireClaims } from './orders/clean-up.ts'
import { imageOrigins } from './orders/image-urls.ts'
import { createOrderPlacer } from './orders/place-order.ts'
import { createPrintImages } from './orders/print-images.ts'
import { createSubmitter, SUBMIT_MS } from './orders/submit-order.ts'
import { measureOrders } from './orders/unresolved-orders.ts'
import { createPartner } from './partner/partner.ts'

/** A picture of the web application. */
const TEST_IMAGE_PATH = '/test-print.jpg'
const POSITIONS_SECONDS = 3600
const EXPIRE_SECONDS = 30

/** More than anybody does by hand. Each takes calls to the partner, of which there are 300 a minute for all users. */
const SUBMITS_PER_MINUTE = 30
const SEARCHES_PER_MINUTE = 60
const COUPON_CHECKS_PER_MINUTE = 20
/** Invalid codes: too few to guess one. */
const COUPON_ATTEMPTS = { perMinute: 5, perHour: 20 }

export interface UserLimitOptions {
  submitsPerMinute?: number
  searchesPerMinute?: number
}

interface Connections {
  pool: Pool
  nats: NatsConnection
  redis: Redis
}

/** Starts the print-orders service except its port, on open connections. */
export async function startPrintOrders(
  life: Lifetime,
  { pool, nats, redis }: Connections,
  config: Omit<Config<typeof settings>, 'host' | 'port' | 'opsPort'>,
  limits: UserLimitOptions = {},
): Promise<App> {
  const { logger } = life
  const db = openDatabase(pool)
  const relay = startRelay({ pool, nats, logger })
  life.defer('outbox relay', () => relay.stop())

  const partner = createPartner(config, redis, logger)
  const origins = imageOrigins(config.publicOrigin, config.printImageOrigin)
  const routeDeps = {
    logger,
    db,
    partner,
    origins,
    catalog: createProductCatalog({ partner, redis, logger }),
    limits: createUserLimits(redis, limits),
    images: createPrintImages(nats),
    onCommit: relay.wake,
    viewAudit: createViewAudit({
      topic: events.ordersAuditRecorded,
      db,
      afterCommit: relay.wake,
    }),
  }
  const placer = createOrderPlacer(routeDeps)
  // After HTTP has ended or was given up: what was sent to the partner is recorded.
  life.defer('orders in progress', placer.settled, SUBMIT_MS)

  await startBackground(life, nats, routeDeps)
  const exporting = serveRequests(
    nats,
    exportSources.orders,
    (request) => exportOrders({ db, publicOrigin: origins.publicOrigin }, request),
    logger,
  )
  life.defer('export', () => exporting.stop())
  return buildApp({
    ...routeDeps,
    identityKeys: config.identityKeys,
    testImageUrl: origins.printImageOrigin + TEST_IMAGE_PATH,
    submitter: createSubmitter({
      ...routeDeps,
      placer,
      partnerTimeoutMs: config.partnerTimeoutMs,
    }),
  })
}

/** Starts what runs beside the requests. */
async function startBackground(
  life: Lifetime,
  nats: NatsConnection,
  { db, partner, onCommit }: Pick<PrintOrdersDeps, 'db' | 'partner' | 'onCommit'>,
): Promise<void> {
  const { logger } = life
  const consumer = await startConsumer({
    nats,
    durable: DURABLE,
    handlers: eventHandlers,
    db,
    logger,
    afterCommit: onCommit,
  })
  life.defer('consumer', () => consumer.stop())
  const printing = serveRequests(nats, printingStatus, () => readPrintingStatus(db, partner), logger)
  life.defer('printing status', () => printing.stop())
  life.defer(
    'old store positions',
    repeat('old store positions', POSITIONS_SECONDS, () => forgetOldPositions(db), logger),
  )
  // At the start those of an ended process. The worker does it too; several may.
  const expire = async () => {
    if ((await expireClaims(db)) > 0) onCommit()
  }
  life.defer('expired claims', repeat('expired claims', EXPIRE_SECONDS, expire, logger))
  life.defer('order metrics', measureOrders(db))
}

/** The limits of the service for each user. */
function createUserLimits(redis: Redis, options: UserLimitOptions) {
  const { submitsPerMinute = SUBMITS_PER_MINUTE, searchesPerMinute = SEARCHES_PER_MINUTE } = options
  const limit = (what: string, perMinute: number, message: string, perHour?: number) => {
    const windows = [{ count: perMinute, seconds: 60 }, ...(perHour ? [{ count: perHour, seconds: 3600 }] : [])]
    return createRateLimit(redis, { service: 'print-orders', name: `${what}-of-user`, windows, message })
  }
  const { perMinute, perHour } = COUPON_ATTEMPTS
  const tooManyCodes = 'Too many invalid coupon codes. Please wait before you try another one.'
  const tooFast = (doing: string) => `You are ${doing} very quickly. Please wait a moment and try again.`
  return {
    submits: limit('submits', submitsPerMinute, tooFast('placing orders')),
    coupons: limit('coupons', perMinute, tooManyCodes, perHour),
    couponChecks: limit('coupon-checks', COUPON_CHECKS_PER_MINUTE, tooFast('checking coupons')),
    searches: limit('searches', searchesPerMinute, tooFast('searching')),
  }
}
