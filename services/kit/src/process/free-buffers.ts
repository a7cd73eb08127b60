import type { Readable } from 'node:stream'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'

type CollectGarbage = (options: { type: 'minor' }) => void

const BYTES_PER_COLLECTION = 4 * 1024 * 1024
let bytes = 0
let collectGarbage: CollectGarbage | undefined

/**
 * Frees the chunks of a large body soon after they have been passed on; call it when the body already flows. Every chunk is a buffer
 * outside of V8's heap, which V8 counts towards its old generation: after some tens of MB it marks its whole heap, which in a process
 * of ordinary size costs more than twice as much as the transfer itself. Collecting the young generation takes a third of a
 * millisecond, and then there is nothing to mark for.
 */
export function freeBuffersOf(body: Readable): void {
  body.on('data', (chunk: Buffer) => {
    bytes += chunk.length
    if (bytes < BYTES_PER_COLLECTION) return
    bytes = 0
    collectGarbage ??= exposeGarbageCollection()
    collectGarbage({ type: 'minor' })
  })
}

/** Does nothing where V8 has no such function (any more): then large bodies cost more, and nothing else. */
function exposeGarbageCollection(): CollectGarbage {
  setFlagsFromString('--expose-gc')
  const collect: unknown = runInNewContext('globalThis.gc')
  setFlagsFromString('--no-expose-gc')
  if (typeof collect === 'function') return collect as CollectGarbage
  process.emitWarning('V8 has no garbage collection on demand: large bodies take more CPU')
  return () => {}
}
