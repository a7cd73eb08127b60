import type { Item } from './item.ts'

const FIRST_BYTES = 16 * 1024 * 1024
const MIN_BYTES = 2 * 1024 * 1024
const MAX_BYTES = 64 * 1024 * 1024
/** The amount of sending that a broken connection may waste. */
const TARGET_MS = 10_000

/**
 * The size of a request in bytes: small over a slow or unreliable connection, because a broken request is sent again as
 * a whole.
 */
export class RequestSize {
  bytes = FIRST_BYTES

  /** A request of this size took this time. */
  succeeded(bytes: number, ms: number): void {
    const aim = (bytes / Math.max(ms, 1)) * TARGET_MS
    this.bytes = Math.min(Math.max((this.bytes + aim) / 2, MIN_BYTES), MAX_BYTES)
  }

  failed(): void {
    this.bytes = Math.max(this.bytes / 2, MIN_BYTES)
  }
}

/** Takes the files of the next request off the queue: of one batch, within the server's limit and about `bytes`. */
export function takeGroup(queue: Item[], bytes: number): Item[] {
  const first = queue[0]
  if (!first) return []
  let size = 1
  let sum = first.bytes
  while (!first.sendAlone && size < first.batch.filesPerRequest) {
    const next = queue[size]
    if (!next || next.sendAlone || next.batch !== first.batch || sum + next.bytes > bytes) break
    sum += next.bytes
    size += 1
  }
  return queue.splice(0, size)
}

/** The sent bytes of each file after `loaded` of `total` bytes of the request: files are sent one after the other. */
export function bytesSentPerFile(sizes: readonly number[], loaded: number, total: number): number[] {
  const sum = sizes.reduce((all, size) => all + size, 0)
  // A body is longer than its files (form fields, boundaries), so its fraction is applied to the files' bytes.
  let left = total > 0 ? Math.round(Math.min(loaded / total, 1) * sum) : 0
  return sizes.map((size) => {
    const sent = Math.min(size, left)
    left -= sent
    return sent
  })
}
