import { setTimeout as delay } from 'node:timers/promises'
import type { Logger } from './logger.ts'
import { createRepeatedLines } from './repeated-lines.ts'

/**
 * Runs `work` now, or with `delayFirst` in `seconds`, and again `seconds` after each run, until stopped. Failures do not stop
 * it; one line a minute reports them. The returned function stops it and waits for a run in progress.
 */
export function repeat(
  name: string,
  seconds: number,
  work: () => Promise<unknown>,
  logger: Logger,
  { delayFirst = false } = {},
): () => Promise<void> {
  const stopping = new AbortController()
  const lines = createRepeatedLines(logger)
  const { signal } = stopping
  const pause = () => delay(seconds * 1000, undefined, { signal }).catch(() => {})
  async function run(): Promise<void> {
    if (delayFirst) await pause()
    while (!signal.aborted) {
      await work().catch((err) => {
        lines.log({ kind: name, level: 'warn', fields: { err, task: name }, message: 'repeated task failed' })
      })
      await pause()
    }
    lines.close()
  }
  const running = run()
  return () => {
    stopping.abort()
    return running
  }
}
