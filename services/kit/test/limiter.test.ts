import { expect, test } from 'vitest'
import { createLimiter } from '../src/process/limiter.ts'

function record(limiter: ReturnType<typeof createLimiter>) {
  const begun: string[] = []
  const acquire = (key: number, name: string) =>
    limiter.acquire({ key }).then((end) => {
      begun.push(name)
      return end
    })
  return { begun, acquire }
}

test('a key has a few pieces of work at once, the rest follow in their order, and no other key waits for them', async () => {
  const { begun, acquire } = record(createLimiter({ perKey: 2, maxWaitingPerKey: 10 }))
  const [first, second] = await Promise.all([acquire(1, 'first'), acquire(1, 'second')])
  const [third, fourth] = [acquire(1, 'third'), acquire(1, 'fourth')]
  await acquire(2, 'other')
  expect(begun).toEqual(['first', 'second', 'other'])
  first()
  // Ending twice frees one place only.
  first()
  await third
  expect(begun).toEqual(['first', 'second', 'other', 'third'])
  second()
  await fourth
  expect(begun.at(-1)).toBe('fourth')
})

test('the total is bounded, and a key at its limit does not come first', async () => {
  const { begun, acquire } = record(createLimiter({ perKey: 1, total: 2 }))
  const greedy = await acquire(1, 'greedy')
  const again = acquire(1, 'greedy again')
  const other = await acquire(2, 'other')
  const third = acquire(3, 'third')
  expect(begun).toEqual(['greedy', 'other'])
  // The place goes to the third key: the one that came before has all its own places.
  other()
  await third
  expect(begun).toEqual(['greedy', 'other', 'third'])
  greedy()
  await again
})

test('rejects work of a key when too much of it waits, and accepts it again when some has ended', async () => {
  const messages = { tooManyOfKey: 'One after another, please.' }
  const limiter = createLimiter({ perKey: 1, maxWaitingPerKey: 1, messages })
  const end = await limiter.acquire({ key: 1 })
  const waiting = limiter.acquire({ key: 1 })
  await expect(limiter.acquire({ key: 1 })).rejects.toMatchObject({
    status: 429,
    retryAfter: 1,
    message: 'One after another, please.',
  })
  end()
  ;(await waiting)()
  ;(await limiter.acquire({ key: 1 }))()
})

test('rejects work when too much waits in all', async () => {
  const limiter = createLimiter({ total: 1, maxWaiting: 1, messages: { tooMany: 'Too many people are here.' } })
  const end = await limiter.acquire()
  const waiting = limiter.acquire()
  await expect(limiter.acquire()).rejects.toMatchObject({
    status: 503,
    retryAfter: 1,
    message: 'Too many people are here.',
  })
  end()
  ;(await waiting)()
  ;(await limiter.acquire())()
})

test('work that fails ends too', async () => {
  const limiter = createLimiter({ perKey: 1 })
  await expect(limiter.run({ key: 1 }, () => Promise.reject(new Error('broken')))).rejects.toThrow('broken')
  expect(await limiter.run({ key: 1 }, async () => 'done')).toBe('done')
})

test('work of the whole weight runs alone, and is started though lighter work keeps coming', async () => {
  const limiter = createLimiter({ total: 2 })
  const inside = new Set<string>()
  const together: string[] = []
  async function visit(name: string, weight: number): Promise<void> {
    await limiter.run({ weight }, async () => {
      inside.add(name)
      together.push([...inside].join('+'))
      await new Promise((resolve) => setImmediate(resolve))
      inside.delete(name)
    })
  }
  const visits = [visit('a', 1), visit('b', 1), visit('large', 2), visit('c', 1), visit('d', 1)]
  await Promise.all(visits)
  expect(together).toEqual(['a', 'a+b', 'large', 'c', 'c+d'])
})

test('the next one may be that of the key with the fewest running ones', async () => {
  const { begun, acquire } = record(createLimiter({ total: 2, fewestRunningFirst: true }))
  const [first] = await Promise.all([acquire(1, 'first'), acquire(1, 'second')])
  const waiting = [acquire(1, 'third'), acquire(1, 'fourth'), acquire(2, 'other')]
  first()
  ;(await waiting[2])?.()
  await waiting[0]
  expect(begun).toEqual(['first', 'second', 'other', 'third'])
})
