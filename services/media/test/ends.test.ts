import { randomBytes } from 'node:crypto'
import { PassThrough } from 'node:stream'
import { buffer } from 'node:stream/consumers'
import { expect, test } from 'vitest'
import { BLOCK_BYTES, copyEnds } from '../src/uploads/inspect-stored.ts'

/** Sends the chunks through a paused stream that something else reads, as the body of a part. */
async function copyOf(bytes: Buffer, chunkBytes: number, size = bytes.length) {
  const body = new PassThrough()
  body.pause()
  const endsOf = copyEnds(body, size)
  for (let at = 0; at < bytes.length; at += chunkBytes) body.write(bytes.subarray(at, at + chunkBytes))
  body.end()
  const sink = new PassThrough()
  body.pipe(sink)
  expect((await buffer(sink)).equals(bytes)).toBe(true)
  return endsOf()
}

test('copies the first block and the last two bytes, however the body is cut, and takes nothing from its reader', async () => {
  for (const size of [1, 2, BLOCK_BYTES, BLOCK_BYTES + 1, BLOCK_BYTES + 2, 3 * BLOCK_BYTES]) {
    const bytes = randomBytes(size)
    for (const chunkBytes of [997, BLOCK_BYTES - 1, BLOCK_BYTES, size - 1 || 1, size]) {
      const ends = await copyOf(bytes, chunkBytes)
      expect(ends?.head.equals(bytes.subarray(0, BLOCK_BYTES))).toBe(true)
      expect(ends?.tail.equals(size > BLOCK_BYTES ? bytes.subarray(-2) : Buffer.alloc(0))).toBe(true)
    }
  }
})

test('a body that has passed in part only has no ends', async () => {
  expect(await copyOf(randomBytes(1000), 100, 1001)).toBeNull()
})
