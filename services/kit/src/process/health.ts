export interface Readiness {
  ok: boolean
  /** `ok` or what is wrong, by name of check. */
  checks: Record<string, string>
}

/** Whether this process can take work. */
export interface Health {
  /** Adds a check that rejects while something needed is out of reach. */
  addCheck(name: string, check: () => Promise<void>): void
  readiness(): Promise<Readiness>
  /** From now on: started, so readiness depends on the checks alone. */
  ready(): void
  /** From now on: not ready, for ever. */
  drain(): void
}

const CHECK_TIMEOUT_MS = 2_000

async function outcome(check: () => Promise<void>): Promise<string> {
  const timeout = Promise.withResolvers<never>()
  const timer = setTimeout(() => timeout.reject(new Error(`no answer in ${CHECK_TIMEOUT_MS} ms`)), CHECK_TIMEOUT_MS)
  try {
    await Promise.race([check(), timeout.promise])
    return 'ok'
  } catch (error) {
    return error instanceof Error ? error.message || error.name : String(error)
  } finally {
    clearTimeout(timer)
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
