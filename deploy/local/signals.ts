/** A terminal sends Ctrl-C to the whole process group and npm repeats it: only a later signal is a second wish. */
const sameSignalMs = 1500

/**
 * Runs `stop` at the first signal that asks this process to end, and leaves at once at a second one. `stopped` resolves
 * when `stop` is through; `asked` tells whether a signal came.
 */
export function stopOnSignal(stop: () => Promise<void>): { stopped: Promise<void>; asked: () => boolean } {
  let firstAt = 0
  const stopped = new Promise<void>((resolve, reject) => {
    const begin = () => {
      if (firstAt > 0 && Date.now() - firstAt > sameSignalMs) process.exit(130)
      if (firstAt > 0) return
      firstAt = Date.now()
      console.log('\nStopping …')
      stop().then(resolve, reject)
    }
    for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, begin)
  })
  return { stopped, asked: () => firstAt > 0 }
}
