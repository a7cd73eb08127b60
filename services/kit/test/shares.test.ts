import { expect, test } from 'vitest'
import { createShares } from '../src/process/shares.ts'

test('one key has at most a quarter, all together have what there is', () => {
  const shares = createShares(8)
  expect([shares.tryAcquire(['a']), shares.tryAcquire(['a']), shares.tryAcquire(['a'])].map(Boolean)).toEqual([
    true,
    true,
    false,
  ])
  for (const key of ['b', 'c', 'd']) expect(shares.tryAcquire([key], 2)).not.toBeNull()
  expect(shares.taken()).toBe(8)
  expect(shares.tryAcquire(['e'])).toBeNull()
})

test('what has several keys counts for each of them', () => {
  const shares = createShares(100, 2)
  const first = shares.tryAcquire(['network', 'user 1'])
  expect(shares.tryAcquire(['network', 'user 2'])).not.toBeNull()
  expect(shares.tryAcquire(['network', 'user 3'])).toBeNull()
  expect(shares.tryAcquire(['elsewhere', 'user 1'])).not.toBeNull()
  expect(shares.tryAcquire(['anywhere', 'user 1'])).toBeNull()
  first?.()
  expect(shares.tryAcquire(['network', 'user 1'])).not.toBeNull()
})

test('giving back twice frees one share, and what is rejected takes nothing', () => {
  const shares = createShares(2, 1)
  const first = shares.tryAcquire(['a'])
  expect(shares.tryAcquire(['b', 'a'])).toBeNull()
  first?.()
  first?.()
  expect(shares.taken()).toBe(0)
  expect(shares.tryAcquire(['b', 'a'])).not.toBeNull()
  expect(shares.tryAcquire(['c'], 2)).toBeNull()
  expect(shares.taken()).toBe(1)
})
