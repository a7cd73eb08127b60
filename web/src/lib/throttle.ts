/**
 * Throttles `run`: triggers within `gatherMs` cause one run, and the next run starts at least `pauseMs` after the end
 * of the previous one. `stop` cancels a run that has not started.
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
    await run().catch(() => {}) // The next hint triggers what failed again.
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
