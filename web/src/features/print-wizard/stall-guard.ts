/** Aborts work that shows no progress. */
export interface StallGuard {
  signal: AbortSignal
  /** To be called at each progress. */
  progress(): void
  stop(): void
}

/** A guard that aborts after this time without progress. */
export function stallGuard(ms: number): StallGuard {
  const controller = new AbortController()
  const abort = () => controller.abort(new Error('The work shows no progress'))
  let timer = setTimeout(abort, ms)
  return {
    signal: controller.signal,
    progress() {
      clearTimeout(timer)
      timer = setTimeout(abort, ms)
    },
    stop: () => clearTimeout(timer),
  }
}
