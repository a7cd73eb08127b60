import { gunzipSync } from 'node:zlib'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { acceptsGzip, gzipPrefix, gzipWithSuffix } from '../src/sharing/gzip.ts'

const beginningOf = (text: string) => gzipPrefix(Buffer.from(text))
const whole = (...given: Parameters<typeof gzipWithSuffix>) => Buffer.concat(gzipWithSuffix(...given))

test('a beginning that was compressed once and any end are one gzip member of both', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.string({ unit: 'grapheme', maxLength: 5000 }),
      fc.string({ maxLength: 200 }),
      async (text, end) => {
        const beginning = await beginningOf(text)
        for (const each of [end, '', `${end}${end}`]) {
          const member = whole(beginning, each)
          expect(gunzipSync(member).toString()).toBe(text + each)
        }
      },
    ),
    { numRuns: 50 },
  )
})

test('a long text becomes small', async () => {
  const text = JSON.stringify(Array.from({ length: 1000 }, (_, id) => ({ id, title: `Photo ${id}`, city: 'Bozen' })))
  const member = whole(await beginningOf(text), ',{}]')
  expect(member.length).toBeLessThan(text.length / 5)
})

test('an end that one block cannot hold is refused', async () => {
  const beginning = await beginningOf('a')
  expect(gunzipSync(whole(beginning, 'b'.repeat(65_535))).length).toBe(65_536)
  expect(() => gzipWithSuffix(beginning, 'b'.repeat(65_536))).toThrow(RangeError)
})

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
