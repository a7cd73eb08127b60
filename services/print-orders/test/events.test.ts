import { Writable } from 'node:stream'
import { type DescMessage, fromBinary, type MessageInitShape, toJsonString } from '@bufbuild/protobuf'
import { type App, beginRebuild, createLogger, emit, endRebuild, startRelay } from '@skyfolio/kit'
import { type EventTopic, events, OrderChangedSchema, OrderStatus, OrderSubmittedSchema } from '@skyfolio/proto'
import { waitFor } from '@skyfolio/testkit'
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import { deletePhoto } from '../src/events.ts'
import { applyStatus } from '../src/orders/change-order.ts'
import { republishOrders } from '../src/orders/order-events.ts'
import { savePhoto } from '../src/projection/photos.ts'
import {
  call,
  newCustomer,
  newUser,
  openTestSystem,
  orderBody,
  storeOrder,
  submit,
  type TestSystem,
} from './support.ts'

let system: TestSystem
let app: App
let log = ''
beforeAll(async () => {
  system = await openTestSystem()
  const lines = new Writable({
    write(chunk, _encoding, done) {
      log += chunk
      done()
    },
  })
  app = await system.start({}, { logger: createLogger('print-orders', 'trace', lines) })
})
afterEach(() => system.sandbox.clearFaults())
afterAll(() => system.close())

/** Publishes an event as another service does, through an outbox and a relay. */
async function publish<Schema extends DescMessage>(topic: EventTopic<Schema>, message: MessageInitShape<Schema>) {
  await system.db.$transaction((tx) => emit(tx, topic, message))
  const relay = startRelay({ pool: system.pool, nats: system.nats, logger: createLogger('test', 'silent') })
  await relay.flush()
  await relay.stop()
}

const photoChanged = (photo: { id: number; userId: number; title: string }, revision: number) =>
  publish(events.photoChanged, { photo, revision })

/** The events of an order, oldest first. */
async function eventsOf(orderId: number) {
  const { rows } = await system.pool.query<{ subject: string; payload: Uint8Array }>(
    'SELECT subject, payload FROM outbox ORDER BY seq',
  )
  const all = rows.flatMap(({ subject, payload }) => {
    const schema = subject === events.orderSubmitted.subject ? OrderSubmittedSchema : OrderChangedSchema
    return subject.startsWith('orders.') ? [{ subject, event: fromBinary(schema, payload) }] : []
  })
  return all.filter(({ event }) => event.order?.id === orderId)
}

async function photoCustomer() {
  const user = await newCustomer(system, app)
  const photoId = system.media.addPhoto(user.userId)
  await photoChanged({ id: photoId, userId: user.userId, title: 'Lake' }, 1)
  await waitFor(() => system.db.photo.findUnique({ where: { id: photoId } }), { what: 'the photo is known' })
  const order = () => submit(app, user, orderBody([{ photoId, qty: 2 }], { lastName: user.lastName }))
  return { ...user, photoId, order }
}

test('an accepted order has its two events, with the whole state and nothing personal', async () => {
  const user = await photoCustomer()
  const { body } = await user.order()
  const published = await eventsOf(body.orderId)
  expect(published.map(({ subject }) => subject)).toEqual(['orders.order.submitted', 'orders.order.changed'])
  for (const { event } of published) {
    expect(event).toMatchObject({
      revision: 2,
      order: {
        userId: user.userId,
        status: OrderStatus.SUBMITTED,
        vendorOrderId: body.vendorOrderId,
        quantity: 2,
        totalCents: 80,
        items: [{ photoId: user.photoId, photoTitle: 'Lake', productSize: '4x6', quantity: 2 }],
      },
    })
  }
  await waitFor(async () => (await system.pool.query('SELECT FROM outbox WHERE published_at IS NULL')).rowCount === 0, {
    what: 'published',
  })
})

