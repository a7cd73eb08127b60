import { type App, sendRequest } from '@skyfolio/kit'
import { printingStatus } from '@skyfolio/proto'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { html, json, type PartnerServer, startPartnerServer } from './partner-server.ts'
import { openLog } from './partner-support.ts'
import { asUser, call, newUser, openTestSystem, type TestSystem } from './support.ts'

let system: TestSystem
let app: App
beforeAll(async () => {
  system = await openTestSystem()
  app = await system.start()
})
afterAll(() => system.close())
beforeEach(() => system.pool.query("UPDATE partner_environment SET environment = 'sandbox'"))

const ADMIN_ID = 1_000_000
// An identity is accepted for a minute only.
const admin = () => ({ headers: asUser(ADMIN_ID, { isAdmin: true }) })
const read = (through = app) => call(through, 'GET', '/api/admin/environment', { headers: admin().headers })
const choose = (environment: unknown, through = app) =>
  call(through, 'POST', '/api/admin/environment', { headers: admin().headers, body: { environment } })
const products = (through: App) =>
  call(through, 'POST', '/api/walgreens/products', { headers: newUser().headers, body: {} })
const readStatus = () => sendRequest(system.nats, printingStatus, {}, { timeoutMs: 2_000 })

describe('the environment', () => {
  test('is the sandbox at first, with its address', async () => {
    expect(await read()).toMatchObject({ status: 200, body: { environment: 'sandbox', baseUrl: system.sandbox.url } })
    expect(await readStatus()).toMatchObject({ available: true, sandbox: true })
  })

  test('cannot become one that is not configured', async () => {
    const response = await choose('production')
    expect(response).toMatchObject({ status: 409, body: { code: 'partner_not_configured' } })
    expect(response.body.message).toContain('PARTNER_PRODUCTION_URL')
    expect((await read()).body.environment).toBe('sandbox')
    expect((await choose('sandbox')).status).toBe(200)
  })

  test.each([undefined, 'staging', '', 1, null])('cannot be %j', async (environment) => {
    expect(await choose(environment)).toMatchObject({
      status: 400,
      body: { fields: { environment: expect.any(String) } },
    })
  })

  test('once switched is effective at once on every replica, and in the log with who switched it', async () => {
    const production = await startPartnerServer()
    const { logger, lines } = openLog()
    const settings = { PARTNER_PRODUCTION_URL: production.url }
    const one = await system.start(settings, { logger })
    const other = await system.start(settings)
    await products(other)
    expect(await choose('production', one)).toMatchObject({
      status: 200,
      body: { environment: 'production', baseUrl: production.url },
    })
    expect((await read(other)).body).toEqual({ environment: 'production', baseUrl: production.url })
    expect((await products(other)).body.products).toMatchObject([{ productPrice: '0.39' }, {}])
    expect(production.count('products')).toBe(1)
    expect(lines.map((line) => JSON.parse(line))).toContainEqual(
      expect.objectContaining({
        msg: 'partner environment switched',
        from: 'sandbox',
        to: 'production',
        userId: ADMIN_ID,
      }),
    )
    expect((await choose('sandbox', other)).body.environment).toBe('sandbox')
    await production.stop()
  })
})

test('every route of the partner says that printing is not set up without an address or credentials', async () => {
  const own = await openTestSystem()
  const replica = await own.start({ PARTNER_API_KEY: '' })
  const position = { latitude: '46.8', longitude: '-92.0' }
  const productDetails = [{ productId: '6560003', qty: 1 }]
  const bodies = {
    products: {},
    'store-search': { ...position, productDetails },
    'validate-coupon': { couponCode: 'X', productDetails },
    'v3/fetch-credentials': {},
    'product-details': {},
    'validate-coupon-official': { couponCode: 'X', productDetails },
    'submit-order-official': {},
  }
  for (const [path, body] of Object.entries(bodies)) {
    const response = await call(replica, 'POST', `/api/walgreens/${path}`, { headers: admin().headers, body })
    expect(response, path).toMatchObject({ status: 503, body: { code: 'partner_not_configured' } })
    expect(response.body.error, path).toMatch(/^Service unavailable/)
  }
  expect(await sendRequest(own.nats, printingStatus, {}, { timeoutMs: 2_000 })).toMatchObject({ available: false })
  await own.close()
})

