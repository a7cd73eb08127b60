import { within } from './within.ts'

export interface Readiness {
  ok: boolean
  /** `ok` or what is wrong, by name of check. */
  checks: Record<string, string>
}

/** Whether this process can accept work. */
export interface Health {
  /** Adds a check that rejects while a dependency is unavailable. */
  addCheck(name: string, check: () => Promise<void>): void
  readiness(): Promise<Readiness>
  /** Marks the process as started: readiness now depends on the checks alone. */
  ready(): void
  /** Marks the process as draining: never ready again. */
  drain(): void
}

const CHECK_TIMEOUT_MS = 2_000

async function outcome(check: () => Promise<void>): Promise<string> {
  try {
    await within(CHECK_TIMEOUT_MS, check(), () => new Error(`no response in ${CHECK_TIMEOUT_MS} ms`))
    return 'ok'
  } catch (error) {
    return error instanceof Error ? error.message || error.name : String(error)
  }
}

/** A process that is not ready before `ready()` and never again after `drain()`. */
export function createHealth(): Health {
  const checks = new Map<string, () => Promise<void>>()
  let state: 'starting' | 'ok' | 'draining' = 'starting'
  return {
    addCheck: (name, check) => checks.set(name, check),
    ready: () => {
      if (state === 'starting') state = 'ok'
    },
    drain: () => {
      state = 'draining'
    },
    async readiness() {
      const entries = await Promise.all([...checks].map(async ([name, check]) => [name, await outcome(check)] as const))
      const all: Record<string, string> = { process: state, ...Object.fromEntries(entries) }
      return { ok: Object.values(all).every((result) => result === 'ok'), checks: all }
    },
  }
}