test('an unknown outcome is an event too; the submitted one follows when it is resolved', async () => {
  const user = await newCustomer(system, app)
  await system.sandbox.addFault({ fault: 'reset', route: 'submit', times: 1 })
  const { body } = await submit(app, user, user.body())
  const subjects = async () =>
    (await eventsOf(body.orderId)).map(({ event, subject }) => [subject.slice(13), event.revision])
  expect(await subjects()).toEqual([['changed', 2]])
  await system.db.$transaction((tx) =>
    applyStatus(tx, { id: body.orderId }, 'submitted', null, { vendorOrderId: 'x-1' }),
  )
  expect(await subjects()).toEqual([
    ['changed', 2],
    ['submitted', 3],
    ['changed', 3],
  ])
})

test('a rejected order has no event', async () => {
  const user = await newCustomer(system, app)
  await system.sandbox.addFault({ fault: '851', route: 'submit', times: 1 })
  await submit(app, user, user.body())
  const order = await system.db.order.findFirstOrThrow({ where: { userId: user.userId } })
  expect(await eventsOf(order.id)).toEqual([])
})

test('an order keeps the title of a deleted photo and loses the link, once', async () => {
  const user = await photoCustomer()
  const { body } = await user.order()
  const { photoId, userId } = user
  for (const revision of [2, 2, 1]) await publish(events.photoDeleted, { photoId, userId, revision })
  await waitFor(async () => (await user.listed())[0].photoId === null, { what: 'the link is gone' })
  await photoChanged({ id: photoId, userId, title: 'Back' }, 1)
  expect(await user.listed()).toMatchObject([
    { photoId: null, photoTitle: 'Lake', items: [{ photoId: null, photoTitle: 'Lake' }] },
  ])
  const published = await eventsOf(body.orderId)
  expect(published.map(({ event }) => event.revision)).toEqual([2, 2, 3])
  expect(published.at(-1)?.event.order?.items[0]?.photoId).toBeUndefined()
  expect(await system.db.photo.findUnique({ where: { id: photoId } })).toMatchObject({ deleted: true, title: '' })
})

test('a photo that is renamed keeps its old title in the order', async () => {
  const user = await photoCustomer()
  await user.order()
  await photoChanged({ id: user.photoId, userId: user.userId, title: 'Sea' }, 2)
  const where = { id: user.photoId, title: 'Sea' }
  await waitFor(() => system.db.photo.findFirst({ where }), { what: 'the new title' })
  expect(await user.listed()).toMatchObject([{ photoTitle: 'Lake' }])
})

test('an order that was placed before the first event of its photo gets the title with that event', async () => {
  const user = await newCustomer(system, app)
  const { userId } = user
  const photoId = system.media.addPhoto(userId)
  const { body } = await submit(app, user, orderBody([{ photoId, qty: 1 }], { lastName: user.lastName }))
  expect(await user.listed()).toMatchObject([{ photoId, photoTitle: null }])
  await photoChanged({ id: photoId, userId, title: 'Lake' }, 1)
  await waitFor(async () => (await user.listed())[0].photoTitle === 'Lake', { what: 'the title' })
  await photoChanged({ id: photoId, userId, title: 'Sea' }, 2)
  await waitFor(() => system.db.photo.findFirst({ where: { id: photoId, title: 'Sea' } }), { what: 'the new title' })
  expect(await user.listed()).toMatchObject([{ photoId, photoTitle: 'Lake' }])
  const last = (await eventsOf(body.orderId)).at(-1)
  expect(last?.event).toMatchObject({ revision: 3, order: { items: [{ photoTitle: 'Lake' }] } })
})

test('a photo whose deletion arrives as its first event is taken out of the order', async () => {
  const user = await newCustomer(system, app)
  const photoId = system.media.addPhoto(user.userId)
  await submit(app, user, orderBody([{ photoId, qty: 1 }], { lastName: user.lastName }))
  await publish(events.photoDeleted, { photoId, userId: user.userId, revision: 1 })
  await waitFor(async () => (await user.listed())[0].photoId === null, { what: 'the link is gone' })
})

