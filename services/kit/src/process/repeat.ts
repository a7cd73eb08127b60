import { setTimeout as delay } from 'node:timers/promises'
import type { Logger } from './logger.ts'

/**
 * Runs `work` now, or with `delayFirst` in `seconds`, and again `seconds` after each run, until stopped. Failures are logged
 * and do not stop it. The returned function stops it and waits for a run in progress.
 */
export function repeat(
  name: string,
  seconds: number,
  work: () => Promise<unknown>,
  logger: Logger,
  { delayFirst = false } = {},
): () => Promise<void> {
  const stopping = new AbortController()
  const { signal } = stopping
  const pause = () => delay(seconds * 1000, undefined, { signal }).catch(() => {})
  async function run(): Promise<void> {
    if (delayFirst) await pause()
    while (!signal.aborted) {
      await work().catch((error) => logger.warn({ err: error, task: name }, 'repeated task failed'))
      await pause()
    }
  }
  const running = run()
  return () => {
    stopping.abort()
    return running
  }
}
