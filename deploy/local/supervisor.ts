import { setTimeout as delay } from 'node:timers/promises'
import { printLine } from './console.ts'

export interface RunningProcess {
  pid: number
  /** Resolves when it has ended, with the reason in words. */
  exited: Promise<string>
  /** Asks it to exit and waits until it has. */
  stop(): Promise<void>
}

const FIRST_PAUSE_MS = 500
const LONGEST_PAUSE_MS = 5_000
/** After this time a process counts as healthy: its next restart has the shortest pause again. */
const HEALTHY_AFTER_MS = 10_000

/** Keeps one process running: restarts it, with growing pauses, whenever it ends by itself. */
export class ProcessSupervisor {
  readonly name: string
  readonly #start: () => Promise<RunningProcess>
  readonly #onStart: () => void
  readonly #stopping = new AbortController()
  #running: RunningProcess | undefined
  #loop: Promise<void> | undefined

  /** `onStart` is called after every start, when `pid` is that of the new process. */
  constructor(name: string, start: () => Promise<RunningProcess>, onStart: () => void) {
    this.name = name
    this.#start = start
    this.#onStart = onStart
  }

  get pid(): number | undefined {
    return this.#running?.pid
  }

  /** @throws when the first start fails */
  async start(): Promise<void> {
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
    this.#onStart()
    if (this.#stopping.signal.aborted) await this.#running.stop()
  }

  async #keepRunning(): Promise<void> {
    const { signal } = this.#stopping
    let pause = FIRST_PAUSE_MS
    let startedAt = Date.now()
    while (!signal.aborted) {
      const reason = (await this.#running?.exited) ?? 'did not start'
      if (signal.aborted) return
      if (Date.now() - startedAt > HEALTHY_AFTER_MS) pause = FIRST_PAUSE_MS
      printLine(this.name, `ended (${reason}), restarting in ${pause / 1000} s`)
      await delay(pause, undefined, { signal }).catch(() => undefined)
      pause = Math.min(pause * 2, LONGEST_PAUSE_MS)
      if (signal.aborted) return
      startedAt = Date.now()
      this.#running = undefined
      await this.#launch().catch((error: Error) => printLine(this.name, `start failed: ${error.message}`))
    }
  }
}
