import { randomUUID } from 'node:crypto'
import type { App } from '@skyfolio/kit'
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import { CUSTOMER, call, IMAGE_ORIGIN, newCustomer, openTestSystem, submit, type TestSystem } from './support.ts'

let system: TestSystem
let app: App
let replica: App
beforeAll(async () => {
  system = await openTestSystem()
  app = await system.start()
  replica = await system.start()
})
afterEach(() => system.sandbox.clearFaults())
afterAll(() => system.close())

test('an order reaches the partner once, and its user sees it', async () => {
  const user = await newCustomer(system, app)
  const { lastName } = user
  const body = user.body({ phone: '(218) 555-0199' }, 25)
  const key = randomUUID()
  const first = await submit(app, user, body, key)
  expect(first).toMatchObject({
    status: 201,
    body: {
      orderStatus: 'submitted',
      environment: 'sandbox',
      subtotalAmount: '10.00',
      discountAmount: '0.00',
      totalAmount: '10.00',
    },
  })
  const again = await submit(replica, user, body, key)
  expect([again.status, again.body]).toEqual([200, first.body])

  expect(await user.placed()).toMatchObject([
    {
      vendorOrderId: first.body.vendorOrderId,
      affNotes: 'Test Order, Do not print!',
      promiseTime: first.body.promiseTime,
      customer: { ...CUSTOMER, lastName },
      imageCount: 2,
      items: [{ url: `${IMAGE_ORIGIN}/api/uploads/${user.filename}`, quantity: 25 }],
    },
  ])
  const list = await call(app, 'GET', '/api/walgreens/orders', user)
  expect(list.headers['x-total-count']).toBe('1')
  expect(list.body).toMatchObject([
    { id: first.body.orderId, orderStatus: 'submitted', quantity: 25, totalAmount: '10.00', imageUrl: user.url },
  ])
  const { body: detail } = await call(app, 'GET', `/api/walgreens/orders/${first.body.orderId}`, user)
  expect(detail.history).toMatchObject([{ status: 'submitted', note: `Order ${first.body.vendorOrderId}.` }])
})

test('amounts and quantities may be numbers or texts, and fields come in any order', async () => {
  const user = await newCustomer(system, app)
  const { productDetails: _, ...rest } = user.body({ orderTotal: 0.8, subtotal: '0.80', couponCode: ' ' })
  const imageDetails = [{ url: user.url, qty: '2' }]
  const products = { productDetails: [{ productId: '6560003', productPrice: 0.4, imageDetails }] }
  expect((await submit(app, user, { ...rest, ...products }, 'key-in-any-order')).status).toBe(201)
  expect((await submit(app, user, { ...products, ...rest }, 'key-in-any-order')).status).toBe(200)
})

test('a key with another body is a conflict', async () => {
  const user = await newCustomer(system, app)
  await submit(app, user, user.body(), 'the-same-key')
  const other = await submit(app, user, user.body({}, 2), 'the-same-key')
  expect(other).toMatchObject({ status: 409, body: { code: 'idempotency_conflict', error: other.body.message } })
  expect(await user.placed()).toHaveLength(1)
})

test('a double click, two tabs and two replicas make one order and one response', async () => {
  const user = await newCustomer(system, app)
  await system.sandbox.addFault({ fault: 'slow', route: 'submit', ms: 400 })
  const key = randomUUID()
  const responses = await Promise.all([
    submit(app, user, user.body(), key),
    submit(app, user, user.body(), key),
    submit(replica, user, user.body(), key),
    submit(app, user, user.body(), randomUUID()),
    submit(replica, user, user.body({ appVer: '1.0.0' }), randomUUID()),
    submit(replica, user, user.body(), null),
  ])
  expect(responses.map(({ status }) => status).sort()).toEqual([200, 200, 200, 200, 200, 201])
  expect(new Set(responses.map(({ body }) => body.vendorOrderId)).size).toBe(1)
  expect(await user.placed()).toHaveLength(1)
})

