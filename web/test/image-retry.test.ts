import { expect, test } from 'vitest'
import { imageRetryDelay } from '../src/components/use-image-load.ts'

test('a picture that failed is requested again after growing delays, and then given up', () => {
  expect([1, 2, 3, 4].map((failures) => imageRetryDelay(failures, 0))).toEqual([2_000, 6_000, 20_000, null])
})

test('the delays differ by up to a half, so that a crowd does not return at once', () => {
  expect(imageRetryDelay(1, 0.999)).toBeCloseTo(2_999)
})
