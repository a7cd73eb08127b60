import fc from 'fast-check'
import { expect, test } from 'vitest'
import { createBatcher } from '../src/batching/batcher.ts'

/** Batches whose runs the test ends by hand, in any order. */
function openRuns(options: { maxBatch?: number; maxQueued?: number } = {}) {
  const runs: { items: string[]; end: () => void; fail: (error: Error) => void }[] = []
  const batches = createBatcher<string, string>({
    run: (items) =>
      new Promise((resolve, reject) => {
        runs.push({ items, end: () => resolve(items.map((item) => `${item}!`)), fail: reject })
      }),
    keyOf: (item) => item[0] ?? '',
    maxInFlight: 2,
    maxBatch: options.maxBatch ?? 100,
    maxQueued: options.maxQueued ?? 100,
  })
  return { runs, batches }
}

const settled = () => new Promise((resolve) => setImmediate(() => setImmediate(resolve)))

test('items that arrive while two batches run form the next one, and each gets its own result', async () => {
  const { runs, batches } = openRuns()
  const a = batches.submit('a')
  await settled()
  const b = batches.submit('b')
  await settled()
  const rest = Promise.all(['c', 'd', 'e'].map(batches.submit))
  await settled()
  expect(runs.map((run) => run.items)).toEqual([['a'], ['b']])
  runs[1]?.end()
  expect(await b).toBe('b!')
  await settled()
  expect(runs[2]?.items).toEqual(['c', 'd', 'e'])
  runs[0]?.end()
  runs[2]?.end()
  expect([await a, ...(await rest)]).toEqual(['a!', 'c!', 'd!', 'e!'])
  expect(batches.queued()).toBe(0)
})

test('a failed batch fails only its own items, and later items of its keys continue', async () => {
  const { runs, batches } = openRuns()
  const results = Promise.allSettled(['a1', 'b1', 'a2'].map(batches.submit))
  await settled()
  expect(runs[0]?.items).toEqual(['a1', 'b1'])
  runs[0]?.fail(new Error('lost'))
  await settled()
  expect(runs[1]?.items).toEqual(['a2'])
  runs[1]?.end()
  expect((await results).map((result) => result.status)).toEqual(['rejected', 'rejected', 'fulfilled'])
})

test('a full queue rejects with 503 and Retry-After, and accepts items again when it has room', async () => {
  const { runs, batches } = openRuns({ maxQueued: 2 })
  const taken = Promise.all(['a', 'b'].map(batches.submit))
  await expect(batches.submit('c')).rejects.toMatchObject({ status: 503, retryAfter: 1 })
  await settled()
  runs[0]?.end()
  await taken
  const late = batches.submit('c')
  await settled()
  runs[1]?.end()
  expect(await late).toBe('c!')
})

test('property: whatever arrives and however runs end, no key runs twice at once and its items keep their order', async () => {
  const step = fc.oneof(
    fc.record({ submit: fc.constantFrom('a', 'b', 'c', 'd') }),
    fc.record({ end: fc.nat(1), fail: fc.boolean() }),
  )
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 60 }), fc.integer({ min: 1, max: 5 }), async (steps, maxBatch) => {
      const { runs, batches } = openRuns({ maxBatch })
      const open = new Set<(typeof runs)[number]>()
      const started: string[] = []
      const submitted: Promise<unknown>[] = []
      let number = 0
      let seen = 0
      const look = async () => {
        await settled()
        for (const run of runs.slice(seen)) {
          open.add(run)
          started.push(...run.items)
        }
        seen = runs.length
        const keys = [...open].flatMap((run) => run.items.map((item) => item[0]))
        expect(new Set(keys).size).toBe(keys.length)
        expect(open.size).toBeLessThanOrEqual(2)
      }
      const finish = async (run: (typeof runs)[number] | undefined, fail: boolean) => {
        if (!run) return
        open.delete(run)
        if (fail) run.fail(new Error('lost'))
        else run.end()
        await look()
      }
      for (const one of steps) {
        if ('submit' in one) {
          number += 1
          submitted.push(batches.submit(`${one.submit}${String(number).padStart(3, '0')}`).catch(() => {}))
          await look()
        } else await finish([...open][one.end], one.fail)
      }
      while (open.size > 0) await finish([...open][0], false)
      await Promise.all(submitted)
      expect(started).toHaveLength(number)
      for (const key of ['a', 'b', 'c', 'd']) {
        const own = started.filter((item) => item[0] === key)
        expect(own).toEqual([...own].sort())
      }
    }),
    { numRuns: 60 },
  )
})
