import type { IncomingMessage } from 'node:http'

export interface MinimumRateOptions {
  /** Milliseconds that an upload may fall behind the minimum rate. */
  stallMs: number
  /** The minimum rate, in bytes per second. */
  minRate: number
}

/**
 * Ends a request that falls `stallMs` behind the minimum rate, by default by destroying it: each second costs one second
 * of the allowance, and each `minRate` bytes restore one, up to `stallMs`. Time in which the server does not read does not
 * count. Returns a function that stops the check.
 */
export function enforceMinimumRate(
  request: IncomingMessage,
  { stallMs, minRate }: MinimumRateOptions,
  end: () => void = () => request.destroy(),
): () => void {
  let allowance = stallMs
  let checkedAt = performance.now()
  let bytesBefore = request.socket.bytesRead
  const timer = setInterval(
    () => {
      const now = performance.now()
      const bytes = request.socket.bytesRead
      const change = ((bytes - bytesBefore) * 1000) / minRate - (now - checkedAt)
      allowance = isWaitingForServer(request) ? stallMs : Math.min(stallMs, allowance + change)
      checkedAt = now
      bytesBefore = bytes
      if (allowance <= 0) end()
    },
    Math.min(1000, stallMs / 4),
  )
  return () => clearInterval(timer)
}

/** Whether no data arrives because the server does not read, or because the request is complete. */
export function isWaitingForServer(request: IncomingMessage): boolean {
  return request.complete || request.isPaused()
}
