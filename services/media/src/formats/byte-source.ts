import { buffer } from 'node:stream/consumers'
import { setImmediate } from 'node:timers/promises'
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
/** What reading a file may cost, in bytes: two million offsets, 2,000 blocks or 100,000 chunks. Cameras' files cost a hundredth. */
const MAX_COST = 8 * 1024 * 1024
/** Of each read, beside its bytes. */
const READ_COST = 64
/** Of a block that was not cached. */
const BLOCK_COST = 4096
/** Other work of the process goes on after this much: a few milliseconds. */
const COST_PER_TURN = 65_536

/** Reading the file costs too much: it has far too many parts, or they overlap. */
export class ReadLimitError extends Error {}

/** What `reading` of a limited source resolves with, or `otherwise` if the file costs too much. @throws all other errors */
export async function withinLimit<T>(reading: Promise<T>, otherwise: T): Promise<T> {
  try {
    return await reading
  } catch (error) {
    if (error instanceof ReadLimitError) return otherwise
    throw error
  }
}

/**
 * Reads a source in blocks and caches the latest, since related data is close together. All bytes cost, cached or not: so
 * the limit bounds everything that a reader iterates, whatever the file says. Other work of the process goes on meanwhile.
 * @throws ReadLimitError when the file costs too much
 */
export function limitedSource(source: ByteSource): ByteSource {
  const cache = new Map<number, Buffer>()
  let cost = 0
  let costAtTurn = 0

  async function pay(bytes: number): Promise<void> {
    cost += bytes
    if (cost > MAX_COST) throw new ReadLimitError('reading the file costs too much')
    if (cost - costAtTurn < COST_PER_TURN) return
    costAtTurn = cost
    await setImmediate()
  }

  async function blockAt(index: number): Promise<Buffer> {
    const cached = cache.get(index)
    if (cached) return cached
    await pay(BLOCK_COST)
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
      await pay(READ_COST + Math.max(0, end - start))
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
