/**
 * Answers a function that asks for `run`. What is asked within `gatherMs` makes one run; the next one begins no sooner than
 * `pauseMs` after the end of the one before, however often it is asked for. `stop` forgets what has not begun.
 */
export function paced(
  run: () => Promise<unknown>,
  { gatherMs, pauseMs }: { gatherMs: number; pauseMs: number },
): { ask: () => void; stop: () => void } {
  let timer: ReturnType<typeof setTimeout> | undefined
  let running = false
  let again = false
  let restsUntil = 0

  async function go(): Promise<void> {
    timer = undefined
    running = true
    await run().catch(() => {}) // What failed is asked for again by the next hint.
    running = false
    restsUntil = Date.now() + pauseMs
    if (again) ask()
  }

  function ask(): void {
    again = running
    if (running || timer !== undefined) return
    timer = setTimeout(go, Math.max(gatherMs, restsUntil - Date.now()))
  }

  function stop(): void {
    again = false
    clearTimeout(timer)
  }

  return { ask, stop }
}
