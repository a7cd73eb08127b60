import { expect, test } from 'vitest'
import { createFairQueue } from '../src/process/fair-queue.ts'

function record(queue: ReturnType<typeof createFairQueue>) {
  const begun: string[] = []
  const acquire = (key: number, name: string) =>
    queue.acquire({ key }).then((end) => {
      begun.push(name)
      return end
    })
  return { begun, acquire }
}

test('a key has a few pieces of work at once, the rest follow in their order, and no other key waits for them', async () => {
  const { begun, acquire } = record(createFairQueue({ perKey: 2, maxWaitingPerKey: 10 }))
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
  const { begun, acquire } = record(createFairQueue({ perKey: 1, total: 2 }))
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
  const queue = createFairQueue({ perKey: 1, maxWaitingPerKey: 1, messages })
  const end = await queue.acquire({ key: 1 })
  const waiting = queue.acquire({ key: 1 })
  await expect(queue.acquire({ key: 1 })).rejects.toMatchObject({
    status: 429,
    retryAfter: 1,
    message: 'One after another, please.',
  })
  end()
  ;(await waiting)()
  ;(await queue.acquire({ key: 1 }))()
})

test('rejects work when too much waits in all', async () => {
  const queue = createFairQueue({ total: 1, maxWaiting: 1, messages: { tooMany: 'Too many people are here.' } })
  const end = await queue.acquire()
  const waiting = queue.acquire()
  await expect(queue.acquire()).rejects.toMatchObject({
    status: 503,
    retryAfter: 1,
    message: 'Too many people are here.',
  })
  end()
  ;(await waiting)()
  ;(await queue.acquire())()
})

test('work that fails ends too', async () => {
  const queue = createFairQueue({ perKey: 1 })
  await expect(queue.run({ key: 1 }, () => Promise.reject(new Error('broken')))).rejects.toThrow('broken')
  expect(await queue.run({ key: 1 }, async () => 'done')).toBe('done')
})

test('work of the whole weight runs alone, and is started though lighter work keeps coming', async () => {
  const queue = createFairQueue({ total: 2 })
  const inside = new Set<string>()
  const together: string[] = []
  async function visit(name: string, weight: number): Promise<void> {
    await queue.run({ weight }, async () => {
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
  const { begun, acquire } = record(createFairQueue({ total: 2 }))
  const [first] = await Promise.all([acquire(1, 'first'), acquire(1, 'second')])
  const waiting = [acquire(1, 'third'), acquire(1, 'fourth'), acquire(2, 'other')]
  first()
  ;(await waiting[2])?.()
  await waiting[0]
  expect(begun).toEqual(['first', 'second', 'other', 'third'])
})

test('keys with equally many take turns, each with its pieces in their order', async () => {
  const queue = createFairQueue({ total: 1 })
  const begun: string[] = []
  const run = (key: string, name: string) => queue.run({ key }, async () => void begun.push(name))
  const end = await queue.acquire({ key: 'z' })
  const names = ['a1', 'a2', 'a3', 'a4', 'b1', 'b2', 'c1']
  const runs = names.map((name) => run(name.charAt(0), name))
  end()
  await Promise.all(runs)
  expect(begun).toEqual(['a1', 'b1', 'c1', 'a2', 'b2', 'a3', 'a4'])
  expect([queue.running(), queue.waiting()]).toEqual([0, 0])
})

test('waiting ends after its time, and with its signal', async () => {
  const queue = createFairQueue({ total: 1, waitMs: 20, limitOfAll: 'slots', retryAfter: 7 })
  const end = await queue.acquire()
  await expect(queue.acquire()).rejects.toMatchObject({ status: 503, retryAfter: 7, limit: 'slots' })
  const client = new AbortController()
  const left = queue.acquire({ signal: client.signal })
  const next = queue.acquire()
  client.abort(new Error('left'))
  await expect(left).rejects.toThrow('left')
  end()
  ;(await next)()
  expect([queue.running(), queue.waiting()]).toEqual([0, 0])
})

test('when nothing may wait, a key at its own limit gets 429 and everybody else 503', async () => {
  const queue = createFairQueue({ total: 3, perKey: 2, maxWaiting: 0 })
  for (const key of [1, 1, 2]) await queue.acquire({ key })
  await expect(queue.acquire({ key: 1 })).rejects.toMatchObject({ status: 429 })
  await expect(queue.acquire({ key: 2 })).rejects.toMatchObject({ status: 503 })
})

test('without waiting: one key has at most its share, all together have what there is', () => {
  const queue = createFairQueue({ total: 8, perKey: 2 })
  const take = (key: string, weight = 1) => queue.tryAcquire({ key, weight })
  expect([take('a'), take('a'), take('a')].map(Boolean)).toEqual([true, true, false])
  for (const key of ['b', 'c', 'd']) expect(take(key, 2)).not.toBeNull()
  expect(queue.running()).toBe(8)
  expect(take('e')).toBeNull()
})

test('what has several keys counts for each of them, and what is rejected takes nothing', () => {
  const queue = createFairQueue({ total: 100, perKey: 2 })
  const take = (...key: string[]) => queue.tryAcquire({ key })
  const first = take('network', 'user 1')
  expect(take('network', 'user 2')).not.toBeNull()
  expect(take('network', 'user 3')).toBeNull()
  expect(take('elsewhere', 'user 1')).not.toBeNull()
  expect(take('anywhere', 'user 1')).toBeNull()
  expect(queue.running()).toBe(3)
  first?.()
  first?.()
  expect(queue.running()).toBe(2)
  expect(take('network', 'user 1')).not.toBeNull()
})

test('the key with the most loses its lowest rank at once to one that has at least two fewer', () => {
  const queue = createFairQueue({ total: 3, displaceAfterMs: 0 })
  const cutOff: string[] = []
  function take(key: string, rank: number | null) {
    const displaceable = {
      rank: () => rank,
      cutOff() {
        cutOff.push(`${key} ${rank}`)
        end?.()
      },
    }
    const end = queue.tryAcquire({ key, displaceable })
    return end !== null
  }
  for (const rank of [5, null, 4]) take('a', rank)
  expect([take('a', 1), take('b', 1), take('b', 2), take('c', 1)]).toEqual([false, true, false, true])
  expect(cutOff).toEqual(['a 4', 'a 5'])
})
