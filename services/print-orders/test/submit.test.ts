import { randomUUID } from 'node:crypto'
import type { App } from '@skyfolio/kit'
import { afterAll, beforeAll, expect, test } from 'vitest'
import {
  CUSTOMER,
  call,
  IMAGE_ORIGIN,
  newCustomer,
  openTestSystem,
  orderBody,
  submit,
  type TestSystem,
} from './support.ts'

let system: TestSystem
let app: App
beforeAll(async () => {
  system = await openTestSystem()
  app = await system.start()
})
afterAll(() => system.close())

test('an order reaches the partner once, and its user sees it', async () => {
  const user = await newCustomer(system, app)
  const lastName = 'Once'
  const body = orderBody([{ url: user.url, qty: 25 }], { lastName, phone: '(218) 555-0199' })
  const key = randomUUID()
  const first = await submit(app, user, body, key)
  expect(first).toMatchObject({
    status: 201,
    body: { orderStatus: 'submitted', subtotalAmount: '10.00', discountAmount: '0.00', totalAmount: '10.00' },
  })
  const again = await submit(app, user, body, key)
  expect([again.status, again.body]).toEqual([200, first.body])

  const placed = await system.sandbox.ordersOf(lastName)
  expect(placed).toMatchObject([
    {
      vendorOrderId: first.body.vendorOrderId,
      affNotes: 'Test Order, Do not print!',
      promiseTime: first.body.promiseTime,
      customer: { ...CUSTOMER, lastName },
      imageCount: 2,
      items: [{ url: `${IMAGE_ORIGIN}/api/uploads/${user.filename}`, quantity: 25 }],
    },
  ])
  const list = await call(app, 'GET', '/api/walgreens/orders', { headers: user.headers })
  expect(list.headers['x-total-count']).toBe('1')
  expect(list.body).toMatchObject([
    { id: first.body.orderId, orderStatus: 'submitted', quantity: 25, totalAmount: '10.00', imageUrl: user.url },
  ])
  const { body: detail } = await call(app, 'GET', `/api/walgreens/orders/${first.body.orderId}`, user)
  expect(detail.history).toMatchObject([{ status: 'submitted', note: `Order ${first.body.vendorOrderId}.` }])
})
