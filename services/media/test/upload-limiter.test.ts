import { waitFor } from '@skyfolio/testkit'
import { expect, test } from 'vitest'
import { createUploadLimiter, type UploadLimiter, type UploadStream } from '../src/limits.ts'

const stream = (userId: number, changes: Partial<UploadStream> = {}): UploadStream => ({
  userId,
  bytes: () => 0,
  isWaitingForServer: () => false,
  cutOff() {},
  ...changes,
})

/** Streams of these users use the whole limit; each is released when it is cut off. */
async function fill(
  limiter: UploadLimiter,
  streams: [name: string, userId: number, changes?: Partial<UploadStream>][],
) {
  const cut: string[] = []
  for (const [name, userId, changes] of streams) {
    const cutOff = () => {
      cut.push(name)
      release()
    }
    const release = await limiter.acquire(stream(userId, { ...changes, cutOff }))
  }
  return cut
}

test('cuts off the slowest stream of the user with the most, for a user with none', async () => {
  const limiter = createUploadLimiter(4, 3, { maxWaitMs: 60_000, displaceAfterMs: 20 })
  const began = performance.now()
  const at = (rate: number) => ({ bytes: () => (rate * (performance.now() - began)) / 1000 })
  const cut = await fill(limiter, [
    ['a1', 1, at(20_000)],
    ['a2', 1, at(100)],
    ['a3', 1, at(50_000)],
    ['b1', 2],
  ])
  await limiter.acquire(stream(3))
  expect(cut).toEqual(['a2'])
})

test.each<[string, [string, number, Partial<UploadStream>?][]]>([
  [
    'have equal shares',
    [
      ['a1', 1],
      ['b1', 2],
    ],
  ],
  [
    'flow well',
    [
      ['a1', 1, { bytes: () => performance.now() * 1_000 }],
      ['a2', 1, { bytes: () => performance.now() * 1_000 }],
    ],
  ],
  [
    'wait for the store',
    [
      ['a1', 1, { isWaitingForServer: () => true }],
      ['a2', 1, { isWaitingForServer: () => true }],
    ],
  ],
])('does not cut off streams that %s', async (_what, streams) => {
  const limiter = createUploadLimiter(2, 2, { maxWaitMs: 300, displaceAfterMs: 20 })
  const cut = await fill(limiter, streams)
  await expect(limiter.acquire(stream(3))).rejects.toMatchObject({ status: 503 })
  expect(cut).toEqual([])
})

test('limits streams in all and per user, and starts the user with the fewest first, then in order of arrival', async () => {
  const limiter = createUploadLimiter(3, 2)
  const started: string[] = []
  const enter = async (name: string, userId: number) => {
    const release = await limiter.acquire(stream(userId))
    started.push(name)
    return release
  }
  const releases = await Promise.all([enter('a1', 1), enter('a2', 1)])
  const third = enter('a3', 1)
  await enter('b1', 2)
  const second = enter('b2', 2)
  const other = enter('c1', 3)
  expect(started).toEqual(['a1', 'a2', 'b1'])
  releases[0]?.()
  ;(await other)()
  ;(await third)()
  await second
  expect(started).toEqual(['a1', 'a2', 'b1', 'c1', 'a3', 'b2'])
})

test('rejects a stream that waits too long, which then never starts', async () => {
  const limiter = createUploadLimiter(1, 1, { maxWaitMs: 20 })
  const release = await limiter.acquire(stream(1))
  await expect(limiter.acquire(stream(2))).rejects.toMatchObject({ status: 503 })
  release()
  const again = await limiter.acquire(stream(2))
  await waitFor(() => typeof again === 'function', { what: 'the limit is free' })
})
