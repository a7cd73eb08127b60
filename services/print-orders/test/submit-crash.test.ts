import { randomUUID } from 'node:crypto'
import type { App } from '@skyfolio/kit'
import { type FixtureProcess, runFixture, waitFor } from '@skyfolio/testkit'
import { freePort } from '@skyfolio/testkit/servers'
import { afterAll, afterEach, beforeAll, expect, onTestFinished, test } from 'vitest'
import { expireClaims } from '../src/orders/clean-up.ts'
import { type Customer, newCustomer, openTestSystem, orderBody, submit, type TestSystem } from './support.ts'

/* A service that is killed at any step of a submit: the order is at the partner once or not at all, and nothing is lost. */

let system: TestSystem
let app: App
beforeAll(async () => {
  system = await openTestSystem()
  app = await system.start()
})
afterEach(() => system.sandbox.clearFaults())
afterAll(() => system.close())

interface ServiceProcess extends FixtureProcess {
  submit(user: { headers: Record<string, string> }, body: object, key: string): Promise<Response>
}

/** The service in a process of its own. */
async function startProcess(): Promise<ServiceProcess> {
  const [port, opsPort] = [await freePort(), await freePort()]
  const environment = { PORT: `${port}`, OPS_PORT: `${opsPort}`, LOG_LEVEL: 'fatal' }
  const script = new URL('./fixtures/service-process.ts', import.meta.url)
  const service = runFixture(script, [JSON.stringify(system.environment(environment))])
  onTestFinished(async () => {
    service.process.kill('SIGKILL')
    await service.ended
  })
  await waitFor(async () => (await fetch(`http://127.0.0.1:${opsPort}/readyz`)).ok, { what: 'the service is ready' })
  return {
    ...service,
    submit: (user, body, key) =>
      fetch(`http://127.0.0.1:${port}/api/walgreens/submit-order`, {
        method: 'POST',
        headers: { ...user.headers, 'content-type': 'application/json', 'idempotency-key': key },
        body: JSON.stringify(body),
      }),
  }
}

async function kill(service: ServiceProcess, response: Promise<Response>): Promise<void> {
  const broken = expect(response).rejects.toThrow()
  service.process.kill('SIGKILL')
  await Promise.all([service.ended, broken])
}

const statusOf = async ({ userId }: Customer): Promise<string | null> => {
  const found = await system.db.order.findFirst({ where: { userId } })
  return found?.orderStatus ?? null
}

/** The time has passed in which the killed process was expected to record an outcome. */
async function expireNow({ userId }: Customer): Promise<void> {
  const { count } = await system.db.order.updateMany({ where: { userId }, data: { claimedUntil: new Date(0) } })
  expect(count).toBe(1)
  await expireClaims(system.db)
}

test('a process killed before the claim stores nothing, and the repetition makes the order', async () => {
  const service = await startProcess()
  const user = await newCustomer(system, app)
  const photoId = system.media.addPhoto(user.userId)
  const body = orderBody([{ photoId, qty: 1 }], { lastName: user.lastName })
  const key = randomUUID()
  system.media.setRendering(true)
  const before = system.media.prepared.length
  const response = service.submit(user, body, key)
  await waitFor(() => system.media.prepared.length > before, { what: 'images are requested' })
  await kill(service, response)
  system.media.setRendering(false)
  expect(await statusOf(user)).toBeNull()
  expect((await submit(app, user, body, key)).status).toBe(201)
  expect(await user.placed()).toHaveLength(1)
})

test('a process killed during the call leaves an unknown order that exists at most once and is not sent again', async () => {
  const service = await startProcess()
  const user = await newCustomer(system, app)
  const key = randomUUID()
  await system.sandbox.addFault({ fault: 'slow', route: 'submit', ms: 1_000, times: 1 })
  const before = (await system.sandbox.counts()).submit ?? 0
  const response = service.submit(user, user.body(), key)
  await waitFor(async () => (await system.sandbox.counts()).submit === before + 1, { what: 'the call has begun' })
  await kill(service, response)
  expect(await statusOf(user)).toBe('claimed')
  expect(await user.listed()).toEqual([])

  await expireNow(user)
  expect(await user.listed()).toMatchObject([{ orderStatus: 'unknown', vendorOrderId: null }])
  expect((await submit(app, user, user.body(), key)).status).toBe(202)
  expect((await submit(app, user, user.body())).status).toBe(409)
  await waitFor(async () => (await user.placed()).length === 1, { what: 'the partner has executed it' })
  expect((await system.sandbox.counts()).submit).toBe(before + 1)
})

