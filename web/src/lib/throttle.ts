/**
 * Answers a function that asks for `run`. What is asked within `gatherMs` makes one run; the next one begins no sooner than
 * `pauseMs` after the end of the one before, however often it is asked for. `stop` forgets what has not begun.
 */
export function throttle(
  run: () => Promise<unknown>,
  { gatherMs, pauseMs }: { gatherMs: number; pauseMs: number },
): { trigger: () => void; stop: () => void } {
  let timer: ReturnType<typeof setTimeout> | undefined
  let running = false
  let again = false
  let pauseEnds = 0

  async function execute(): Promise<void> {
    timer = undefined
    running = true
    await run().catch(() => {}) // What failed is asked for again by the next hint.
    running = false
    pauseEnds = Date.now() + pauseMs
    if (again) trigger()
  }

  function trigger(): void {
    again = running
    if (running || timer !== undefined) return
    timer = setTimeout(execute, Math.max(gatherMs, pauseEnds - Date.now()))
  }

  function stop(): void {
    again = false
    clearTimeout(timer)
  }

  return { trigger, stop }
}
