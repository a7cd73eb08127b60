import { startRedis, waitFor } from '@skyfolio/testkit'
import type { FastifyRequest } from 'fastify'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { createLimits, type RateLimits } from '../src/limits/limits.ts'
import { createLoadTestToken, LOAD_TEST_HEADER } from '../src/limits/load-test-token.ts'
import { createTokenBuckets } from '../src/limits/token-buckets.ts'
import { shippedLimits, startEcho, startGateway, type TestGateway, type Upstream } from './support.ts'

let echo: Upstream
beforeAll(async () => {
  echo = await startEcho()
})
afterAll(() => echo.app.close())

test('a bucket grants what it holds, and refills over time', () => {
  const buckets = createTokenBuckets(60)
  const at = (now: number) => buckets.take('key', now)
  expect(Array.from({ length: 60 }, () => at(0))).toEqual(Array(60).fill(0))
  expect(at(0)).toBe(1)
  expect(at(999)).toBe(1)
  expect(at(1000)).toBe(0)
  expect(at(1000)).toBe(1)
  expect(buckets.take('another', 1000)).toBe(0)
})

test('a bucket returns the seconds until its next token', () => {
  const buckets = createTokenBuckets(1)
  buckets.take('key', 0)
  expect(buckets.take('key', 15_000)).toBe(45)
})

test('a bucket shares taken tokens once, and only from a threshold on', () => {
  const buckets = createTokenBuckets(60)
  const take = (key: string, times: number) => Array.from({ length: times }, () => buckets.take(key, 0))
  take('little', 5)
  take('much', 7)
  take('more', 20)
  expect([...buckets.collectUnshared(1)]).toEqual([['much', 7]])
  expect([...buckets.collectUnshared(10)]).toEqual([['more', 20]])
  expect(buckets.collectUnshared(10).size).toBe(0)
  take('little', 1)
  expect([...buckets.collectUnshared(10)]).toEqual([['little', 6]])
})

test('a bucket has no more than all replicas have left, which may be negative', () => {
  const buckets = createTokenBuckets(60)
  for (let taken = 0; taken < 10; taken += 1) buckets.take('key', 0)
  buckets.collectUnshared(1)
  buckets.take('key', 0)
  buckets.lower('key', 2, 0)
  expect(buckets.take('key', 0)).toBe(0)
  expect(buckets.take('key', 0)).toBe(1)
  buckets.lower('key', 50, 0)
  expect(buckets.take('key', 0)).toBe(1)
  buckets.lower('key', -20, 0)
  // The 20 granted too many, the 2 not shared yet, and one to grant.
  expect(buckets.take('key', 0)).toBe(23)
})

test('drops the longest unused key when there are too many', () => {
  const buckets = createTokenBuckets(1, 2)
  for (const key of ['a', 'b', 'a', 'c']) buckets.take(key, 0)
  expect(buckets.take('a', 0)).toBeGreaterThan(0)
  expect(buckets.take('b', 0)).toBe(0)
})

test('tokens not shared yet are shared, or dropped with their bucket', () => {
  const buckets = createTokenBuckets(1, 2)
  for (const key of ['a', 'b', 'c']) buckets.take(key, 0)
  expect([...buckets.collectUnshared(10).keys()]).toEqual(['b', 'c'])
  buckets.lower('b', -1, 0)
  expect(buckets.take('b', 0)).toBe(120)
})

interface Voter {
  fingerprint: string
  token?: string
  loadTest?: string
}

async function vote(gateway: TestGateway, { fingerprint, token, loadTest }: Voter): Promise<number> {
  const response = await gateway.call('/api/photos/1/rank', {
    method: 'POST',
    body: JSON.stringify({ fingerprint, rank: 'first', folderId: 1 }),
    headers: {
      'content-type': 'application/json',
      ...(token && { cookie: `voter=${token}` }),
      ...(loadTest && { [LOAD_TEST_HEADER]: loadTest }),
    },
  })
  if (response.status === 429) expect(Number(response.headers.get('retry-after'))).toBeGreaterThan(0)
  return response.status
}

async function votes(rateLimits: Partial<RateLimits>, ballots: Voter[], redisUrl?: string) {
  const gateway = await startGateway({ upstream: echo.url, rateLimits, ...(redisUrl && { redisUrl }) })
  const statuses = []
  for (const ballot of ballots) statuses.push(await vote(gateway, ballot))
  await gateway.close()
  return statuses
}

