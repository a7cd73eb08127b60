import { randomUUID } from 'node:crypto'
import { createLogger } from '@skyfolio/kit'
import { startRedis, waitFor } from '@skyfolio/testkit'
import { expect, onTestFinished, test } from 'vitest'
import { backgroundIntervalMs, createRateLimits, type RateLimitOptions } from '../src/partner/rate-limit.ts'
import { openTestRedis } from './partner-support.ts'

const logger = createLogger('rate-limit-test', 'silent')
const WINDOW_MS = 600

function limitsOf(given: Partial<RateLimitOptions> = {}, redis = openTestRedis()) {
  const account = randomUUID()
  const options: RateLimitOptions = {
    accounts: { sandbox: account, production: `${account}-production` },
    requestsPerMinute: 25,
    couponsPerMinute: 10,
    processes: 1,
    windowMs: WINDOW_MS,
    ...given,
  }
  const process = () => createRateLimits(redis, options, logger)
  return { process, limits: process() }
}

const CALL = { environment: 'sandbox', isCoupon: false, isBackground: false } as const
const inTime = () => performance.now() + 20_000
const now = () => performance.now()

/** The largest number of these times in any window. */
function mostInWindow(times: number[], windowMs = WINDOW_MS): number {
  const sorted = [...times].sort((a, b) => a - b)
  return Math.max(...sorted.map((start) => sorted.filter((at) => at >= start && at < start + windowMs).length))
}

async function countPermits(take: () => Promise<number>, attempts = 40): Promise<number> {
  const waits = []
  for (let count = 0; count < attempts; count++) waits.push(await take())
  return waits.filter((wait) => wait === 0).length
}

test('no window has more calls than the limit, however many processes wait for permits', async () => {
  const { process } = limitsOf()
  const times: number[] = []
  const processes = [process(), process(), process()]
  const work = Array.from({ length: 60 }, async (_, index) => {
    const wait = await processes[index % 3]?.acquire(CALL, inTime())
    expect(wait).toBe(0)
    times.push(performance.now())
  })
  await Promise.all(work)
  expect(times).toHaveLength(60)
  // Permits are counted by the clock of Redis, and a little earlier than here.
  expect(mostInWindow(times, WINDOW_MS - 100)).toBeLessThanOrEqual(20)
})

test('a fifth of the limit is kept for outages of Redis, background calls get their share, coupons theirs', async () => {
  const some = limitsOf({ windowMs: 60_000 })
  expect(await countPermits(() => some.limits.acquire(CALL, now()))).toBe(20)
  const background = limitsOf({ windowMs: 60_000 })
  expect(await countPermits(() => background.limits.acquire({ ...CALL, isBackground: true }, now()))).toBe(10)
  expect(await countPermits(() => background.limits.acquire(CALL, now()))).toBe(10)
  const coupons = limitsOf({ windowMs: 60_000 })
  expect(await countPermits(() => coupons.limits.acquire({ ...CALL, isCoupon: true }, now()))).toBe(8)
  expect(await countPermits(() => coupons.limits.acquire(CALL, now()))).toBe(12)
  expect(await countPermits(() => coupons.limits.acquire({ ...CALL, environment: 'production' }, now()))).toBe(20)
})

test('a call without a permit learns how long it would wait', async () => {
  const { limits } = limitsOf({ windowMs: 60_000, requestsPerMinute: 1 })
  expect(await limits.acquire(CALL, now())).toBe(0)
  const wait = await limits.acquire(CALL, now() + 1_000)
  expect(wait).toBeGreaterThan(50_000)
  expect(wait).toBeLessThanOrEqual(60_001)
})

test('a pause of one process holds for all, and that of coupons for coupons only', async () => {
  const { process } = limitsOf()
  const [one, other] = [process(), process()]
  one.pause({ ...CALL, isCoupon: true }, 30_000)
  expect(await other.acquire({ ...CALL, isCoupon: true }, now())).toBeGreaterThan(20_000)
  expect(await other.acquire(CALL, now())).toBe(0)
  one.pause(CALL, 30_000)
  expect(await other.acquire(CALL, now())).toBeGreaterThan(20_000)
  expect(await other.acquire({ ...CALL, isBackground: true }, now())).toBeGreaterThan(20_000)
})

test('each process has its part of what is kept without Redis, so that the limit holds', async () => {
  const server = await startRedis()
  onTestFinished(() => server.stop())
  const redis = openTestRedis(server.url)
  const { process } = limitsOf({ requestsPerMinute: 100, processes: 2, windowMs: 60_000 }, redis)
  const [one, other] = [process(), process()]
  expect(await countPermits(() => one.acquire(CALL, now()), 120)).toBe(80)
  await server.kill()
  await waitFor(() => redis.status !== 'ready', { what: 'the outage is noticed' })
  expect(await countPermits(() => one.acquire(CALL, now()))).toBe(10)
  expect(await countPermits(() => other.acquire(CALL, now()))).toBe(10)
  other.pause(CALL, 30_000)
  expect(await other.acquire(CALL, now())).toBeGreaterThan(20_000)
})

test('background calls that are spread evenly never wait', () => {
  expect(backgroundIntervalMs(300)).toBeCloseTo(62_000 / 120)
  expect(backgroundIntervalMs(1)).toBe(62_000)
})
