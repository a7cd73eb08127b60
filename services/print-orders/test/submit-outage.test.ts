import { randomUUID } from 'node:crypto'
import { fileURLToPath } from 'node:url'
import { type App, createLogger, loadConfig, openPool, openRedis } from '@skyfolio/kit'
import { migrate } from '@skyfolio/kit/migrations'
import { startPostgres, startTcpProxy, waitFor } from '@skyfolio/testkit'
import { afterAll, afterEach, beforeAll, expect, onTestFinished, test } from 'vitest'
import { settings } from '../src/config.ts'
import { openDatabase } from '../src/database.ts'
import { createOrderPlacer } from '../src/orders/place-order.ts'
import { createPartner } from '../src/partner/partner.ts'
import { newCustomer, openTestSystem, searchStores, storeOrder, submit, type TestSystem } from './support.ts'

let system: TestSystem
let app: App
beforeAll(async () => {
  system = await openTestSystem()
  app = await system.start()
})
afterEach(() => system.sandbox.clearFaults())
afterAll(() => system.close())

test('an outcome that cannot be recorded at once is recorded when the database is back', async () => {
  const postgres = await startPostgres({ durable: true })
  onTestFinished(() => postgres.stop())
  const databaseUrl = `${postgres.url}/print-orders`
  await migrate(databaseUrl, fileURLToPath(new URL('../prisma/migrations', import.meta.url)))
  const own = await openTestSystem({ databaseUrl })
  onTestFinished(() => own.close())
  const service = await own.start()
  const user = await newCustomer(own, service)
  await own.sandbox.addFault({ fault: 'slow', route: 'submit', ms: 800, times: 1 })
  const key = randomUUID()
  const response = submit(service, user, user.body(), key)
  await waitFor(async () => (await own.sandbox.counts()).submit === 1, { what: 'the call has begun' })
  await postgres.kill()
  await waitFor(async () => (await user.placed()).length === 1, { what: 'the order at the partner' })
  await postgres.start()
  const { status, body } = await response
  expect(status).toBe(201)
  expect(await submit(service, user, user.body(), key)).toMatchObject({ status: 200, body })
  expect(await user.placed()).toMatchObject([{ vendorOrderId: body.vendorOrderId }])
})

test('while it cannot be recorded the response is unknown, and the record follows in the background', async () => {
  const user = await newCustomer(system, app)
  const promiseTime = await searchStores(app, user)
  const claim = await storeOrder(system.db, { userId: user.userId, orderStatus: 'claimed', vendorOrderId: null })
  const proxy = await startTcpProxy(system.databaseUrl)
  onTestFinished(() => proxy.close())
  const url = new URL(system.databaseUrl)
  url.host = new URL(proxy.url).host
  const pool = openPool(url.href)
  onTestFinished(() => pool.end())
  const redis = openRedis(system.redisUrl, 'test')
  onTestFinished(() => redis.disconnect())
  const logger = createLogger('print-orders', 'silent')
  const partner = createPartner(loadConfig(settings, system.environment()), redis, logger)
  const placer = createOrderPlacer({ db: openDatabase(pool), partner, logger, onCommit: () => {} })
  const request = {
    ...{ firstName: 'Ada', lastName: user.lastName, phone: '2185550199', email: 'ada@quill.test' },
    ...{ storeNum: claim.storeNumber, promiseTime, couponCode: null, affNotes: '' },
    products: [{ productId: '6560003', images: [{ url: user.url, quantity: 1 }] }],
  }
  proxy.freeze()
  const placement = await placer.place(claim, request, { callMs: 5_000, deadline: performance.now() + 500 })
  expect(placement).toMatchObject({ outcome: { outcome: 'accepted' }, recorded: 'unrecorded' })
  proxy.thaw()
  await placer.settled()
  expect(await user.listed()).toMatchObject([{ orderStatus: 'submitted' }])
  expect(await user.placed()).toHaveLength(1)
})
