import { fromBinary } from '@bufbuild/protobuf'
import type { App } from '@skyfolio/kit'
import { AuditRecordedSchema, events } from '@skyfolio/proto'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { startPartnerServer } from './partner-server.ts'
import { call, newUser, openTestSystem, storeOrder, type TestSystem, type TestUser } from './support.ts'

let system: TestSystem
let app: App
beforeAll(async () => {
  system = await openTestSystem()
  app = await system.start()
})
afterAll(() => system.close())

/** What the audit log gets of an administrator's doings, oldest first. */
async function entriesOf({ userId }: TestUser) {
  const rows = await system.db.outbox.findMany({
    where: { subject: events.ordersAuditRecorded.subject },
    orderBy: { seq: 'asc' },
  })
  return rows
    .map(({ payload }) => fromBinary(AuditRecordedSchema, payload))
    .filter(({ actorId }) => actorId === userId)
    .map(({ action, ownerId, subjectId, detail }) => ({ action, ownerId, subjectId, detail }))
}

const read = (id: number, user: TestUser) => call(app, 'GET', `/api/walgreens/orders/${id}`, { headers: user.headers })

test("an administrator's view of another user's order is recorded once, a user's own view is not", async () => {
  const [owner, admin] = [newUser(), newUser({ isAdmin: true })]
  const { id } = await storeOrder(system.db, { userId: owner.userId })
  const own = await storeOrder(system.db, { userId: admin.userId })
  for (const user of [owner, admin, admin]) expect((await read(id, user)).status).toBe(200)
  await read(own.id, admin)
  expect(await entriesOf(admin)).toEqual([{ action: 'order.viewed', ownerId: owner.userId, subjectId: id, detail: '' }])
  expect(await entriesOf(owner)).toEqual([])
})

test('an order is not shown to an administrator when that cannot be recorded', async () => {
  const admin = newUser({ isAdmin: true })
  const { id } = await storeOrder(system.db, { userId: newUser().userId })
  await system.pool.query('ALTER TABLE outbox RENAME TO outbox_away')
  const refused = await read(id, admin)
  await system.pool.query('ALTER TABLE outbox_away RENAME TO outbox')
  expect([refused.status >= 500, (await read(id, admin)).status]).toEqual([true, 200])
})

test('the list of unresolved orders and a resolution are recorded, a rejected resolution is not', async () => {
  const [owner, admin] = [newUser(), newUser({ isAdmin: true })]
  const { id } = await storeOrder(system.db, { userId: owner.userId, orderStatus: 'unknown', vendorOrderId: null })
  await call(app, 'GET', '/api/walgreens/unresolved-orders', { headers: admin.headers })
  const resolve = () =>
    call(app, 'POST', `/api/walgreens/orders/${id}/resolve`, { headers: admin.headers, body: { placed: false } })
  expect([(await resolve()).status, (await resolve()).status]).toEqual([200, 409])
  const about = { ownerId: owner.userId, subjectId: id }
  expect(await entriesOf(admin)).toEqual([
    { action: 'order.viewed', ...about, detail: '' },
    { action: 'order.resolved', ...about, detail: 'not placed' },
  ])
})

test('an administrator without a recent password resolves nothing, switches nothing and places no test order', async () => {
  const production = await startPartnerServer()
  const both = await system.start({ PARTNER_PRODUCTION_URL: production.url })
  const owner = newUser()
  const admin = newUser({ isAdmin: true, confirmedAt: Date.now() - 16 * 60_000 })
  const { id } = await storeOrder(system.db, { userId: owner.userId, orderStatus: 'unknown', vendorOrderId: null })
  const placed = await system.sandbox.orders()
  const send = async (path: string, body: object) => {
    const response = await call(both, 'POST', path, { headers: admin.headers, body })
    return [response.status, response.body.code]
  }
  const refused = [403, 'password_required']
  expect(await send(`/api/walgreens/orders/${id}/resolve`, { placed: false })).toEqual(refused)
  expect(await send('/api/admin/environment', { environment: 'production' })).toEqual(refused)
  expect(await send('/api/walgreens/submit-order-official', {})).toEqual(refused)
  expect(await system.db.order.findUnique({ where: { id } })).toMatchObject({ orderStatus: 'unknown' })
  const { rows } = await system.pool.query('SELECT environment FROM partner_environment')
  expect(rows).toEqual([{ environment: 'sandbox' }])
  expect(await system.sandbox.orders()).toEqual(placed)
  expect(await entriesOf(admin)).toEqual([])
  await production.stop()
})

test('a switch of the environment and a test order are recorded', async () => {
  const production = await startPartnerServer()
  const both = await system.start({ PARTNER_PRODUCTION_URL: production.url })
  const admin = newUser({ isAdmin: true })
  const send = (path: string, body: object) => call(both, 'POST', path, { headers: admin.headers, body })
  expect((await send('/api/walgreens/submit-order-official', {})).status).toBe(200)
  expect((await send('/api/admin/environment', { environment: 'production' })).status).toBe(200)
  expect((await send('/api/admin/environment', { environment: 'production' })).status).toBe(200)
  expect((await send('/api/walgreens/submit-order-official', {})).status).toBe(409)
  expect((await entriesOf(admin)).map(({ action, detail }) => `${action}: ${detail}`)).toEqual([
    'test-order.placed: sandbox',
    'environment.changed: sandbox to production',
  ])
  await production.stop()
})
