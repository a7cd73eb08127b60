import { randomUUID } from 'node:crypto'
import type { App } from '@skyfolio/kit'
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import { asUser, call, newCustomer, openTestSystem, submit, type TestSystem } from './support.ts'

let system: TestSystem
let app: App
let replica: App
beforeAll(async () => {
  system = await openTestSystem()
  app = await system.start({ PARTNER_TIMEOUT_MS: '700' })
  replica = await system.start({ PARTNER_TIMEOUT_MS: '700' })
})
afterEach(() => system.sandbox.clearFaults())
afterAll(() => system.close())

const admin = () => ({ headers: asUser(1_000_000, { isAdmin: true }) })

test('an order whose outcome is unknown is shown, stays unknown when repeated, and blocks an identical one', async () => {
  const user = await newCustomer(system, app)
  await system.sandbox.addFault({ fault: 'commit-then-drop', times: 1 })
  const key = randomUUID()
  const first = await submit(app, user, user.body(), key)
  expect(first).toMatchObject({
    status: 202,
    body: {
      vendorOrderId: null,
      orderStatus: 'unknown',
      message: 'We are checking with the store. Do not order again yet.',
    },
  })
  expect(await submit(replica, user, user.body(), key)).toMatchObject({ status: 202, body: first.body })
  expect(await submit(app, user, user.body({ couponCode: 'PRINT25', orderTotal: '0.30' }))).toMatchObject({
    status: 409,
    body: { code: 'order_unresolved' },
  })
  expect(await user.placed()).toHaveLength(1)
  expect(await user.listed()).toMatchObject([{ orderStatus: 'unknown', vendorOrderId: null }])
  expect((await submit(app, user, user.body({}, 2))).status).toBe(201)
})

test('an administrator finds the order at the store, and the key responds with it', async () => {
  const user = await newCustomer(system, app)
  await system.sandbox.addFault({ fault: 'commit-then-drop', times: 1 })
  const key = randomUUID()
  const { body: lost } = await submit(app, user, user.body(), key)
  const [{ vendorOrderId } = { vendorOrderId: '' }] = await user.placed()
  const resolve = (body: object, id = lost.orderId) =>
    call(app, 'POST', `/api/walgreens/orders/${id}/resolve`, { ...admin(), body })
  const unresolved = await call(app, 'GET', '/api/walgreens/unresolved-orders', admin())
  expect(unresolved.body.at(-1)).toMatchObject({ id: lost.orderId, userId: user.userId, orderStatus: 'unknown' })

  expect((await resolve({})).status).toBe(400)
  expect((await resolve({ vendorOrderId: ' ' })).status).toBe(400)
  expect((await resolve({ vendorOrderId, placed: false })).status).toBe(400)
  expect(await resolve({ vendorOrderId })).toMatchObject({
    status: 200,
    body: { orderStatus: 'submitted', vendorOrderId, history: [{ status: 'unknown' }, { status: 'submitted' }] },
  })
  expect(await submit(app, user, user.body(), key)).toMatchObject({
    status: 200,
    body: { vendorOrderId, orderStatus: 'submitted' },
  })
  expect(await resolve({ placed: false })).toMatchObject({ status: 409, body: { code: 'order_resolved' } })

  await system.sandbox.addFault({ fault: 'commit-then-drop', times: 1 })
  const { body: second } = await submit(app, user, user.body({}, 3))
  expect(await resolve({ vendorOrderId }, second.orderId)).toMatchObject({
    status: 409,
    body: { code: 'vendor_order_id_taken' },
  })
  await resolve({ placed: false }, second.orderId)
})

test('an administrator finds out that nothing was placed, and the order is cancelled and can be placed anew', async () => {
  const user = await newCustomer(system, app)
  await system.sandbox.addFault({ fault: 'reset', route: 'submit', times: 1 })
  const key = randomUUID()
  const { body: lost } = await submit(app, user, user.body(), key)
  const resolved = await call(app, 'POST', `/api/walgreens/orders/${lost.orderId}/resolve`, {
    ...admin(),
    body: { placed: false },
  })
  expect(resolved.body).toMatchObject({
    orderStatus: 'cancelled',
    history: [
      { status: 'unknown' },
      { status: 'cancelled', note: 'An administrator found out that the order did not reach the store.' },
    ],
  })
  expect(await submit(app, user, user.body(), key)).toMatchObject({ status: 409, body: { code: 'order_not_placed' } })
  expect((await submit(app, user, user.body())).status).toBe(201)
  expect(await user.placed()).toHaveLength(1)
})

test.each([
  ['112', 'API_NOT_ACTIVATED'],
  ['659', 'No vendor'],
  ['2003', 'Denied'],
  ['851', 'firstName is empty'],
] as const)('a rejection of the partner with %s is shown with its words, also when repeated', async (fault, text) => {
  const user = await newCustomer(system, app)
  await system.sandbox.addFault({ fault, text, route: 'submit', times: 1 })
  const key = randomUUID()
  const first = await submit(app, user, user.body(), key)
  expect(first).toMatchObject({ status: 422, body: { code: 'partner_refused' } })
  expect(first.body.message).toContain(text)
  expect(first.body.error).toBe(first.body.message)
  expect(await submit(replica, user, user.body(), key)).toMatchObject({ status: 422, body: first.body })
  expect(await user.listed()).toEqual([])
  expect((await submit(app, user, user.body())).status).toBe(201)
})

test('a rejection without words says what its code means', async () => {
  const user = await newCustomer(system, app)
  await system.sandbox.addFault({ fault: '112', text: '', route: 'submit', times: 1 })
  const { body } = await submit(app, user, user.body())
  expect(body.message).toContain('112')
})
