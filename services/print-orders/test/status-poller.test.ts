import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { createLogger, metrics } from '@skyfolio/kit'
import { waitFor } from '@skyfolio/testkit'
import { afterAll, afterEach, beforeAll, describe, expect, onTestFinished, test, vi } from 'vitest'
import { openDatabase } from '../src/database.ts'
import { createStatusPoller } from '../src/status/poller.ts'
import { openLog, openPartner, partnerConfig } from './partner-support.ts'
import { CREDENTIALS, openStatusSystem, type StatusSystem } from './status-support.ts'

let system: StatusSystem
beforeAll(async () => {
  system = await openStatusSystem()
})
afterEach(async () => {
  await system.control('DELETE', '/faults')
  await system.control('DELETE', '/requests')
  await changeProfile({ idsPerStatusCall: 1_000, numberFields: false })
  await system.pool.query('DELETE FROM walgreens_orders')
})
afterAll(() => system.close())

const changeProfile = (changes: object) => system.control('PATCH', `/profiles/${CREDENTIALS.affiliateId}`, changes)
const script = (number: string, status: string | null) => system.control('POST', `/orders/${number}/status`, { status })

async function startWorker(options: Parameters<StatusSystem['startWorker']>[0] = {}) {
  const worker = await system.startWorker(options)
  onTestFinished(() => worker.stop())
  return worker
}

/** Places and stores one order, due now, whose partner reports this text. */
async function orderWith(text: string, fields: Record<string, unknown> = {}) {
  const [number = ''] = await system.placeOrders(1)
  await script(number, text)
  const [id = 0] = await system.storeOrders([number], fields)
  return { id, number }
}

const makeDue = (id: number) =>
  system.pool.query('UPDATE walgreens_orders SET next_check_at = now(), refresh_requested_at = now() WHERE id = $1', [
    id,
  ])

const becomes = (id: number, status: string) =>
  waitFor(async () => (await system.read(id)).order_status === status, { what: `order ${id} is ${status}` })

const allBecome = (count: number, status: string) =>
  waitFor(
    async () => {
      const { rows } = await system.pool.query('SELECT FROM walgreens_orders WHERE order_status = $1', [status])
      return rows.length === count
    },
    { what: `${count} orders are ${status}` },
  )

/** Waits until the partner was asked about the order once more. */
async function nextCheckOf(id: number): Promise<void> {
  const { checks } = await system.read(id)
  await makeDue(id)
  await waitFor(async () => (await system.read(id)).checks > checks, { what: 'a further check' })
  await waitFor(async () => ((await system.read(id)).next_check_at ?? new Date()) > new Date(), { what: 'its result' })
}

/** The numbers in all status requests that the partner got. */
async function requestedNumbers(): Promise<string[]> {
  const requests = (await system.control('GET', '/requests?limit=500')) as { route: string; request: string }[]
  return requests.filter(({ route }) => route === 'status').flatMap(({ request }) => JSON.parse(request).orders)
}

