import type { App } from '@skyfolio/kit'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { changeStatuses } from '../src/orders/change-order.ts'
import { refreshOrders } from '../src/status/due-orders.ts'
import { asUser, call, newUser, ORIGIN, openTestSystem, storeOrder, type TestSystem, type TestUser } from './support.ts'

let system: TestSystem
let app: App
beforeAll(async () => {
  system = await openTestSystem()
  app = await system.start()
})
afterAll(() => system.close())

const get = (path: string, user: TestUser) => call(app, 'GET', `/api/walgreens/${path}`, { headers: user.headers })
const idsOf = (orders: { id: number }[]) => orders.map(({ id }) => id)

test('the list has the newest first, all of it or in pages with links', async () => {
  const user = newUser()
  const { userId } = user
  const ids: number[] = []
  for (let count = 0; count < 7; count += 1) ids.unshift((await storeOrder(system.db, { userId })).id)
  await storeOrder(system.db, { userId: newUser().userId })

  const all = await get('orders', user)
  expect(all.headers).toMatchObject({ 'x-total-count': '7', 'cache-control': 'private, no-store' })
  expect(all.headers.link).toBeUndefined()
  expect(idsOf(all.body)).toEqual(ids)

  const pages: number[][] = []
  for (let path: string | undefined = 'orders?limit=3'; path; ) {
    const page = await get(path, user)
    expect(page.headers['x-total-count']).toBe('7')
    pages.push(idsOf(page.body))
    path = /^<\/api\/walgreens\/(.*)>; rel="next"$/.exec(`${page.headers.link ?? ''}`)?.[1]
  }
  expect(pages).toEqual([ids.slice(0, 3), ids.slice(3, 6), ids.slice(6)])
  expect((await get('orders?limit=0', user)).status).toBe(400)
  expect((await get('orders?limit=2&cursor=zzzz', user)).status).toBe(400)
})

test('the list may be empty, or longer than a batch', async () => {
  const user = newUser()
  expect((await get('orders', user)).body).toEqual([])
  await system.pool.query(
    `INSERT INTO walgreens_orders (user_id, environment, order_status, vendor_order_id, store_number, product_id,
       subtotal_cents, total_cents, customer_first_name, customer_last_name, customer_email, customer_phone,
       request_hash, order_hash)
     SELECT $1, 'sandbox', 'ready', 'many-' || n, '4101', '6560003', 40, 40, 'A', 'B', 'c@d.test', '1', n, n
     FROM generate_series(1, 1000) AS n`,
    [user.userId],
  )
  const { body } = await get('orders', user)
  expect(new Set(idsOf(body)).size).toBe(1000)
})

test('an order has amounts as text, absolute addresses, and the photo of its first item', async () => {
  const user = newUser()
  const { id, imageUrl } = await storeOrder(system.db, {
    userId: user.userId,
    ...{ subtotalCents: 1234, discountCents: 34, totalCents: 1200, taxCents: 99, couponCode: 'PRINT25' },
    item: { photoTitle: 'Lake', photoId: 7 },
  })
  const { body } = await get(`orders/${id}`, user)
  expect(body).toMatchObject({
    ...{ subtotalAmount: '12.34', discountAmount: '0.34', totalAmount: '12.00', taxAmount: '0.99' },
    ...{ couponCode: 'PRINT25', couponDiscount: '0.34', photoTitle: 'Lake', imageUrl: ORIGIN + imageUrl, history: [] },
    items: [{ productId: '6560003', productSize: '4x6', quantity: 1, photoId: 7, photoTitle: 'Lake' }],
  })
})

test('claims and rejected orders are in no list', async () => {
  const user = newUser()
  for (const orderStatus of ['claimed', 'rejected']) {
    const { id } = await storeOrder(system.db, { userId: user.userId, orderStatus, vendorOrderId: null })
    expect((await get(`orders/${id}`, user)).status).toBe(404)
  }
  const { headers, body } = await get('orders', user)
  expect([headers['x-total-count'], body]).toEqual(['0', []])
})

test('a refresh makes the open orders of the user due, and at most once in a few seconds', async () => {
  const [user, other] = [newUser(), newUser()]
  const later = new Date(Date.now() + 3_600_000)
  const make = (userId: number, orderStatus: string, nextCheckAt: Date | null = later) =>
    storeOrder(system.db, { userId, orderStatus, nextCheckAt })
  const open = [await make(user.userId, 'submitted'), await make(user.userId, 'ready')]
  const others = [
    await make(user.userId, 'picked_up', null),
    // Its checks have ended after 30 days.
    await make(user.userId, 'processing', null),
    await make(other.userId, 'submitted'),
  ]
  const refresh = () => call(app, 'POST', '/api/walgreens/refresh-order-status', { headers: user.headers })
  const dueAt = async (id: number) => (await system.db.order.findUniqueOrThrow({ where: { id } })).nextCheckAt
  expect(await refresh()).toMatchObject({ status: 202, body: { queued: 2 } })
  for (const { id } of open) expect((await dueAt(id))?.getTime()).toBeLessThanOrEqual(Date.now() + 1_000)
  for (const { id, nextCheckAt } of others) expect(await dueAt(id)).toEqual(nextCheckAt)

  await system.db.order.updateMany({ where: { userId: user.userId }, data: { nextCheckAt: later } })
  // The check of the first request is over: that of the next one follows five seconds after it, whoever asks how often.
  await refresh()
  await refresh()
  const orders = await system.db.order.findMany({ where: { id: { in: open.map(({ id }) => id) } } })
  for (const { nextCheckAt, refreshRequestedAt } of orders) {
    expect(nextCheckAt).toEqual(refreshRequestedAt)
    expect(Number(nextCheckAt)).toBeLessThanOrEqual(Date.now() + 5_000)
    expect(Number(nextCheckAt)).toBeGreaterThan(Number(later) - 3_600_000)
  }
})

