import { randomUUID } from 'node:crypto'
import type { App } from '@skyfolio/kit'
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import { asUser, call, newCustomer, openTestSystem, orderBody, PRINT_5X7, submit, type TestSystem } from './support.ts'

let system: TestSystem
let app: App
beforeAll(async () => {
  system = await openTestSystem()
  app = await system.start()
})
afterEach(() => system.sandbox.clearFaults())
afterAll(() => system.close())

const admin = () => ({ headers: asUser(1_000_000, { isAdmin: true }) })

test.each([
  ['a total', { orderTotal: '0.01' }],
  ['a subtotal', { subtotal: '0.01' }],
  ['a discount that nobody granted', { orderTotal: '0.30', couponCode: 'NOSUCHCODE' }],
])('%s that was altered is rejected with the true figures', async (_what, altered) => {
  const user = await newCustomer(system, app)
  const response = await submit(app, user, user.body(altered))
  expect(response).toMatchObject({
    status: 409,
    body: {
      code: 'order_changed',
      error: response.body.message,
      current: { subtotalAmount: '0.40', discountAmount: '0.00', totalAmount: '0.40' },
    },
  })
  expect(response.body.current.promiseTime).toMatch(/^\d\d-\d\d-\d{4} /)
  expect(await user.placed()).toEqual([])
})

test('a price that changed between the steps is rejected, and the same key may confirm the new one', async () => {
  const user = await newCustomer(system, app)
  await system.sandbox.addFault({ fault: 'price-change', percent: 50 })
  const key = randomUUID()
  const response = await submit(app, user, user.body(), key)
  expect(response).toMatchObject({ status: 409, body: { code: 'order_changed', current: { totalAmount: '0.60' } } })
  const body = user.body({ orderTotal: '0.60', subtotal: '0.60' })
  const productDetails = body.productDetails.map((product) => ({ ...product, productPrice: '0.60' }))
  expect((await submit(app, user, { ...body, productDetails }, key)).status).toBe(201)
})

test('a coupon counts with what the partner says of it', async () => {
  const user = await newCustomer(system, app)
  const order = user.body({ couponCode: ' print25 ', subtotal: '4.00', orderTotal: '3.00' }, 10)
  const placed = await submit(app, user, order)
  expect(placed).toMatchObject({ status: 201, body: { discountAmount: '1.00', totalAmount: '3.00' } })
  expect(await user.placed()).toMatchObject([{ couponCode: 'PRINT25', total: '3.00' }])
  expect(await user.listed()).toMatchObject([{ couponCode: 'PRINT25', couponDiscount: '1.00' }])
})

test.each([
  ['NOSUCH', 'This coupon code is not valid for this order (SIM: coupon code is not valid).'],
  ['SUMMER20', 'This coupon code is not valid for this order (SIM: coupon has expired).'],
  ['PARTNER50', 'This coupon is not configured for your account. Contact support for available promotions.'],
])(
  'a coupon that does not count, %s, is rejected even at the full price, and ordered without it',
  async (code, why) => {
    const user = await newCustomer(system, app)
    const response = await submit(app, user, user.body({ couponCode: code }))
    const current = { subtotalAmount: '0.40', discountAmount: '0.00', totalAmount: '0.40', couponMessage: why }
    expect(response).toMatchObject({ status: 409, body: { code: 'order_changed', current } })
    expect(response.body.message).toBe(`${why} The total is now $0.40. Please check and confirm.`)
    expect(await user.placed()).toEqual([])
    expect(await user.listed()).toEqual([])
    expect((await submit(app, user, user.body())).status).toBe(201)
    expect(await user.placed()).toMatchObject([{ couponCode: '' }])
    expect(await user.listed()).toMatchObject([{ couponCode: null, couponDiscount: null }])
  },
)

test('a free order has the total 0', async () => {
  const user = await newCustomer(system, app)
  const response = await submit(app, user, user.body({ couponCode: 'ONTHEHOUSE', orderTotal: 0 }))
  expect(response).toMatchObject({ status: 201, body: { discountAmount: '0.40', totalAmount: '0.00' } })
})