test('an outdated event changes nothing', async () => {
  const { userId } = newUser()
  const photo = { id: 5_000_000, userId, title: 'new' }
  await system.db.$transaction(async (tx) => {
    await savePhoto(tx, photo, 3)
    await savePhoto(tx, { ...photo, title: 'old' }, 2)
  })
  expect(await system.db.photo.findUnique({ where: { id: photo.id } })).toMatchObject({ title: 'new', revision: 3 })
})

test('a rebuild finds photos whose deletion was missed, and corrects what is damaged', async () => {
  const gone = await photoCustomer()
  const kept = await photoCustomer()
  await gone.order()
  await system.pool.query("UPDATE photos SET title = 'wrong' WHERE id = $1", [kept.photoId])
  expect(await beginRebuild(system.db)).toBeGreaterThan(1)
  await photoChanged({ id: kept.photoId, userId: kept.userId, title: 'Lake' }, 1)
  await waitFor(() => system.db.photo.findFirst({ where: { id: kept.photoId, title: 'Lake' } }), { what: 'corrected' })
  expect(await endRebuild(system.db, deletePhoto)).toBeGreaterThan(0)
  expect(await system.db.photo.findUnique({ where: { id: kept.photoId } })).toMatchObject({ deleted: false })
  expect(await system.db.photo.findUnique({ where: { id: gone.photoId } })).toMatchObject({ deleted: true })
  expect(await gone.listed()).toMatchObject([{ photoId: null, photoTitle: 'Lake' }])
  expect(await system.db.doubtedPhoto.count()).toBe(0)
})

test('republishing writes the state of every listed order again', async () => {
  const { userId } = newUser()
  const listed = await storeOrder(system.db, { userId, orderStatus: 'ready', revision: 7 })
  const claimed = await storeOrder(system.db, { userId, orderStatus: 'claimed', vendorOrderId: null })
  expect(await republishOrders(system.db)).toBe(
    await system.db.order.count({ where: { orderStatus: { notIn: ['claimed', 'rejected'] } } }),
  )
  expect(await eventsOf(listed.id)).toMatchObject([{ event: { revision: 7, order: { status: OrderStatus.READY } } }])
  expect(await eventsOf(claimed.id)).toEqual([])
})

test('no name, address, telephone number, key or image of a customer is in a log or an event', async () => {
  const user = await newCustomer(system, app)
  const secret = {
    firstName: 'Xanthippe',
    lastName: `Zyzzyva ${user.userId}`,
    email: 'xz@private.test',
    phone: '7015550123',
  }
  const body = orderBody([{ url: user.url, qty: 1 }], secret)
  await submit(app, user, body)
  await submit(app, user, { ...body, phone: 'wrong 7015550123', email: 'xz@private' })
  for (const fault of ['851', 'commit-then-drop', 'html'] as const) {
    await system.sandbox.addFault({ fault, route: 'submit', times: 1, text: `${secret.lastName} is not known` })
    const impatient = fault === '851' ? app : await system.start({ PARTNER_TIMEOUT_MS: '300' })
    await submit(impatient, user, orderBody([{ url: user.url, qty: 2 }], { ...secret, promiseTime: `Same ${fault}` }))
  }
  await call(app, 'PUT', '/api/walgreens/customer', { headers: user.headers, body: secret })
  const { rows } = await system.pool.query<{ subject: string; payload: Uint8Array; headers: object }>(
    'SELECT * FROM outbox',
  )
  const published = rows
    .map(({ subject, payload, headers }) => {
      if (!subject.startsWith('orders.')) return ''
      const schema = subject === events.orderSubmitted.subject ? OrderSubmittedSchema : OrderChangedSchema
      return JSON.stringify(headers) + toJsonString(schema, fromBinary(schema, payload))
    })
    .join('\n')
  expect(log).toContain('order sent')
  expect(published).toContain('orders')
  const personal = [
    'Xanthippe',
    'Zyzzyva',
    'private.test',
    '7015550123',
    user.filename,
    'sandbox-key',
    'sandbox-affiliate',
  ]
  for (const text of personal) {
    expect(log.includes(text), `${text} in the log`).toBe(false)
    expect(published.includes(text), `${text} in an event`).toBe(false)
  }
})
