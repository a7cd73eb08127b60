import { expect, test } from 'vitest'
import { acceptsGzip } from '../src/index.ts'

test.each([
  ['gzip', true],
  ['gzip, deflate, br, zstd', true],
  ['br;q=1.0, GZIP;q=0.5', true],
  ['*', true],
  ['gzip;q=0', false],
  ['gzip; q=0.000, br', false],
  ['br', false],
  ['identity', false],
  ['', false],
  [undefined, false],
])('Accept-Encoding %j allows gzip: %j', (header, allowed) => {
  expect(acceptsGzip(header)).toBe(allowed)
})
