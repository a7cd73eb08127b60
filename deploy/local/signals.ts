/** A terminal sends Ctrl-C to the whole process group and npm repeats it: only a later signal counts as a second one. */
const SAME_SIGNAL_MS = 1500

/**
 * Runs `stop` at the first signal that ends a process, and exits at once at a second one. `stopped` resolves when `stop`
 * is done; `isStopping` says whether a signal has come.
 */
export function stopOnSignal(stop: () => Promise<void>): { stopped: Promise<void>; isStopping: () => boolean } {
  let firstAt = 0
  const stopped = new Promise<void>((resolve, reject) => {
    const onSignal = () => {
      if (firstAt > 0 && Date.now() - firstAt > SAME_SIGNAL_MS) process.exit(130)
      if (firstAt > 0) return
      firstAt = Date.now()
      console.log('\nStopping …')
      stop().then(resolve, reject)
    }
    for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, onSignal)
  })
  return { stopped, isStopping: () => firstAt > 0 }
}
