import type { NatsConnection } from '@nats-io/nats-core'
import { type App, type Config, type Lifetime, repeat, serveRequests, startRelay } from '@skyfolio/kit'
import { printingStatus } from '@skyfolio/proto'
import type { Redis } from 'ioredis'
import type { Pool } from 'pg'
import { buildApp } from './app.ts'
import { limitCouponAttempts } from './catalog/coupon-attempts.ts'
import { createProductCatalog } from './catalog/products.ts'
import { forgetOldPositions } from './catalog/store-positions.ts'
import type { settings } from './config.ts'
import { openDatabase } from './database.ts'
import { readPrintingStatus } from './environment/environment.ts'
import { createPartner } from './partner/create-partner.ts'

/** A picture of the web application. */
const TEST_IMAGE_PATH = '/test-print.jpg'
const POSITIONS_SECONDS = 3600

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
): Promise<App> {
  const { logger } = life
  const db = openDatabase(pool)
  const relay = startRelay({ pool, nats, logger })
  life.defer('outbox relay', () => relay.stop())

  const partner = createPartner(config, redis, logger)
  const printing = serveRequests(nats, printingStatus, () => readPrintingStatus(db, partner), logger)
  life.defer('printing status', () => printing.stop())
  life.defer(
    'old store positions',
    repeat('old store positions', POSITIONS_SECONDS, () => forgetOldPositions(db), logger),
  )
  return buildApp({
    logger,
    identityKeys: config.identityKeys,
    db,
    partner,
    catalog: createProductCatalog({ partner, redis, logger }),
    countCouponAttempt: limitCouponAttempts(redis, {
      perMinute: config.couponAttemptsPerMinute,
      perHour: config.couponAttemptsPerHour,
    }),
    testImageUrl: `${new URL(config.printImageOrigin ?? config.publicOrigin).origin}${TEST_IMAGE_PATH}`,
  })
}
