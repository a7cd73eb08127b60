import { buffer } from 'node:stream/consumers'
import type { ObjectStore } from '@skyfolio/kit'

/** Bytes of which any part can be had. */
export interface ByteSource {
  size: number
  /** The bytes from `start` on: as many as asked for, or fewer where the file ends. */
  read(start: number, length: number): Promise<Buffer>
}

/** An object of the store, read part by part. @throws when the store does not answer or the object is gone */
export function objectSource(store: ObjectStore, key: string, size: number): ByteSource {
  return {
    size,
    async read(start, length) {
      const end = Math.min(start + length, size) - 1
      if (start < 0 || end < start) return Buffer.alloc(0)
      const part = await store.get(key, { start, end })
      if (!part) throw new Error(`the object ${key} is gone`)
      return buffer(part.body)
    },
  }
}

/** Bytes in memory. */
export function bufferSource(bytes: Buffer): ByteSource {
  return { size: bytes.length, read: async (start, length) => bytes.subarray(start, start + length) }
}

const BLOCK_BYTES = 65_536
const KEPT_BLOCKS = 8

/** More of a source was read than was allowed. */
export class ReadLimitError extends Error {}

/**
 * Reads a source in blocks and keeps the last ones, since what belongs together stands together.
 * @throws ReadsExhausted after `maxBlocks` blocks
 */
export function blockSource(source: ByteSource, maxBlocks: number): ByteSource {
  const kept = new Map<number, Buffer>()
  let blocks = 0

  async function blockAt(index: number): Promise<Buffer> {
    const known = kept.get(index)
    if (known) return known
    blocks += 1
    if (blocks > maxBlocks) throw new ReadLimitError('too many parts')
    const block = await source.read(index * BLOCK_BYTES, BLOCK_BYTES)
    kept.set(index, block)
    const [oldest] = kept.keys()
    if (kept.size > KEPT_BLOCKS && oldest !== undefined) kept.delete(oldest)
    return block
  }

  return {
    size: source.size,
    async read(start, length) {
      const end = Math.min(start + length, source.size)
      const parts: Buffer[] = []
      for (let at = start; at < end; ) {
        const index = Math.floor(at / BLOCK_BYTES)
        const block = await blockAt(index)
        const from = at - index * BLOCK_BYTES
        const part = block.subarray(from, from + end - at)
        if (part.length === 0) break
        parts.push(part)
        at += part.length
      }
      return Buffer.concat(parts)
    },
  }
}