describe('tests of administrators', () => {
  const post = (path: string, body: object = {}, through = app) =>
    call(through, 'POST', `/api/walgreens/${path}`, { headers: admin().headers, body })

  async function replicaOf(): Promise<{ server: PartnerServer; replica: App }> {
    const server = await startPartnerServer()
    return { server, replica: await system.start({ PARTNER_SANDBOX_URL: server.url }) }
  }

  test('say whether the credentials are accepted, and never what they are', async () => {
    expect(await post('v3/fetch-credentials')).toMatchObject({
      status: 200,
      body: { accepted: true, message: 'Walgreens accepts the credentials.', uploadLimit: 200 },
    })
    const { server, replica } = await replicaOf()
    server.behave('credentials', json({ err: '2003', errDesc: 'key sandbox-key of sandbox-affiliate rejected' }))
    const rejected = await post('v3/fetch-credentials', {}, replica)
    expect(rejected).toMatchObject({ status: 200, body: { accepted: false, uploadLimit: null } })
    expect(rejected.body.message).toContain('(error 2003)')
    expect(rejected.body.message).toContain('[hidden]')
    expect(JSON.stringify(rejected.body)).not.toMatch(/sandbox-key|sandbox-affiliate|s3cret/)
    server.behave('credentials', html(503))
    expect(await post('v3/fetch-credentials', {}, replica)).toMatchObject({
      status: 502,
      body: { code: 'partner_failed' },
    })
    await server.stop()
  })

  test('list the products of a group as they are now, and check coupons without a limit', async () => {
    expect((await post('product-details', { productGroupId: 'STDPR' })).body.products.length).toBeGreaterThan(1)
    const productDetails = [{ productId: '6560003', qty: 10 }]
    for (let count = 0; count < 7; count++) {
      expect((await post('validate-coupon-official', { couponCode: `GUESS${count}`, productDetails })).status).toBe(200)
    }
    expect((await post('validate-coupon-official', { couponCode: 'PRINT25', productDetails })).body.err).toBe('')
  })

  test('place a marked order in the sandbox, which is nobody’s', async () => {
    const { status, body } = await post('submit-order-official')
    expect(status).toBe(200)
    expect(body).toMatchObject({ environment: 'sandbox', message: expect.stringContaining('Nothing is printed') })
    const orders = await system.sandbox.orders()
    expect(orders.find(({ vendorOrderId }) => vendorOrderId === body.vendorOrderId)).toMatchObject({
      affNotes: 'Test Order, Do not print!',
      items: [{ productId: '6560003', url: 'http://images.test/test-print.jpg', quantity: 1 }],
    })
    expect(await system.db.order.count()).toBe(0)
    const placed = await post('submit-order-official', { latitude: '41.88', longitude: '-87.63', productId: '6560005' })
    expect(placed.status).toBe(200)
    expect((await post('submit-order-official', { latitude: '41.88' })).status).toBe(400)
  })

  test('place no order in production, and say so when the partner rejects it or does not respond', async () => {
    const { server, replica } = await replicaOf()
    server.behave('submit', json({ status: 'fail', err: '112', errDesc: 'API_NOT_ACTIVATED' }))
    const refused = await post('submit-order-official', {}, replica)
    expect(refused).toMatchObject({ status: 422, body: { code: 'partner_refused' } })
    expect(refused.body.message).toContain('API_NOT_ACTIVATED')
    server.behave('submit', html(502))
    expect(await post('submit-order-official', {}, replica)).toMatchObject({ status: 502 })
    await system.pool.query("UPDATE partner_environment SET environment = 'production'")
    expect(await post('submit-order-official')).toMatchObject({ status: 409, body: { code: 'production' } })
    await server.stop()
  })
})
