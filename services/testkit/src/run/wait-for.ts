import { setTimeout as delay } from 'node:timers/promises'

/** Waits until the condition returns something truthy, and returns that; an error counts as "not yet". */
export async function waitFor<T>(
  condition: () => T | Promise<T>,
  options: { what: string; timeoutMs?: number },
): Promise<Exclude<T, false | null | undefined | 0 | ''>> {
  const timeoutMs = options.timeoutMs ?? 25_000
  let lastError: unknown
  for (const deadline = Date.now() + timeoutMs; Date.now() < deadline; await delay(10)) {
    try {
      const value = await condition()
      if (value) return value as Exclude<T, false | null | undefined | 0 | ''>
      lastError = undefined
    } catch (error) {
      lastError = error
    }
  }
  throw new Error(`${options.what}: not within ${timeoutMs} ms`, { cause: lastError })
}