test('a promise time on another day or more than an hour later has to be confirmed; others are replaced silently', async () => {
  const user = await newCustomer(system, app)
  const shown = '01-05-2020 3:00 PM'
  const response = await submit(app, user, user.body({ promiseTime: shown }))
  expect(response).toMatchObject({ status: 409, body: { code: 'order_changed' } })
  const { promiseTime } = response.body.current
  const confirmed = await submit(app, user, user.body({ promiseTime }))
  expect(confirmed).toMatchObject({ status: 201, body: { promiseTime } })
  await system.sandbox.addFault({ fault: 'promise-time-changed', minutes: 180 })
  expect((await submit(app, user, user.body({ promiseTime }))).status).toBe(409)
})

test('a store that nobody searched is 400, one that takes no orders now too', async () => {
  const user = await newCustomer(system, app)
  expect((await submit(app, user, user.body({ storeNum: '99999' }))).status).toBe(400)
  await system.sandbox.addFault({ fault: 'empty-store-list' })
  expect(await submit(app, user, user.body())).toMatchObject({
    status: 400,
    body: { fields: { storeNum: 'This store cannot take the order now. Please choose another store.' } },
  })
})

test.each(['storeNum', 'couponCode'])('a %s that the database cannot store is 400', async (field) => {
  const user = await newCustomer(system, app)
  const response = await submit(app, user, user.body({ [field]: '4101\0' }))
  expect(response).toMatchObject({ status: 400, body: { fields: { [field]: expect.any(String) } } })
})

test('more than 200 images, or 998 dollars and more, are 400 with a sentence', async () => {
  const user = await newCustomer(system, app)
  const many = orderBody(Array.from({ length: 201 }, () => ({ photoId: system.media.addPhoto(user.userId), qty: 1 })))
  expect(await submit(app, user, many)).toMatchObject({
    status: 400,
    body: { fields: { 'productDetails.0.imageDetails': expect.stringContaining('200 images') } },
  })
  const split = orderBody([1, 2, 3, 4, 5].map(() => ({ photoId: system.media.addPhoto(user.userId), qty: 999 })))
  expect((await submit(app, user, split)).body.message).toContain('200 images')
  const details = [
    { productId: PRINT_5X7.productId, productPrice: '3.49', imageDetails: [{ url: user.url, qty: 286 }] },
  ]
  const dear = user.body({ productDetails: details, subtotal: '998.14', orderTotal: '998.14' })
  expect(await submit(app, user, dear)).toMatchObject({
    status: 400,
    body: { message: 'An order must stay under $998.00. Please split it into smaller orders.' },
  })
  const reduced = { ...dear, couponCode: 'FIRST10', orderTotal: '898.33' }
  expect((await submit(app, user, reduced)).status).toBe(201)
})

test('a switch of the environment since the search for stores has to be confirmed', async () => {
  const both = await system.start({ PARTNER_PRODUCTION_URL: system.sandbox.url })
  const user = await newCustomer(system, app)
  const switchTo = (environment: string) =>
    call(both, 'POST', '/api/admin/environment', { ...admin(), body: { environment } })
  await switchTo('production')
  const key = randomUUID()
  const response = await submit(both, user, user.body(), key)
  expect(response).toMatchObject({ status: 409, body: { code: 'order_changed', current: { totalAmount: '0.40' } } })
  await switchTo('sandbox')
  expect((await submit(both, user, user.body(), key)).status).toBe(201)
})

test('in production the note names the order', async () => {
  const both = await system.start({ PARTNER_PRODUCTION_URL: system.sandbox.url })
  const switchTo = (environment: string) =>
    call(both, 'POST', '/api/admin/environment', { ...admin(), body: { environment } })
  await switchTo('production')
  const user = await newCustomer(system, both)
  const lastName = 'In Production'
  const { body } = await submit(both, user, orderBody([{ url: user.url, qty: 1 }], { lastName }))
  await switchTo('sandbox')
  expect(await system.sandbox.ordersOf(lastName)).toMatchObject([{ affNotes: `Skyfolio order ${body.orderId}` }])
  expect(await user.listed()).toMatchObject([{ environment: 'production' }])
})

test('orders are 503 without configuration', async () => {
  const none = await system.start({ PARTNER_API_KEY: '' })
  const user = await newCustomer(system, app)
  expect(await submit(none, user, user.body())).toMatchObject({
    status: 503,
    body: { code: 'partner_not_configured' },
  })
})
