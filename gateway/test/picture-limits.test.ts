import { waitFor } from '@skyfolio/testkit'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import type { RateLimits } from '../src/limits/limits.ts'
import { createLimits } from '../src/limits/limits.ts'
import { createTokenBuckets } from '../src/limits/token-buckets.ts'
import { type ScriptedMedia, startScriptedMedia } from './scripted-media.ts'
import { shippedLimits, startGateway, type TestGateway } from './support.ts'

const PICTURES_OF_A_PAGE = 30
/** The page's card, configuration, user, share data, rankings and two refreshes. */
const REQUESTS_OF_A_PAGE = 7
const VOTES_OF_A_VISIT = 3
/** All files of the application with the page; a first visit of the voting page loads about ten. */
const FILES_OF_THE_APPLICATION = 75
const VISITORS = 300
const MAX_DELAY_MS = 5_000

const names = Array.from({ length: PICTURES_OF_A_PAGE }, (_, index) => `${String(index).padStart(32, '0')}.webp`)

describe('a bucket', () => {
  test('reserves tokens that are due in time, each later than the one before', () => {
    const buckets = createTokenBuckets(60)
    for (let taken = 0; taken < 60; taken += 1) expect(buckets.reserve('key', MAX_DELAY_MS, 0)).toBe(0)
    const waits = Array.from({ length: 7 }, () => Math.round(buckets.reserve('key', MAX_DELAY_MS, 0)))
    expect(waits).toEqual([1_000, 2_000, 3_000, 4_000, 5_000, 6_000, 6_000])
    expect(Math.round(buckets.reserve('key', MAX_DELAY_MS, 1_000))).toBe(5_000)
    expect(buckets.take('key', 5_000)).toBe(2)
    expect(buckets.take('key', 7_000)).toBe(0)
  })

  test('takes back a token that is not needed, for others here and on other replicas', () => {
    const buckets = createTokenBuckets(60)
    for (let taken = 0; taken < 60; taken += 1) buckets.take('key', 0)
    buckets.reserve('key', MAX_DELAY_MS, 0)
    buckets.giveBack('key')
    expect(Math.round(buckets.reserve('key', MAX_DELAY_MS, 0))).toBe(1_000)
    expect([...buckets.collectUnshared(1)]).toEqual([['key', 61]])
  })
})

describe('the limits as shipped', () => {
  test('let 300 people behind one address open a page within ten seconds and vote', () => {
    const { buckets } = createLimits(shippedLimits())
    const delayed = { files: 0, pictures: 0, requests: 0, votes: 0 }
    for (let visitor = 0; visitor < VISITORS; visitor += 1) {
      const now = (visitor / VISITORS) * 10_000
      for (let sent = 0; sent < FILES_OF_THE_APPLICATION; sent += 1)
        if (buckets['pages-of-address'].take('hall', now) > 0) delayed.files += 1
      for (let sent = 0; sent < PICTURES_OF_A_PAGE; sent += 1)
        if (buckets['pictures-of-address'].reserve('hall', MAX_DELAY_MS, now) > 0) delayed.pictures += 1
      for (let sent = 0; sent < REQUESTS_OF_A_PAGE; sent += 1)
        if (buckets.requests.take('hall', now) > 0) delayed.requests += 1
      for (let sent = 0; sent < VOTES_OF_A_VISIT; sent += 1)
        if (buckets['votes-of-address'].take('hall', now) > 0) delayed.votes += 1
    }
    expect(delayed).toEqual({ files: 0, pictures: 0, requests: 0, votes: 0 })
  })

  test('slow an address down that pulls fifty times its share, and then reject it', () => {
    const bucket = createLimits(shippedLimits()).buckets['pictures-of-address']
    const counts = { sent: 0, delayed: 0, rejected: 0 }
    const total = 50 * VISITORS * PICTURES_OF_A_PAGE
    for (let sent = 0; sent < total; sent += 1) {
      const waitMs = bucket.reserve('puller', MAX_DELAY_MS, (sent / total) * 10_000)
      counts[waitMs === 0 ? 'sent' : waitMs <= MAX_DELAY_MS ? 'delayed' : 'rejected'] += 1
    }
    // The bucket, what it gains in ten seconds, and what is due in the five seconds after them.
    expect(counts.sent).toBeGreaterThanOrEqual(30_000)
    expect(counts.delayed).toBeGreaterThan(5_000)
    expect(counts.sent + counts.delayed).toBeLessThanOrEqual(30_000 + 5_000 + 2_501)
    expect(counts.rejected).toBe(total - counts.sent - counts.delayed)
  })
})

