import { afterAll, beforeAll, expect, test } from 'vitest'
import { createTokenBuckets } from '../src/token-buckets.ts'
import { startEcho, startGateway, type Upstream } from './support.ts'

let echo: Upstream
beforeAll(async () => {
  echo = await startEcho()
})
afterAll(() => echo.app.close())

test('a bucket gives what it holds, and again what the time brings back', () => {
  const buckets = createTokenBuckets(60)
  const at = (now: number) => buckets.take('key', now)
  expect(Array.from({ length: 60 }, () => at(0))).toEqual(Array(60).fill(0))
  expect(at(0)).toBe(1)
  expect(at(999)).toBe(1)
  expect(at(1000)).toBe(0)
  expect(at(1000)).toBe(1)
  expect(buckets.take('another', 1000)).toBe(0)
})

test('a bucket says in how many seconds there is more', () => {
  const buckets = createTokenBuckets(1)
  buckets.take('key', 0)
  expect(buckets.take('key', 15_000)).toBe(45)
})

test('of more keys than may be remembered, the longest unused is forgotten', () => {
  const buckets = createTokenBuckets(1, 2)
  for (const key of ['a', 'b', 'a', 'c']) buckets.take(key, 0)
  expect(buckets.take('a', 0)).toBeGreaterThan(0)
  expect(buckets.take('b', 0)).toBe(0)
})

const plenty = { requestsPerMinute: 1000, votesPerMinuteOfAddress: 1000, votesPerMinuteOfVoter: 1000 }

async function votes(limits: Partial<typeof plenty>, ballots: { fingerprint: string; token?: string }[]) {
  const gateway = await startGateway({ upstream: echo.url, rateLimits: { ...plenty, ...limits } })
  const statuses = []
  for (const { fingerprint, token } of ballots) {
    const response = await gateway.call('/api/photos/1/rank', {
      method: 'POST',
      body: JSON.stringify({ fingerprint, rank: 'first', folderId: 1 }),
      headers: { 'content-type': 'application/json', ...(token && { cookie: `voter=${token}` }) },
    })
    statuses.push(response.status)
    if (response.status === 429) expect(Number(response.headers.get('retry-after'))).toBeGreaterThan(0)
  }
  await gateway.close()
  return statuses
}

test('a voter may vote so often, and another fingerprint or no token does not lift it', async () => {
  const limit = { votesPerMinuteOfVoter: 2 }
  const token = 't1'
  expect(
    await votes(limit, [
      { fingerprint: 'a', token },
      { fingerprint: 'b', token },
      { fingerprint: 'c', token },
    ]),
  ).toEqual([200, 200, 429])
  expect(
    await votes(limit, [{ fingerprint: 'a', token }, { fingerprint: 'a' }, { fingerprint: 'a', token: 't2' }]),
  ).toEqual([200, 200, 429])
  expect(
    await votes(
      limit,
      Array.from('abcde', (fingerprint) => ({ fingerprint, token: fingerprint })),
    ),
  ).toEqual(Array(5).fill(200))
})

test('an address may vote so often, whoever votes', async () => {
  const ballots = Array.from('abc', (fingerprint) => ({ fingerprint }))
  expect(await votes({ votesPerMinuteOfAddress: 2 }, ballots)).toEqual([200, 200, 429])
})

test('an address may ask so often; votes and the application itself are not counted', async () => {
  const gateway = await startGateway({ upstream: echo.url, rateLimits: { ...plenty, requestsPerMinute: 2 } })
  const statuses = []
  for (const path of ['/', '/api/folders', '/', '/api/nothing', '/api/folders', '/'])
    statuses.push((await gateway.call(path)).status)
  expect(statuses).toEqual([200, 200, 200, 404, 429, 200])
  const body = JSON.stringify({ fingerprint: 'a', rank: 'first', folderId: 1 })
  const vote = await gateway.call('/api/photos/1/rank', {
    method: 'POST',
    body,
    headers: { 'content-type': 'application/json' },
  })
  expect(vote.status).toBe(200)
  await gateway.close()
})
