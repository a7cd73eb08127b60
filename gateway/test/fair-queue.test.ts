import { expect, test } from 'vitest'
import { createFairQueue, type FairQueue } from '../src/limits/fair-queue.ts'

function takeAll(queue: FairQueue<string>): string[] {
  const taken = []
  for (let item = queue.take(); item !== undefined; item = queue.take()) taken.push(item)
  return taken
}

test('keys take turns, each with its items in their order', () => {
  const queue = createFairQueue<string>(100, 50)
  for (const item of ['a1', 'a2', 'a3', 'a4']) queue.add('a', item)
  for (const item of ['b1', 'b2']) queue.add('b', item)
  expect(queue.take()).toBe('a1')
  queue.add('c', 'c1')
  expect(takeAll(queue)).toEqual(['b1', 'a2', 'c1', 'b2', 'a3', 'a4'])
})

test('a key has its share, and all together have the room of the queue', () => {
  const queue = createFairQueue<string>(3, 2)
  expect(['a1', 'a2', 'a3'].map((item) => queue.add('a', item))).toEqual(['added', 'added', 'key_full'])
  expect(['b1', 'b2'].map((item) => queue.add('b', item))).toEqual(['added', 'full'])
  expect([queue.delete('a', 'a1'), queue.delete('a', 'a1'), queue.delete('c', 'c1')]).toEqual([true, false, false])
  expect(queue.add('a', 'a4')).toBe('added')
  expect(takeAll(queue)).toEqual(['a2', 'b1', 'a4'])
  expect(queue.add('b', 'b3')).toBe('added')
})