describe('over HTTP', () => {
  let media: ScriptedMedia
  const gateways: TestGateway[] = []
  beforeEach(async () => {
    media = await startScriptedMedia()
  })
  afterEach(async () => {
    for (const gateway of gateways.splice(0)) await gateway.close()
    await media.close()
  })

  async function open(rateLimits: Partial<RateLimits>, limitsKey?: string): Promise<TestGateway> {
    const options = { upstream: media.url, pictureCacheBytes: 4 * 1024 * 1024, rateLimits }
    const gateway = await startGateway({ ...options, ...(limitsKey && { limitsKey }) })
    gateways.push(gateway)
    return gateway
  }

  test('a tenth of those people are served with a tenth of the limits', async () => {
    const { requestsPerMinute, pagesPerMinuteOfAddress } = shippedLimits()
    const gateway = await open({
      requestsPerMinute: requestsPerMinute / 10,
      pagesPerMinuteOfAddress: pagesPerMinuteOfAddress / 10,
    })
    const visit = async () => {
      const statuses = [(await gateway.call('/api/config')).status]
      const pictures = await Promise.all(names.map((name) => gateway.call(`/api/uploads/${name}`)))
      for (const response of pictures) statuses.push(response.status, (await response.text()).length)
      return statuses
    }
    const visits = await Promise.all(Array.from({ length: VISITORS / 10 }, visit))
    const length = `bytes of ${names[0]}`.length
    expect(visits.flat()).toEqual(
      Array(VISITORS / 10)
        .fill([200, ...Array(PICTURES_OF_A_PAGE).fill([200, length]).flat()])
        .flat(),
    )
  })

  test('pictures have a bucket of their own, for files, images and their heads', async () => {
    const gateway = await open({ requestsPerMinute: 1, pagesPerMinuteOfAddress: 4 })
    const statuses = []
    for (const path of [`/api/uploads/${names[0]}`, '/api/photos/1/image', '/api/uploads/p-1.jpg'])
      statuses.push((await gateway.call(path)).status)
    statuses.push((await gateway.call(`/api/uploads/${names[0]}`, { method: 'HEAD' })).status)
    statuses.push((await gateway.call('/api/config')).status)
    // A token of this bucket comes every 15 seconds, which is too long to wait.
    const rejected = await gateway.call(`/api/uploads/${names[0]}`)
    expect([...statuses, rejected.status]).toEqual([200, 404, 200, 200, 200, 429])
    expect(Number(rejected.headers.get('retry-after'))).toBeGreaterThan(5)
    expect(rejected.headers.get('cache-control')).toBe('private, no-store')
  })

  test('further requests are delayed until they are due, and rejected when that is too late', async () => {
    const gateway = await open({ pagesPerMinuteOfAddress: 60 })
    const status = async (signal?: AbortSignal) =>
      (await gateway.call(`/api/uploads/${names[0]}`, signal ? { signal } : {})).status
    expect(await Promise.all(Array.from({ length: 60 }, () => status()))).toEqual(Array(60).fill(200))

    const impatient = new AbortController()
    const results: (number | string)[] = []
    const further = Array.from({ length: 20 }, () =>
      status(impatient.signal).then(
        (code) => results.push(code),
        (error: Error) => results.push(error.name),
      ),
    )
    // Five are due within five seconds, and as many in the time that this takes.
    await waitFor(() => results.includes(200) && results.includes(429), { what: 'one is due and another rejected' })
    impatient.abort()
    await Promise.all(further)
    expect(new Set(results)).toEqual(new Set([200, 429, 'AbortError']))
    // Those who left make room for others.
    expect(await status()).toBe(200)
  }, 20_000)

  test('replicas share the bucket', async () => {
    const key = 'pictures of two replicas'
    const [one, other] = [
      await open({ pagesPerMinuteOfAddress: 200 }, key),
      await open({ pagesPerMinuteOfAddress: 200 }, key),
    ]
    const pull = (gateway: TestGateway) => gateway.call(`/api/uploads/${names[0]}`)
    await Promise.all(Array.from({ length: 150 }, () => pull(one)))
    const keys = async () => (await one.redis.keys('limit:pictures-of-address:*')).length
    await waitFor(async () => (await keys()) > 0, { what: 'the bucket is shared' })
    let sent = 0
    // Alone the other would send 200 at once.
    await waitFor(
      async () => {
        const begun = performance.now()
        await pull(other)
        sent += 1
        return performance.now() - begun > 200
      },
      { what: 'a request is delayed' },
    )
    expect(sent).toBeLessThan(150)
  })
})
