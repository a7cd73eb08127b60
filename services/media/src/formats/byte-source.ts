import { buffer } from 'node:stream/consumers'
import type { ObjectStore } from '@skyfolio/kit'

/** Bytes of which any range can be read. */
export interface ByteSource {
  size: number
  /** `length` bytes from `start`, fewer at the end of the file. */
  read(start: number, length: number): Promise<Buffer>
}

/** An object of the store, read by ranges. @throws when the store is unavailable or the object is missing */
export function objectSource(store: ObjectStore, key: string, size: number): ByteSource {
  return {
    size,
    async read(start, length) {
      const end = Math.min(start + length, size) - 1
      if (start < 0 || end < start) return Buffer.alloc(0)
      const part = await store.get(key, { start, end })
      if (!part) throw new Error(`the object ${key} is missing`)
      return buffer(part.body)
    },
  }
}

export function bufferSource(bytes: Buffer): ByteSource {
  return { size: bytes.length, read: async (start, length) => bytes.subarray(start, start + length) }
}

const BLOCK_BYTES = 65_536
const CACHED_BLOCKS = 8

/** More blocks of a source were read than allowed. */
export class ReadLimitError extends Error {}

/**
 * Reads a source in blocks and caches the latest, since related data is close together.
 * @throws ReadLimitError after `maxBlocks` blocks
 */
export function blockSource(source: ByteSource, maxBlocks: number): ByteSource {
  const cache = new Map<number, Buffer>()
  let blocks = 0

  async function blockAt(index: number): Promise<Buffer> {
    const cached = cache.get(index)
    if (cached) return cached
    blocks += 1
    if (blocks > maxBlocks) throw new ReadLimitError('too many blocks are read')
    const block = await source.read(index * BLOCK_BYTES, BLOCK_BYTES)
    cache.set(index, block)
    const [oldest] = cache.keys()
    if (cache.size > CACHED_BLOCKS && oldest !== undefined) cache.delete(oldest)
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