/** Casts votes of made-up voters, twenty at a time, until one is rejected. Returns how many were accepted. */
async function votesUntilRejected(gateway: TestGateway): Promise<number> {
  let accepted = 0
  for (;;) {
    const requests = Array.from({ length: 20 }, (_, index) =>
      vote(gateway, { fingerprint: `made up ${accepted} ${index}` }),
    )
    const passed = (await Promise.all(requests)).filter((status) => status === 200).length
    accepted += passed
    if (passed < requests.length) return accepted
  }
}

test('limits the votes of a voter, also with another fingerprint or without a token', async () => {
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

test('limits the votes of an address, whoever votes', async () => {
  const ballots = Array.from('abc', (fingerprint) => ({ fingerprint }))
  expect(await votes({ votesPerMinuteOfAddress: 2 }, ballots)).toEqual([200, 200, 429])
})

test('limits the requests of an address, without votes and files of the application', async () => {
  const gateway = await startGateway({ upstream: echo.url, rateLimits: { requestsPerMinute: 2 } })
  const statuses = []
  for (const path of ['/', '/api/folders', '/', '/api/nothing', '/api/folders', '/'])
    statuses.push((await gateway.call(path)).status)
  expect(statuses).toEqual([200, 200, 200, 404, 429, 200])
  expect(await vote(gateway, { fingerprint: 'a' })).toBe(200)
  await gateway.close()
})

test('limits the pages and files of an address, without what is below /api', async () => {
  const gateway = await startGateway({ upstream: echo.url, rateLimits: { pagesPerMinuteOfAddress: 3 } })
  const send = async (path: string, method = 'GET') => (await gateway.call(path, { method })).status
  expect(await send('/assets/app-1a2b3c.js')).toBe(200)
  expect(await send('/nothing', 'POST')).toBe(404)
  expect(await send('/folders/7')).toBe(200)
  expect([await send('/icon.svg'), await send('/nothing', 'POST'), await send('/metrics')]).toEqual([429, 429, 429])
  expect(await send('/api/folders')).toBe(200)

  const page = await gateway.call('/share/aB3x', { headers: { accept: 'text/html,*/*;q=0.8' } })
  expect([page.status, page.headers.get('content-type')]).toEqual([429, 'text/html; charset=utf-8'])
  expect(Number(page.headers.get('retry-after'))).toBeGreaterThan(0)
  expect(page.headers.get('content-security-policy')).toContain("default-src 'none'")
  expect(await page.text()).toContain(
    '<p>Too many pages and files were requested from your network. Please slow down.</p>',
  )
  const script = await gateway.call('/assets/app-1a2b3c.js')
  expect(await script.json()).toMatchObject({ code: 'too_many_requests' })
  await gateway.close()
})

test('texts that differ only beyond the maximum length of a token share a bucket', async () => {
  const long = 'x'.repeat(128)
  const ballots = ['a', 'b', 'c'].map((end) => ({ fingerprint: long + end }))
  expect(await votes({ votesPerMinuteOfVoter: 2 }, ballots)).toEqual([200, 200, 429])
})

describe('the limits as shipped', () => {
  const shipped = shippedLimits()
  const two = { limitsKey: 'the same installation', rateLimits: shipped }

  test('let 200 people behind one address vote within a minute, three times and with changes, on any replica', async () => {
    const gateways = [
      await startGateway({ upstream: echo.url, ...two }),
      await startGateway({ upstream: echo.url, ...two }),
    ] as const
    const statuses: number[] = []
    const person = async (index: number) => {
      const voter = { fingerprint: `person ${index}`, token: `token ${index}` }
      for (let round = 0; round < 5; round += 1) statuses.push(await vote(gateways[(index + round) % 2 ? 0 : 1], voter))
    }
    for (let first = 0; first < 200; first += 20)
      await Promise.all(Array.from({ length: 20 }, (_, index) => person(first + index)))
    expect(statuses).toEqual(Array(1000).fill(200))
    for (const gateway of gateways) await gateway.close()
  })

  test('stop a script that invents a voter for each vote', () => {
    const limits = createLimits(shipped)
    let accepted = 0
    const cast = () => {
      const body = { fingerprint: `made up ${accepted}` }
      const request = { ip: '203.0.113.7', headers: {}, body } as unknown as FastifyRequest
      limits.checkVoteAddress(request)
      limits.checkVoter(request)
      accepted += 1
    }
    expect(() => {
      while (accepted < 100_000) cast()
    }).toThrow('Too many votes from your network')
    // The bucket refills meanwhile, so there may be more than 1,200.
    expect(accepted).toBeGreaterThanOrEqual(1200)
  })
})

describe('replicas', () => {
  test('share what an address has left, through Redis', async () => {
    const start = () =>
      startGateway({ upstream: echo.url, limitsKey: 'shared', rateLimits: { votesPerMinuteOfAddress: 200 } })
    const [one, other] = [await start(), await start()]
    const spyOnLower = ({ limits }: TestGateway) => vi.spyOn(limits.buckets['votes-of-address'], 'lower')
    const [learnedByOne, learnedByOther] = [spyOnLower(one), spyOnLower(other)]
    expect(await votesUntilRejected(one)).toBeGreaterThanOrEqual(200)
    await waitFor(() => (learnedByOne.mock.lastCall?.[1] ?? 200) <= 20, { what: 'the share of its votes in Redis' })
    // The other learns of it after its first tenth; alone it would accept 200 or more.
    const tenth = Array.from({ length: 20 }, (_, index) => vote(other, { fingerprint: `made up ${index}` }))
    expect(await Promise.all(tenth)).toEqual(Array(20).fill(200))
    await waitFor(() => learnedByOther.mock.lastCall, { what: 'what the replicas have left' })
    expect(await votesUntilRejected(other)).toBeLessThan(100)
    await one.close()
    await other.close()
  })

  test('limit on their own while Redis is unavailable', async () => {
    const redis = await startRedis()
    await redis.stop()
    const ballots = Array.from('abc', (fingerprint) => ({ fingerprint }))
    expect(await votes({ votesPerMinuteOfAddress: 2 }, ballots, redis.url)).toEqual([200, 200, 429])
  })

  test('store neither addresses nor voters in Redis', async () => {
    const gateway = await startGateway({ upstream: echo.url, rateLimits: { votesPerMinuteOfVoter: 5 } })
    const countKeys = async () => (await gateway.redis.keys('limit:votes-of-voter:*')).length
    const before = await countKeys()
    await vote(gateway, { fingerprint: 'a-secret-fingerprint' })
    await waitFor(async () => (await countKeys()) === before + 1, { what: 'the key of the voter' })
    expect(await gateway.redis.keys('*a-secret-fingerprint*')).toEqual([])
    await gateway.close()
  })
})

describe('the token of a load test', () => {
  const loadTestKey = 'a key of thirty-two characters!!'
  const soon = Math.floor(Date.now() / 1000) + 600
  const genuine = createLoadTestToken(loadTestKey, soon)
  const voters = (loadTest: string) => Array.from('abc', (fingerprint) => ({ fingerprint, loadTest }))
  const tight = { votesPerMinuteOfAddress: 1, loadTestVotesPerMinute: 2 }

  test('moves its votes to a bucket of their own with a configured size', async () => {
    expect(await votes({ ...tight, loadTestKey }, voters(genuine))).toEqual([200, 200, 429])
  })

  test('leaves the bucket of the address untouched', async () => {
    const ballots = [...voters(genuine), { fingerprint: 'd' }, { fingerprint: 'e' }]
    expect(await votes({ ...tight, loadTestKey }, ballots)).toEqual([200, 200, 429, 200, 429])
  })

  test.each([
    ['has expired', createLoadTestToken(loadTestKey, soon - 1200)],
    ['is signed with another key', createLoadTestToken('another key of thirty-two letters', soon)],
    ['was made longer afterwards', genuine.replace(String(soon), String(soon + 1))],
    ['is no token', 'NaN.'],
  ])('changes nothing when it %s', async (_, token) => {
    expect(await votes({ ...tight, loadTestKey }, voters(token))).toEqual([200, 429, 429])
  })

  test('changes nothing where no key is configured', async () => {
    expect(await votes(tight, voters(genuine))).toEqual([200, 429, 429])
    expect(await votes(tight, voters(createLoadTestToken('', soon)))).toEqual([200, 429, 429])
  })

  test('lifts neither the limit of a voter nor that of other requests', async () => {
    const ballots = Array(3).fill({ fingerprint: 'a', loadTest: genuine })
    expect(await votes({ loadTestKey, votesPerMinuteOfVoter: 2 }, ballots)).toEqual([200, 200, 429])
    const gateway = await startGateway({ upstream: echo.url, rateLimits: { loadTestKey, requestsPerMinute: 1 } })
    const list = async () => (await gateway.call('/api/folders', { headers: { [LOAD_TEST_HEADER]: genuine } })).status
    expect([await list(), await list()]).toEqual([200, 429])
    await gateway.close()
  })
})