describe('an open order', () => {
  test('follows the partner until it is picked up, with history and events', async () => {
    await startWorker()
    const { id, number } = await orderWith('Downloading')
    for (const [text, status] of [
      ['Downloading', 'processing'],
      ['Ready for Pickup', 'ready'],
      ['Sold', 'picked_up'],
    ] as const) {
      await script(number, text)
      await makeDue(id)
      await becomes(id, status)
    }
    expect(await system.read(id)).toMatchObject({ revision: 4, next_check_at: null })
    const { rows: history } = await system.pool.query(
      'SELECT status FROM order_history WHERE order_id = $1 ORDER BY id',
      [id],
    )
    expect(history.map(({ status }) => status)).toEqual(['processing', 'ready', 'picked_up'])
    const { rows: events } = await system.pool.query("SELECT FROM outbox WHERE subject = 'orders.order.changed'")
    expect(events).toHaveLength(3)
  })

  test('never goes backwards', async () => {
    await startWorker()
    const { id, number } = await orderWith('Ready for Pickup')
    await becomes(id, 'ready')
    await script(number, 'Submitting')
    await nextCheckOf(id)
    await script(number, ' downloading ')
    await nextCheckOf(id)
    expect(await system.read(id)).toMatchObject({ order_status: 'ready', revision: 2 })
    await script(number, 'CANCELED by the store')
    await makeDue(id)
    await becomes(id, 'cancelled')
  })

  test('a text that is not known changes nothing, is counted once for each order and logged once', async () => {
    const lines: string[] = []
    await startWorker({ logger: createLogger('worker', 'warn', { write: (line) => void lines.push(line) }) })
    const counter = metrics.counter('skyfolio_order_status_unknown_texts_total', '')
    const count = async () => (await counter.get()).values[0]?.value ?? 0
    const before = await count()
    const { id } = await orderWith('Awaiting Lab Review')
    const other = await orderWith('Awaiting Lab Review')
    for (const order of [id, other.id])
      await waitFor(async () => (await system.read(order)).unknown_status_text === 'Awaiting Lab Review', {
        what: 'the text',
      })
    await nextCheckOf(id)
    await nextCheckOf(id)
    expect(await system.read(id)).toMatchObject({ order_status: 'submitted', revision: 1 })
    expect(lines.filter((line) => line.includes('Awaiting Lab Review'))).toHaveLength(1)
    expect(await count()).toBe(before + 2)
  })

  test('stays as it is when the partner leaves it out or does not know it, with one note', async () => {
    await startWorker()
    const { id, number } = await orderWith('Ready for Pickup')
    const [unknown = 0] = await system.storeOrders(['999'])
    await system.control('POST', '/faults', { fault: 'missing-ids', count: 1, times: 20 })
    await becomesNoted(unknown, 1).catch(() => {})
    await system.control('DELETE', '/faults')
    await nextCheckOf(unknown)
    await nextCheckOf(unknown)
    expect(await system.read(unknown)).toMatchObject({ order_status: 'submitted', revision: 1 })
    expect(await system.notes(unknown)).toContain('The store did not find this order when asked.')
    expect(new Set(await system.notes(unknown)).size).toBe((await system.notes(unknown)).length)
    await makeDue(id)
    await becomes(id, 'ready')
    expect(number).not.toBe('')
  })

  test('is found by a partner that sends numbers instead of texts', async () => {
    await changeProfile({ numberFields: true })
    await startWorker()
    const { id } = await orderWith('Downloading')
    await becomes(id, 'processing')
  })

  test('is checked within two seconds when its user asks for the status', async () => {
    await startWorker()
    const { id } = await orderWith('Ready for Pickup', { next_check_at: new Date(Date.now() + 3_600_000) })
    // Until the schedule runs.
    const other = await orderWith('Downloading')
    await becomes(other.id, 'processing')
    const start = performance.now()
    await makeDue(id)
    await becomes(id, 'ready')
    expect(performance.now() - start).toBeLessThan(2_500)
  })

  test('is not asked about any more after 30 days, and less often the older it is', async () => {
    await startWorker()
    const days = (count: number) => new Date(Date.now() - count * 86_400_000)
    const old = await orderWith('Submitting', { created_at: days(31) })
    const recent = await orderWith('Submitting', { created_at: days(3) })
    await waitFor(async () => (await system.read(old.id)).next_check_at === null, { what: 'the end of the checks' })
    const next = await waitFor(
      async () => {
        const { next_check_at } = await system.read(recent.id)
        return next_check_at && next_check_at.getTime() > Date.now() + 3_000_000 && next_check_at
      },
      { what: 'the next check' },
    )
    expect(next.getTime()).toBeLessThan(Date.now() + 4_000_000)
  })
})

async function becomesNoted(id: number, count: number): Promise<void> {
  await waitFor(async () => (await system.notes(id)).length >= count, { what: 'a note', timeoutMs: 5_000 })
}