test('a second tab that waited for the order of the first never makes one of its own, also when it repeats later', async () => {
  const user = await newCustomer(system, app)
  await system.sandbox.addFault({ fault: 'slow', route: 'submit', ms: 400 })
  const [first, second] = await Promise.all([
    submit(app, user, user.body(), 'key-of-the-first-tab'),
    submit(replica, user, user.body(), 'key-of-the-second-tab'),
  ])
  const later = await submit(app, user, user.body(), 'key-of-the-second-tab')
  expect([first, second, later].map(({ body }) => body.orderId)).toEqual(Array(3).fill(first.body.orderId))
  expect(await user.placed()).toHaveLength(1)
})

test('identical orders that were on their way at the same time are one, also when one is checked later', async () => {
  const user = await newCustomer(system, app)
  await system.sandbox.addFault({ fault: 'slow', route: 'stores', ms: 1500, times: 1 })
  const responses = await Promise.all([
    submit(app, user, user.body(), randomUUID()),
    submit(replica, user, user.body(), randomUUID()),
  ])
  expect(responses.map(({ status }) => status).sort()).toEqual([200, 201])
  expect(new Set(responses.map(({ body }) => body.vendorOrderId)).size).toBe(1)
  expect(await user.placed()).toHaveLength(1)
})

test('an order that nobody has confirmed blocks the same order in another spelling', async () => {
  const user = await newCustomer(system, app)
  await system.sandbox.addFault({ fault: 'commit-then-drop', route: 'submit', times: 1 })
  expect((await submit(app, user, user.body())).status).toBe(202)
  const { firstName, email, phone } = user.body()
  const spelling = { firstName: firstName.toUpperCase(), email: email.toUpperCase(), phone: `1${phone}` }
  const again = await submit(app, user, user.body(spelling))
  expect(again).toMatchObject({ status: 409, body: { code: 'order_unresolved' } })
  expect(await user.placed()).toHaveLength(1)
})

test('the same prints can be ordered again once the first order is known', async () => {
  const user = await newCustomer(system, app)
  expect((await submit(app, user, user.body())).status).toBe(201)
  expect((await submit(app, user, user.body())).status).toBe(201)
  expect(await user.placed()).toHaveLength(2)
})

test('the same body without a key is one order for ten minutes', async () => {
  const user = await newCustomer(system, app)
  const first = await submit(app, user, user.body(), null)
  expect(first.status).toBe(201)
  expect(await submit(replica, user, user.body(), null)).toMatchObject({ status: 200, body: first.body })
  await system.pool.query("UPDATE walgreens_orders SET created_at = now() - interval '11 minutes' WHERE user_id = $1", [
    user.userId,
  ])
  const later = await submit(app, user, user.body(), null)
  expect(later.status).toBe(201)
  expect(later.body.orderId).not.toBe(first.body.orderId)
  expect(await submit(app, user, user.body(), null)).toMatchObject({ status: 200, body: later.body })
})

test('two users may use the same key', async () => {
  const [one, two] = [await newCustomer(system, app), await newCustomer(system, app)]
  expect((await submit(app, one, one.body(), 'a-key-of-both')).status).toBe(201)
  expect((await submit(app, two, two.body(), 'a-key-of-both')).status).toBe(201)
})

test('too many orders of a user in a minute are 429; repetitions do not count', async () => {
  const strict = await system.start({}, { limits: { submitsPerMinute: 2 } })
  const user = await newCustomer(system, app)
  expect((await submit(strict, user, user.body(), 'the-first-key')).status).toBe(201)
  for (const app of [strict, strict, strict]) {
    expect((await submit(app, user, user.body(), 'the-first-key')).status).toBe(200)
  }
  expect((await submit(strict, user, user.body({}, 2))).status).toBe(201)
  expect(await submit(strict, user, user.body({}, 3))).toMatchObject({
    status: 429,
    headers: { 'retry-after': expect.stringMatching(/^\d+$/) },
  })
})
