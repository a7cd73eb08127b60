import type { App } from '@skyfolio/kit'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { forgetOldPositions, positionOf } from '../src/catalog/stores.ts'
import { drop, GOOD_RESPONSES, json, type PartnerServer, startPartnerServer } from './partner-server.ts'
import {
  call,
  newCustomer,
  newUser,
  openTestSystem,
  orderBody,
  PRINT_4X6,
  STORE,
  submit,
  type TestSystem,
  type TestUser,
} from './support.ts'

let system: TestSystem
let app: App
beforeAll(async () => {
  system = await openTestSystem()
  app = await system.start()
})
afterAll(() => system.close())
afterEach(() => system.sandbox.clearFaults())

const ITEMS = [{ productId: PRINT_4X6.productId, qty: 2 }]
const DULUTH = { latitude: '46.82', longitude: '-92.03' }
const post = (path: string, user: TestUser, body: object, through = app) =>
  call(through, 'POST', `/api/walgreens/${path}`, { headers: user.headers, body })
const wizard = { act: 'x', appVer: '1.0', devInf: 'WebApp,1.0' }

/** A replica whose partner is a server of the test's own. */
async function withServer(): Promise<{ server: PartnerServer; replica: App }> {
  const server = await startPartnerServer()
  const replica = await system.start({ PARTNER_SANDBOX_URL: server.url })
  return { server, replica }
}

describe('products', () => {
  test('are the texts of the partner', async () => {
    const { status, body } = await post('products', newUser(), { productGroupId: 'STDPR', ...wizard })
    expect(status).toBe(200)
    expect(body.products).toContainEqual(
      expect.objectContaining({ productId: '6560003', productSize: '4x6', productPrice: '0.40' }),
    )
    expect(body.products[0]).not.toHaveProperty('priceCents')
  })

  test('are read once for all who wait, on every replica, and again after a minute or a submit that saw others', async () => {
    const { server, replica } = await withServer()
    const other = await system.start({ PARTNER_SANDBOX_URL: server.url })
    const user = newUser()
    const responses = await Promise.all(Array.from({ length: 10 }, () => post('products', user, {}, replica)))
    expect(responses.every(({ status }) => status === 200)).toBe(true)
    await post('products', user, {}, other)
    expect(server.count('products')).toBe(1)
    server.behave('products', json({ err: '', products: [{ productId: '6560003', productPrice: '0.55' }] }))
    const customer = await newCustomer(system, replica)
    const order = await submit(replica, customer, orderBody([{ url: customer.url, qty: 1 }]))
    expect(order).toMatchObject({ status: 409, body: { code: 'order_changed' } })
    const { body } = await post('products', user, {}, other)
    expect(body.products).toMatchObject([{ productPrice: '0.55' }])
    await server.stop()
  })
})

describe('stores', () => {
  test('have the fields of the specification, trimmed', async () => {
    const { status, body } = await post('store-search', newUser(), { ...DULUTH, productDetails: ITEMS, ...wizard })
    expect(status).toBe(200)
    const store = body.photoStores.find(
      (one: { photoStoreDetails: { storeNum: string } }) => one.photoStoreDetails.storeNum === STORE,
    )
    expect(store.photoStoreDetails).toMatchObject({ city: 'Duluth', state: 'MN', distance: expect.any(String) })
    for (const value of Object.values(store.photoStoreDetails)) {
      expect(value === null || value === String(value).trim()).toBe(true)
    }
  })

  test('are an empty list where there are none', async () => {
    await system.sandbox.addFault({ fault: 'empty-store-list' })
    const { status, body } = await post('store-search', newUser(), { ...DULUTH, productDetails: ITEMS })
    expect([status, body]).toEqual([200, { photoStores: [] }])
  })

  test.each([
    [{ latitude: '91' }, 'latitude'],
    [{ latitude: 'north' }, 'latitude'],
    [{ latitude: 46.8 }, 'latitude'],
    [{ latitude: '' }, 'latitude'],
    [{ longitude: '-180.1' }, 'longitude'],
    [{ longitude: undefined }, 'longitude'],
    [{ productDetails: [] }, 'productDetails'],
    [{ productDetails: [{ productId: '6560003', qty: 0 }] }, 'productDetails.0.qty'],
    [{ productDetails: [{ productId: '6560003', qty: 1000 }] }, 'productDetails.0.qty'],
    [{ productDetails: [{ productId: '6560003', qty: '1.5' }] }, 'productDetails.0.qty'],
    [{ productDetails: [{ productId: '6560003', qty: 1, price: 0 }] }, 'productDetails.0.price'],
    [{ productDetails: [{ productId: '<x>', qty: 1 }] }, 'productDetails.0.productId'],
    [{ radius: 5 }, 'radius'],
    [{ devInf: 'x'.repeat(129) }, 'devInf'],
  ])('are not searched with %j', async (change, field) => {
    const { status, body } = await post('store-search', newUser(), { ...DULUTH, productDetails: ITEMS, ...change })
    expect(status).toBe(400)
    expect(Object.keys(body.fields)).toContain(field)
    expect(body.error).toBe(body.message)
  })

  test('are remembered with their position for 24 hours, for everybody', async () => {
    await post('store-search', newUser(), { latitude: ' 46.81 ', longitude: '-92.02', productDetails: ITEMS })
    expect(await positionOf(system.db, 'sandbox', STORE)).toEqual({ latitude: '46.81', longitude: '-92.02' })
    expect(await positionOf(system.db, 'production', STORE)).toBeNull()
    await system.pool.query("UPDATE store_positions SET searched_at = now() - interval '24 hours 1 second'")
    expect(await positionOf(system.db, 'sandbox', STORE)).toBeNull()
    await forgetOldPositions(system.db)
    expect(await system.db.storePosition.count()).toBe(0)
  })
})

