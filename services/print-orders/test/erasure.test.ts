import { randomUUID } from 'node:crypto'
import type { DescMessage, MessageInitShape, MessageShape } from '@bufbuild/protobuf'
import { fromBinary } from '@bufbuild/protobuf'
import { type App, emit } from '@skyfolio/kit'
import { ErasureChangedSchema, type EventTopic, events } from '@skyfolio/proto'
import { waitFor } from '@skyfolio/testkit'
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import { printImageName } from './media-stub.ts'
import { CUSTOMER, call, newCustomer, newUser, openTestSystem, storeOrder, submit, type TestSystem } from './support.ts'

let system: TestSystem
let app: App
beforeAll(async () => {
  system = await openTestSystem()
  app = await system.start()
  system.startWorker()
})
afterEach(() => system.sandbox.clearFaults())
afterAll(() => system.close())

const TABLES = ['walgreens_orders', 'customer_details', 'store_searches', 'order_key_aliases']
const UNKNOWN = 'An order whose outcome is unknown must be resolved first.'
const FETCHED = 'The store may still fetch the images of an order.'

/** Publishes an event as another service does. */
const publish = <Schema extends DescMessage>(topic: EventTopic<Schema>, message: MessageInitShape<Schema>) =>
  system.db.$transaction((tx) => emit(tx, topic, message))
const deleteUser = (userId: number) => publish(events.userDeleted, { userId })

/** What the service said of the user's erasure, oldest first. */
async function said(userId: number): Promise<MessageShape<typeof ErasureChangedSchema>[]> {
  const { rows } = await system.pool.query<{ payload: Uint8Array }>(
    'SELECT payload FROM outbox WHERE subject = $1 ORDER BY seq',
    [events.ordersErasureChanged.subject],
  )
  const all = rows.map(({ payload }) => fromBinary(ErasureChangedSchema, payload))
  return all.filter((message) => message.userId === userId)
}

const last = async (userId: number) => (await said(userId)).at(-1)
const waits = (userId: number, sentence: string) =>
  waitFor(async () => (await last(userId))?.waitsFor === sentence, { what: sentence })
const complete = (userId: number) =>
  waitFor(async () => (await last(userId))?.complete, { what: 'the user is erased', timeoutMs: 30_000 })

async function rowsOf(userId: number): Promise<number> {
  let count = 0
  for (const table of TABLES) {
    count += (await system.pool.query(`SELECT FROM ${table} WHERE user_id = $1`, [userId])).rowCount ?? 0
  }
  return count
}

const setStatus = (userId: number, orderStatus: string) =>
  system.db.order.updateMany({ where: { userId }, data: { orderStatus } })

test('a deleted user leaves nothing, and neither late events nor requests bring anything back', async () => {
  const user = await newCustomer(system, app)
  const { userId, headers } = user
  const photoId = system.media.addPhoto(userId)
  await publish(events.photoChanged, { photo: { id: photoId, userId, title: 'Lake' }, revision: 1 })
  await waitFor(() => system.db.photo.findUnique({ where: { id: photoId } }), { what: 'the photo is known' })
  await submit(app, user, user.body())
  await setStatus(userId, 'processing')
  await storeOrder(system.db, { userId, orderStatus: 'rejected', vendorOrderId: null })
  const details = { headers, body: { ...CUSTOMER, lastName: user.lastName } }
  expect((await call(app, 'PUT', '/api/walgreens/customer', details)).status).toBe(200)
  const other = await storeOrder(system.db, { userId: newUser().userId })

  await deleteUser(userId)
  await complete(userId)
  await publish(events.photoChanged, { photo: { id: photoId, userId, title: 'Late' }, revision: 9 })
  await waitFor(() => system.db.photo.findFirst({ where: { id: photoId, revision: 9 } }), { what: 'the late event' })
  expect((await call(app, 'PUT', '/api/walgreens/customer', details)).status).toBe(404)
  expect((await submit(app, user, user.body())).status).toBe(404)
  await call(app, 'POST', '/api/walgreens/store-search', {
    headers,
    body: { latitude: '46.82', longitude: '-92.03', productDetails: [{ productId: '6560003', qty: 1 }] },
  })
  expect(await rowsOf(userId)).toBe(0)
  expect(await system.db.photo.findUnique({ where: { id: photoId } })).toMatchObject({ deleted: true, title: '' })
  expect(await system.db.order.count({ where: { id: other.id } })).toBe(1)
})

test('an order that is being sent is recorded before it is erased, and no further one is placed', async () => {
  const user = await newCustomer(system, app)
  const { userId } = user
  await system.sandbox.addFault({ fault: 'slow', route: 'submit', ms: 3_000, times: 1 })
  const response = submit(app, user, user.body())
  await waitFor(() => system.db.order.findFirst({ where: { userId } }), { what: 'the claim' })
  await deleteUser(userId)
  await waits(userId, 'An order is being sent to the store.')
  expect((await submit(app, user, user.body({}, 2))).status).toBe(404)
  expect((await response).status).toBe(201)
  // As soon as the store says that it is printing: perhaps not yet at the first check, and the next one is 33 seconds later.
  await waitFor(
    async () => {
      await system.db.order.updateMany({ where: { userId }, data: { nextCheckAt: new Date() } })
      return (await last(userId))?.complete
    },
    { what: 'the user is erased' },
  )
  expect(await rowsOf(userId)).toBe(0)
  expect(await user.placed()).toHaveLength(1)
})

test('an order whose outcome is unknown waits for an administrator', async () => {
  const user = await newCustomer(system, app)
  const { userId } = user
  const admin = newUser({ isAdmin: true })
  await system.sandbox.addFault({ fault: 'reset', route: 'submit', times: 1 })
  const { body } = await submit(app, user, user.body())
  await deleteUser(userId)
  await waits(userId, UNKNOWN)
  await deleteUser(userId)
  expect(await rowsOf(userId)).toBeGreaterThan(0)
  const path = `/api/walgreens/orders/${body.orderId}/resolve`
  const resolved = await call(app, 'POST', path, { headers: admin.headers, body: { placed: false } })
  expect(resolved.status).toBe(200)
  await complete(userId)
  expect(await rowsOf(userId)).toBe(0)
})

test('a submitted order waits until its images have expired', async () => {
  const { userId } = newUser()
  const order = await storeOrder(system.db, { userId, nextCheckAt: null })
  await deleteUser(userId)
  await waits(userId, FETCHED)
  const imageUrl = `/api/uploads/${printImageName(randomUUID()).replace('zzzzzz', 't00000')}`
  await system.db.orderItem.updateMany({ where: { orderId: order.id }, data: { imageUrl } })
  await complete(userId)
  expect((await said(userId)).map(({ revision }) => revision)).toEqual([1, 2])
})

test('a repeated deletion erases again what a restored database has, and confirms it again', async () => {
  const { userId } = newUser()
  await deleteUser(userId)
  await complete(userId)
  await storeOrder(system.db, { userId, orderStatus: 'ready' })
  await deleteUser(userId)
  await waitFor(async () => (await last(userId))?.revision === 2, { what: 'it is confirmed again' })
  expect(await last(userId)).toMatchObject({ complete: true, waitsFor: '' })
  expect(await rowsOf(userId)).toBe(0)
})
