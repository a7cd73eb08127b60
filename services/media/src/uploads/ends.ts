import type { Readable } from 'node:stream'

/** What is read of most originals to inspect them: the first block, and the last bytes of a file that has more. */
export interface Ends {
  head: Buffer
  tail: Buffer
}

export const BLOCK_BYTES = 65_536
/** With the end marker of a JPEG. */
export const TAIL_BYTES = 2

/**
 * Copies the ends of a body that something else reads, from its first byte on. Returns a function that gives them once the body has
 * passed, or null when not all of its `size` bytes were seen.
 */
export function copyEnds(body: Readable, size: number): () => Ends | null {
  const head = Buffer.alloc(Math.min(size, BLOCK_BYTES))
  const tail = Buffer.alloc(size > BLOCK_BYTES ? TAIL_BYTES : 0)
  let at = 0
  const copy = (chunk: Buffer) => {
    if (at < head.length) chunk.copy(head, at)
    const tailStart = size - tail.length - at
    if (tailStart < chunk.length) chunk.copy(tail, Math.max(0, -tailStart), Math.max(0, tailStart))
    at += chunk.length
  }
  // Not before: who listens to data makes it flow.
  body.once('resume', () => body.on('data', copy))
  return () => (at === size ? { head, tail } : null)
}
