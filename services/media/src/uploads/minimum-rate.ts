import type { IncomingMessage } from 'node:http'

export interface PaceLimits {
  /** Milliseconds that an upload may fall behind the least rate. */
  stallMs: number
  /** The least rate, in bytes a second. */
  minRate: number
}

/** Whether the request brings nothing because we do not read, or because all has come. */
export function waitsForUs(request: IncomingMessage): boolean {
  return request.complete || request.isPaused()
}

/**
 * Drops the connection of a request that brings too little: each second costs one of the `stallMs` that it has at most,
 * and each `minRate` bytes give one back. Time in which we do not read does not count. Gives the function that ends it.
 */
export function watchPace(request: IncomingMessage, { stallMs, minRate }: PaceLimits): () => void {
  let left = stallMs
  let at = performance.now()
  let bytes = request.socket.bytesRead
  const timer = setInterval(
    () => {
      const now = performance.now()
      const came = request.socket.bytesRead
      left = waitsForUs(request) ? stallMs : Math.min(stallMs, left - (now - at) + ((came - bytes) * 1000) / minRate)
      at = now
      bytes = came
      if (left <= 0) request.destroy()
    },
    Math.min(1000, stallMs / 4),
  )
  return () => clearInterval(timer)
}
