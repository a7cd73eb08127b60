import { setTimeout as delay } from 'node:timers/promises'
import { say } from './console.ts'

/** A process that runs now. */
export interface Running {
  pid: number
  /** Resolves when it has ended, with the reason in words. */
  exited: Promise<string>
  /** Asks it to end and waits until it has. */
  stop(): Promise<void>
}

const firstPauseMs = 500
const longestPauseMs = 5_000
/** A process that lived this long starts again with the shortest pause. */
const healthyAfterMs = 10_000

/** Keeps one process running: starts it again, with growing pauses, whenever it ends by itself. */
export class Supervised {
  readonly name: string
  readonly #start: () => Promise<Running>
  readonly #changed: () => void
  readonly #stopping = new AbortController()
  #running: Running | undefined
  #loop: Promise<void> | undefined

  /** `changed` is called after every start, with the new process already in place. */
  constructor(name: string, start: () => Promise<Running>, changed: () => void) {
    this.name = name
    this.#start = start
    this.#changed = changed
  }

  get pid(): number | undefined {
    return this.#running?.pid
  }

  /** The first start; throws when even that fails. */
  async begin(): Promise<void> {
    await this.#launch()
    this.#loop = this.#keepRunning()
  }

  async stop(): Promise<void> {
    this.#stopping.abort()
    await this.#running?.stop()
    await this.#loop
  }

  async #launch(): Promise<void> {
    this.#running = await this.#start()
    this.#changed()
    if (this.#stopping.signal.aborted) await this.#running.stop()
  }

  async #keepRunning(): Promise<void> {
    const { signal } = this.#stopping
    let pause = firstPauseMs
    let startedAt = Date.now()
    while (!signal.aborted) {
      const reason = (await this.#running?.exited) ?? 'did not start'
      if (signal.aborted) return
      if (Date.now() - startedAt > healthyAfterMs) pause = firstPauseMs
      say(this.name, `ended (${reason}); starting again in ${pause / 1000} s`)
      await delay(pause, undefined, { signal }).catch(() => undefined)
      pause = Math.min(pause * 2, longestPauseMs)
      if (signal.aborted) return
      startedAt = Date.now()
      this.#running = undefined
      await this.#launch().catch((error: Error) => say(this.name, `could not be started: ${error.message}`))
    }
  }
}