describe('batches', () => {
  test('two workers ask about each order once, all in full batches', async () => {
    const numbers = await system.placeOrders(120)
    await system.storeOrders(numbers)
    await Promise.all([startWorker(), startWorker()])
    await waitFor(async () => (await requestedNumbers()).length >= 120, { what: 'all requests' })
    expect((await requestedNumbers()).toSorted()).toEqual(numbers.toSorted())
    const { requests } = (await system.control('GET', '/stats')) as { requests: { status: number } }
    expect(requests.status).toBe(3)
  })

  test('a batch that is too large for the partner is halved until it takes the parts', async () => {
    await changeProfile({ idsPerStatusCall: 13 })
    const numbers = await system.placeOrders(100)
    for (const number of numbers) await script(number, 'Downloading')
    await system.storeOrders(numbers)
    await startWorker()
    await allBecome(100, 'processing')
    const { requests } = (await system.control('GET', '/stats')) as { requests: { status: number } }
    // Each of the two batches is split into four.
    expect(requests.status).toBeLessThanOrEqual(7 + 7)
  })

  test('batches do not wait for one that was rejected', async () => {
    const numbers = await system.placeOrders(60)
    for (const number of numbers) await script(number, 'Downloading')
    await system.storeOrders(numbers)
    // The first batch, its first half, and so on, down to single orders.
    await system.control('POST', '/faults', { fault: 'error', route: 'status', code: '9500', times: 4 })
    await startWorker()
    await allBecome(60, 'processing')
  })

  test('nothing is lost while the partner cannot be reached, or does not respond', async () => {
    const { id } = await orderWith('Ready for Pickup')
    await system.control('POST', '/faults', { fault: 'connection-refused', seconds: 3 })
    await startWorker()
    await becomes(id, 'ready')
  })
})

/** The worker in a process of its own. */
function spawnWorker() {
  const settings = {
    DATABASE_URL: system.databaseUrl,
    REDIS_URL: system.redis.url,
    NATS_URL: system.natsUrl,
    OPS_PORT: '0',
    LOG_LEVEL: 'silent',
    PARTNER_SANDBOX_URL: system.sandbox.url,
    PARTNER_API_KEY: CREDENTIALS.apiKey,
    PARTNER_AFFILIATE_ID: CREDENTIALS.affiliateId,
  }
  const entryPoint = fileURLToPath(new URL('../src/worker.ts', import.meta.url))
  return spawn(process.execPath, [entryPoint], { env: { ...process.env, ...settings }, stdio: 'inherit' })
}

describe('outages', () => {
  test('after an outage of Redis that has lost everything the checks continue', async () => {
    await startWorker()
    const first = await orderWith('Downloading')
    await becomes(first.id, 'processing')
    await system.redis.kill()
    const second = await orderWith('Downloading')
    await system.redis.start()
    await becomes(second.id, 'processing')
  }, 40_000)

  test('another worker continues when one is killed in a request', async () => {
    const { id } = await orderWith('Downloading')
    await system.control('POST', '/faults', { fault: 'hang', route: 'status', times: 1 })
    const killed = spawnWorker()
    await waitFor(async () => (await system.read(id)).checks === 1, { what: 'the lease of the order' })
    killed.kill('SIGKILL')
    await once(killed, 'exit')
    expect((await system.read(id)).order_status).toBe('submitted')
    // Without waiting for the end of the lease.
    await makeDue(id)
    await startWorker()
    await becomes(id, 'processing')
  }, 60_000)

  test('a worker that stops finishes its request', async () => {
    const worker = await system.startWorker()
    const { id } = await orderWith('Downloading')
    await system.control('POST', '/faults', { fault: 'slow', route: 'status', ms: 800, times: 1 })
    await waitFor(async () => (await system.read(id)).checks >= 1, { what: 'the lease of the order' })
    await worker.stop()
    expect((await system.read(id)).next_check_at?.getTime()).toBeLessThan(Date.now() + 40_000)
  })

  test('requests go on when a clock that was an hour ahead is right again', async () => {
    const { id } = await orderWith('Downloading')
    const credentials = { partnerApiKey: CREDENTIALS.apiKey, partnerAffiliateId: CREDENTIALS.affiliateId }
    const partner = openPartner(partnerConfig(system.sandbox.url, credentials))
    const options = { batchSize: 50, pauseMs: 50, onChange: () => {} }
    const poller = createStatusPoller({ db: openDatabase(system.pool), partner, ...openLog(), ...options })
    const signal = AbortSignal.timeout(10_000)
    onTestFinished(() => void vi.useRealTimers())
    vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 3_600_000 })
    await poller.run(signal)
    vi.useRealTimers()
    await makeDue(id)
    await poller.run(signal)
    expect((await system.read(id)).checks).toBe(2)
    expect(signal.aborted).toBe(false)
  })
})
