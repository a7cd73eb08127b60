import { gunzipSync } from 'node:zlib'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { gzipPrefix, gzipWithSuffix } from '../src/sharing/gzip.ts'

const prefixOf = (text: string) => gzipPrefix(Buffer.from(text))
const member = (...given: Parameters<typeof gzipWithSuffix>) => Buffer.concat(gzipWithSuffix(...given))

test('joins a compressed prefix and any suffix into one gzip member', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.string({ unit: 'grapheme', maxLength: 5000 }),
      fc.string({ maxLength: 200 }),
      async (text, suffix) => {
        const prefix = await prefixOf(text)
        for (const each of [suffix, '', `${suffix}${suffix}`]) {
          const gzipped = member(prefix, each)
          expect(gunzipSync(gzipped).toString()).toBe(text + each)
        }
      },
    ),
    { numRuns: 50 },
  )
})

test('compresses a long text', async () => {
  const text = JSON.stringify(Array.from({ length: 1000 }, (_, id) => ({ id, title: `Photo ${id}`, city: 'Bozen' })))
  const gzipped = member(await prefixOf(text), ',{}]')
  expect(gzipped.length).toBeLessThan(text.length / 5)
})

test('rejects a suffix that one block cannot hold', async () => {
  const prefix = await prefixOf('a')
  expect(gunzipSync(member(prefix, 'b'.repeat(65_535))).length).toBe(65_536)
  expect(() => gzipWithSuffix(prefix, 'b'.repeat(65_536))).toThrow(RangeError)
})