test('refreshes and reports of statuses that meet at the same orders do not block each other', async () => {
  const user = newUser()
  const orders = await Promise.all(Array.from({ length: 50 }, () => storeOrder(system.db, { userId: user.userId })))
  const ids = orders.map(({ id }) => id)
  for (const status of ['processing', 'ready'] as const) {
    await system.db.order.updateMany({ where: { userId: user.userId }, data: { refreshRequestedAt: null } })
    const [queued, ...changed] = await Promise.all([
      refreshOrders(system.db, user.userId),
      ...[ids, ids.toReversed()].map((some) =>
        system.db.$transaction((tx) => changeStatuses(tx, new Map(some.map((id) => [id, status])))),
      ),
    ])
    expect(queued).toBe(ids.length)
    expect(changed.map(({ length }) => length).sort()).toEqual([0, ids.length])
  }
})

test('the details of the customer are remembered on request, corrected, and erased', async () => {
  const user = newUser()
  const customer = { firstName: 'Ada', lastName: 'Quillfeather', email: 'ada@quill.test', phone: '2185550199' }
  const send = (method: 'GET' | 'PUT' | 'DELETE', body?: object) =>
    call(app, method, '/api/walgreens/customer', { headers: user.headers, ...(body && { body }) })
  expect((await send('GET')).body).toEqual({ customer: null })
  expect(await send('PUT', { ...customer, phone: '(218) 555-0199' })).toMatchObject({ status: 200, body: { customer } })
  expect((await send('PUT', { ...customer, firstName: 'Ida' })).status).toBe(200)
  expect((await send('GET')).body).toEqual({ customer: { ...customer, firstName: 'Ida' } })
  expect(await send('PUT', { firstName: ' ', email: 'nobody' })).toMatchObject({
    status: 400,
    body: { fields: { firstName: expect.any(String), lastName: expect.any(String), phone: expect.any(String) } },
  })
  expect((await send('PUT', { ...customer, address: 'x' })).status).toBe(400)
  expect((await send('DELETE')).status).toBe(204)
  expect((await send('GET')).body).toEqual({ customer: null })
  expect((await call(app, 'GET', '/api/walgreens/customer', newUser())).body).toEqual({ customer: null })
})

test('images of photos are prepared for the screen and for a product', async () => {
  const user = newUser()
  const mine = system.media.addPhoto(user.userId)
  const broken = system.media.addPhoto(user.userId)
  const foreign = system.media.addPhoto(newUser().userId)
  system.media.fail(broken, 'The file is damaged.')
  const prepare = (images: object[]) =>
    call(app, 'POST', '/api/walgreens/prepare-images', { headers: user.headers, body: { images } })
  const crop = { x: 0, y: 0, width: 0.5, height: 0.5 }
  const { status, body } = await prepare([
    { photoId: mine },
    { photoId: mine, productId: '6560103', crop },
    { photoId: broken },
    { photoId: foreign },
  ])
  expect(status).toBe(200)
  expect(body.images).toMatchObject([
    { photoId: mine, productId: null, status: 'ready', message: null, width: 1800, sourceWidth: 4000 },
    { photoId: mine, productId: '6560103', status: 'ready', url: expect.stringContaining(`${ORIGIN}/api/uploads/p-`) },
    { status: 'failed', message: 'The file is damaged.', url: null, expiresAt: null },
    { status: 'failed', message: 'This photo does not exist any more.' },
  ])
  expect(system.media.prepared.slice(-3)).toMatchObject([
    { photoId: mine },
    { photoId: mine, crop, shortSide: 1500, longSide: 2100 },
    { photoId: broken },
  ])
  expect((await prepare([{ photoId: mine, productId: 'nosuchproduct' }])).body.fields).toEqual({
    'images.0.productId': 'This size is not available. Please choose another one.',
  })
  expect((await prepare([])).status).toBe(400)
  expect((await prepare([{ photoId: mine, url: 'http://x.test' }])).status).toBe(400)
})

test('images cannot be prepared without media, and nothing is ordered', async () => {
  const user = newUser()
  await system.media.pause()
  const body = { images: [{ photoId: 1 }] }
  expect((await call(app, 'POST', '/api/walgreens/prepare-images', { headers: user.headers, body })).status).toBe(503)
  system.media.resume()
})

test("an administrator sees every order, and nobody else another's", async () => {
  const user = newUser()
  const { id } = await storeOrder(system.db, { userId: user.userId })
  const statusFor = async (headers: Record<string, string>) =>
    (await call(app, 'GET', `/api/walgreens/orders/${id}`, { headers })).status
  expect(await statusFor(user.headers)).toBe(200)
  expect(await statusFor(newUser().headers)).toBe(404)
  expect(await statusFor(asUser(999_999, { isAdmin: true }))).toBe(200)
})

test('a refresh checks the newest 50 orders of a user at once, and leaves the others to their time', async () => {
  const user = newUser()
  const orders = await Promise.all(
    Array.from({ length: 55 }, (_, index) =>
      storeOrder(system.db, { userId: user.userId, createdAt: new Date(Date.now() - index * 60_000) }),
    ),
  )
  await system.db.order.updateMany({
    where: { userId: user.userId },
    data: { nextCheckAt: new Date(Date.now() + 3_600_000), refreshRequestedAt: null },
  })
  expect(await refreshOrders(system.db, user.userId)).toBe(50)
  const waiting = await system.db.order.findMany({ where: { userId: user.userId, nextCheckAt: { gt: new Date() } } })
  expect(waiting.map(({ id }) => id).sort()).toEqual(
    orders
      .slice(50)
      .map(({ id }) => id)
      .sort(),
  )
})