test('a process killed after the response of the partner, before its record, leaves an order that the next start marks as unknown', async () => {
  const service = await startProcess()
  const user = await newCustomer(system, app)
  await system.sandbox.addFault({ fault: 'slow', route: 'submit', ms: 300, times: 1 })
  const response = service.submit(user, user.body(), randomUUID())
  await waitFor(async () => (await statusOf(user)) === 'claimed', { what: 'the claim' })
  // Another connection holds the row: the outcome cannot be recorded.
  const client = await system.pool.connect()
  onTestFinished(() => client.release(true))
  await client.query('BEGIN')
  await client.query('SELECT FROM walgreens_orders WHERE user_id = $1 FOR UPDATE', [user.userId])
  await waitFor(async () => (await user.placed()).length === 1, { what: 'the order at the partner' })
  await kill(service, response)
  await client.query("UPDATE walgreens_orders SET claimed_until = now() - interval '1 second' WHERE user_id = $1", [
    user.userId,
  ])
  await client.query('COMMIT')
  expect(await statusOf(user)).toBe('claimed')
  await startProcess()
  await waitFor(async () => (await statusOf(user)) === 'unknown', { what: 'the start marks the claim' })
  expect(await user.placed()).toHaveLength(1)
})

test('a process killed after the record has made the order that the repetition gets', async () => {
  const service = await startProcess()
  const user = await newCustomer(system, app)
  const key = randomUUID()
  const first = (await (await service.submit(user, user.body(), key)).json()) as object
  service.process.kill('SIGKILL')
  expect(await submit(app, user, user.body(), key)).toMatchObject({ status: 200, body: first })
  expect(await user.placed()).toHaveLength(1)
})

test('SIGTERM waits for the submits in progress', async () => {
  const service = await startProcess()
  const user = await newCustomer(system, app)
  await system.sandbox.addFault({ fault: 'slow', route: 'submit', ms: 1_500, times: 1 })
  const response = service.submit(user, user.body(), randomUUID())
  await waitFor(async () => (await statusOf(user)) === 'claimed', { what: 'the claim' })
  service.process.kill('SIGTERM')
  expect((await response).status).toBe(201)
  expect(await service.ended).toBeNull()
  expect(await statusOf(user)).toBe('submitted')
})

test('the process that is only late still records the number of an order marked as unknown', async () => {
  const user = await newCustomer(system, app)
  await system.sandbox.addFault({ fault: 'slow', route: 'submit', ms: 1_000, times: 1 })
  const response = submit(app, user, user.body())
  await waitFor(async () => (await statusOf(user)) === 'claimed', { what: 'the claim' })
  await expireNow(user)
  expect(await statusOf(user)).toBe('unknown')
  const { status, body } = await response
  expect([status, await statusOf(user)]).toEqual([201, 'submitted'])
  expect(await user.listed()).toMatchObject([{ vendorOrderId: body.vendorOrderId }])
})

test('a late rejection of an order that was shown as unknown cancels it', async () => {
  const user = await newCustomer(system, app)
  await system.sandbox.addFault({ fault: 'slow', route: 'submit', ms: 1_000, times: 1 })
  await system.sandbox.addFault({ fault: '851', text: 'phone is empty', route: 'submit', times: 1 })
  const response = submit(app, user, user.body())
  await waitFor(async () => (await statusOf(user)) === 'claimed', { what: 'the claim' })
  await expireNow(user)
  expect((await response).status).toBe(422)
  expect(await user.listed()).toMatchObject([{ orderStatus: 'cancelled', vendorOrderId: null }])
})

test('a request that waits for an identical order of which nothing was sent makes its own', async () => {
  const user = await newCustomer(system, app)
  expect((await submit(app, user, user.body())).status).toBe(201)
  const claimed = { orderStatus: 'claimed', vendorOrderId: null, claimedUntil: new Date(Date.now() + 60_000) }
  await system.db.order.updateMany({ where: { userId: user.userId }, data: claimed })
  const client = await system.pool.connect()
  onTestFinished(() => client.release(true))
  await client.query('BEGIN')
  await client.query('DELETE FROM walgreens_orders WHERE user_id = $1', [user.userId])
  const response = submit(app, user, user.body())
  const waiting = "SELECT FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND datname = current_database()"
  await waitFor(async () => (await system.pool.query(waiting)).rowCount === 1, { what: 'it waits for the order' })
  await client.query('COMMIT')
  expect((await response).status).toBe(201)
})
