import { createHash } from 'node:crypto'
import { expect, test } from 'vitest'
import { shuffled } from '../src/features/share/shuffle.ts'
import { hashToBase36 } from '../src/lib/voter-fingerprint.ts'

const KEY = '5f0c2a'
const photos = (count: number) => Array.from({ length: count }, (_, index) => ({ id: index + 1 }))
const order = (voter: string, list = photos(8)) => shuffled(list, KEY, voter).map(({ id }) => id)

test('photos are sorted by the SHA-256 of key, voter and photo', () => {
  expect(order('voter-a')).toEqual([5, 2, 8, 1, 6, 3, 4, 7])
  expect(order('voter-b')).toEqual([3, 6, 7, 1, 8, 2, 4, 5])
  const hash = (id: number) => createHash('sha256').update(`${KEY}:voter-c:${id}`).digest('hex')
  const byNode = photos(300).sort((one, other) => (hash(one.id) < hash(other.id) ? -1 : 1))
  expect(shuffled(photos(300), KEY, 'voter-c')).toEqual(byNode)
})

test("a voter's order does not depend on how the photos arrive, and another key is another order", () => {
  expect(order('voter-a', photos(8).reverse())).toEqual(order('voter-a'))
  expect(shuffled(photos(8), 'other', 'voter-a').map(({ id }) => id)).not.toEqual(order('voter-a'))
})

test('a photo that is added moves no other one', () => {
  const before = order('voter-a', photos(50))
  expect(order('voter-a', photos(51)).filter((id) => id !== 51)).toEqual(before)
})

test('over all voters each photo has each position equally often', () => {
  const [voters, count] = [4_000, 10]
  const counts = new Map<string, number>()
  for (let voter = 0; voter < voters; voter += 1) {
    for (const [position, id] of order(hashToBase36(`seed-${voter}`), photos(count)).entries()) {
      const cell = `${id} at ${position}`
      counts.set(cell, (counts.get(cell) ?? 0) + 1)
    }
  }
  // Each of the 100 numbers is near 400, whose standard deviation is 19.
  expect(counts.size).toBe(count * count)
  expect(Math.min(...counts.values())).toBeGreaterThan(400 - 5 * 19)
  expect(Math.max(...counts.values())).toBeLessThan(400 + 5 * 19)
})