test('a late search of an erased user leaves nothing of the user', async () => {
  const user = newUser()
  await system.erase(user.userId)
  expect((await post('store-search', user, { ...DULUTH, productDetails: ITEMS })).status).toBe(200)
  expect(await system.db.storeSearch.count({ where: { userId: user.userId } })).toBe(0)
})

test('a user may search stores so many times a minute', async () => {
  const strict = await system.start({}, { limits: { searchesPerMinute: 2 } })
  const user = newUser()
  const statuses = []
  for (let count = 0; count < 3; count++) {
    statuses.push((await post('store-search', user, { ...DULUTH, productDetails: ITEMS }, strict)).status)
  }
  expect(statuses).toEqual([200, 200, 429])
})

describe('a coupon', () => {
  const coupon = (user: TestUser, couponCode: string, through = app) =>
    post(
      'validate-coupon',
      user,
      { couponCode, productDetails: [{ productId: PRINT_4X6.productId, qty: '10' }], ...wizard },
      through,
    )

  test('saves what the partner says', async () => {
    const { status, body } = await coupon(newUser(), ' print25 ')
    expect([status, body]).toEqual([
      200,
      { status: 'success', err: '', errDesc: '', orderTotalPrice: '3.00', orderDiscountPrice: '1.00' },
    ])
  })

  test('is a result when it is unknown, expired or not configured', async () => {
    const user = newUser()
    expect(await coupon(user, 'NOSUCH')).toMatchObject({
      status: 200,
      body: { err: expect.stringMatching(/./), orderDiscountPrice: null },
    })
    expect(await coupon(user, 'SUMMER20')).toMatchObject({ status: 200, body: { err: '9102' } })
    expect(await coupon(user, 'PARTNER50')).toMatchObject({ status: 200, body: { err: '661' } })
  })

  test.each(['', '  ', 'x'.repeat(65), 'SAVE\n5', 'ÉTÉ'])('cannot be %j', async (couponCode) => {
    expect(await coupon(newUser(), couponCode)).toMatchObject({ status: 400, body: { message: 'Invalid coupon code' } })
  })

  test('can be guessed a few times only, in parallel too and on every replica; valid codes do not count', async () => {
    const user = newUser()
    const other = await system.start()
    for (let count = 0; count < 8; count++) expect((await coupon(user, 'PRINT25')).status).toBe(200)
    const guesses = await Promise.all(
      Array.from({ length: 12 }, (_, index) => coupon(user, `GUESS${index}`, index % 2 ? app : other)),
    )
    expect(guesses.filter(({ status }) => status === 200)).toHaveLength(5)
    const limited = guesses.find(({ status }) => status === 429)
    expect(Number(limited?.headers['retry-after'])).toBeGreaterThan(0)
    expect(limited?.body).toMatchObject({ code: 'too_many_requests', error: expect.stringContaining('invalid coupon') })
    expect((await coupon(newUser(), 'PRINT25')).status).toBe(200)
  })

  test('can be checked by a user so often only, valid ones too and on every replica, since all share the limit of the partner', async () => {
    const user = newUser()
    const other = await system.start()
    for (let count = 0; count < 20; count++) {
      expect((await coupon(user, 'PRINT25', count % 2 ? app : other)).status).toBe(200)
    }
    const limited = await coupon(user, 'PRINT25')
    expect(limited.status).toBe(429)
    expect(Number(limited.headers['retry-after'])).toBeGreaterThan(0)
    expect(limited.body).toMatchObject({ error: expect.stringContaining('checking coupons very quickly') })
    expect((await coupon(newUser(), 'PRINT25')).status).toBe(200)
  })

  test('does not count when the partner could not check it', async () => {
    const { server, replica } = await withServer()
    const user = newUser()
    server.behave('coupon', drop)
    for (let count = 0; count < 7; count++) expect((await coupon(user, 'X', replica)).status).toBe(502)
    await server.stop()
    expect((await coupon(user, 'X')).status).toBe(200)
  })
})

describe('fresh figures', () => {
  test('come from the partner, never from the cache, with products, store and coupon read at once', async () => {
    const { server, replica } = await withServer()
    const customer = await newCustomer(system, replica)
    await post('products', customer, {}, replica)
    const arrived: string[] = []
    const pending: (() => void)[] = []
    for (const name of ['products', 'stores', 'coupon'] as const) {
      server.behave(name, (response, request) => {
        arrived.push(name)
        pending.push(() => json(GOOD_RESPONSES[name])(response, request))
        if (pending.length === 3) for (const respond of pending) respond()
      })
    }
    const body = orderBody([{ url: customer.url, qty: 10 }], { couponCode: 'save', orderTotal: '1.50' })
    expect(await submit(replica, customer, body)).toMatchObject({
      status: 409,
      body: { current: { subtotalAmount: '3.90', discountAmount: '2.50', totalAmount: '1.40' } },
    })
    expect(arrived.sort()).toEqual(['coupon', 'products', 'stores'])
    await server.stop()
  })

  test('need a store that somebody has searched', async () => {
    const customer = await newCustomer(system, app)
    const response = await submit(app, customer, orderBody([{ url: customer.url, qty: 1 }], { storeNum: '99999' }))
    expect(response).toMatchObject({ status: 400, body: { message: expect.stringContaining('search for stores') } })
  })

  test('count invalid coupons like the wizard', async () => {
    const customer = await newCustomer(system, app)
    const statuses = []
    for (let count = 0; count < 6; count++) {
      const body = orderBody([{ url: customer.url, qty: 1 }], { couponCode: `GUESS${count}` })
      statuses.push((await submit(app, customer, body)).status)
    }
    expect(statuses.at(-1)).toBe(429)
  })
})
