import { once } from 'node:events'
import { Readable } from 'node:stream'
import { buffer } from 'node:stream/consumers'
import { waitFor } from '@skyfolio/testkit'
import { afterEach, expect, test } from 'vitest'
import { createReadAhead } from '../src/proxy/read-ahead.ts'

const KB = 1024
const MB = 1024 * KB
const readAhead = createReadAhead(8 * MB)
afterEach(() => readAhead.close())

/** A response of a service in parts, as they arrive. */
const responseOf = (bytes: number) => Readable.from(Array(bytes / (32 * KB)).fill(Buffer.alloc(32 * KB, 7)))

test('a response of ordinary size is read to its end although its client reads nothing yet', async () => {
  const source = responseOf(MB)
  const ahead = readAhead.wrap(source, MB, ['network'])
  await once(source, 'close')
  expect(ahead.readableLength).toBeGreaterThan(MB / 2)
  expect((await buffer(ahead)).length).toBe(MB)
})

test('a large one is read as far as its memory goes, and a site has a quarter of all', async () => {
  const large = readAhead.wrap(responseOf(16 * MB), null, ['network'])
  await once(large, 'readable')
  const second = readAhead.wrap(responseOf(16 * MB), 16 * MB, ['network'])
  const third = readAhead.wrap(responseOf(16 * MB), 16 * MB, ['network'])
  await once(third, 'readable')
  await waitFor(() => large.readableLength >= MB, { what: 'the memory of the first is full' })
  expect(third.readableLength).toBeLessThan(MB / 4)
  expect(large.readableLength).toBeLessThan(2 * MB)
  // A client that leaves frees its memory.
  large.destroy()
  await once(large, 'close')
  const fourth = readAhead.wrap(responseOf(MB), MB, ['network'])
  await waitFor(() => fourth.readableLength > MB / 2, { what: 'the next one has its memory' })
  for (const response of [second, third, fourth]) response.destroy()
})

test('the failure of the service reaches the client', async () => {
  const source = responseOf(MB)
  const ahead = readAhead.wrap(source, MB, ['failing'])
  source.destroy(new Error('the connection broke'))
  await expect(buffer(ahead)).rejects.toThrow()
})
