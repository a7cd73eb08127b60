export interface Pacer {
  /** Calls `proceed` at once, or in one of the next iterations when `key` has moved its bytes of this one. */
  take(key: string, bytes: number, proceed: () => void): void
  /** A client has connected: another one may wait, so the next iteration is to be short. */
  noteConnection(): void
}

/** Bytes of one key in an iteration. */
export interface PacerOptions {
  bytes: number
  /** After an iteration in which a client connected. */
  bytesWhileConnecting: number
}

interface Waiting {
  key: string
  bytes: number
  proceed: () => void
}

/**
 * Bounds how many bytes one key moves in each iteration of the event loop. Node accepts one connection in an iteration: hundreds
 * of large responses to one client, each with a piece in every iteration, would make new clients wait for seconds.
 */
export function createPacer({ bytes: most, bytesWhileConnecting }: PacerOptions): Pacer {
  const movedBy = new Map<string, number>()
  let waiting: Waiting[] = []
  let isScheduled = false
  let isConnecting = false
  let limit = most

  function scheduleIteration(): void {
    if (!isScheduled) setImmediate(beginIteration)
    isScheduled = true
  }

  function beginIteration(): void {
    isScheduled = false
    limit = isConnecting ? bytesWhileConnecting : most
    isConnecting = false
    movedBy.clear()
    const items = waiting
    waiting = []
    for (const { key, bytes, proceed } of items) take(key, bytes, proceed)
  }

  function take(key: string, bytes: number, proceed: () => void): void {
    const moved = movedBy.get(key) ?? 0
    scheduleIteration()
    if (moved >= limit) {
      waiting.push({ key, bytes, proceed })
      return
    }
    movedBy.set(key, moved + bytes)
    proceed()
  }

  return {
    take,
    noteConnection: () => {
      isConnecting = true
    },
  }
}
