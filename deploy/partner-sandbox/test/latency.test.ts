import { expect, test } from 'vitest'
import { createRandom, logNormal } from '../src/state/random.ts'

test.each([
  [250, 8_000],
  [700, 8_000],
  [1_500, 8_000],
])('latency has the median %i ms and one value in a hundred above %i ms', (median, p99) => {
  const random = createRandom(7)
  const values = Array.from({ length: 20_000 }, () => logNormal(random, median, p99)).sort((one, other) => one - other)
  expect((values[10_000] ?? 0) / median).toBeCloseTo(1, 1)
  expect((values[19_800] ?? 0) / p99).toBeGreaterThan(0.8)
  expect((values[19_800] ?? 0) / p99).toBeLessThan(1.25)
})

test('the same seed gives the same sequence, another seed another one', () => {
  const sequence = (seed: number) => Array.from({ length: 5 }, createRandom(seed))
  expect(sequence(3)).toEqual(sequence(3))
  expect(sequence(3)).not.toEqual(sequence(4))
})
