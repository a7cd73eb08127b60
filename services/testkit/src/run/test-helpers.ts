import { type ChildProcess, spawn } from 'node:child_process'
import { createInterface } from 'node:readline'
import { setTimeout as delay } from 'node:timers/promises'
import { GATEWAY_HEADER, IDENTITY_HEADER, type Identity, signIdentity, visitorIdentity } from '@skyfolio/kit'
import { inject } from 'vitest'
import type {} from './global-setup.ts'

/** The servers that the whole run shares. Other files use them at the same time: take a database, a key prefix of your own. */
export function testServers(): { postgresUrl: string; redisUrl: string; natsUrl: string } {
  return inject('servers')
}

export const TEST_IDENTITY_KEYS = ['the-key-that-signs-the-identities-of-tests']
/** The keys of public names and of the cookie of links in tests. */
export const TEST_LINK_KEYS = ['links'.repeat(8)]

/**
 * Headers of a request as the gateway would send it, also to routes that are open to it alone; default: a visitor without
 * a session. Users have just entered their password.
 */
export function identityHeaders(identity: Partial<Identity> = {}): Record<string, string> {
  const confirmedAt = typeof identity.userId === 'number' ? Date.now() : null
  return {
    [GATEWAY_HEADER]: 'test',
    [IDENTITY_HEADER]: signIdentity({ ...visitorIdentity('127.0.0.1'), confirmedAt, ...identity }, TEST_IDENTITY_KEYS),
  }
}

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

/** A script of a test in a process of its own, which the test may kill. */
export interface FixtureProcess {
  process: ChildProcess
  /** Resolves with the signal that ended it, or null. */
  ended: Promise<NodeJS.Signals | null>
  /** Resolves when it prints this line. */
  printed(line: string): Promise<void>
}

/** Runs a script with Node; its standard error is inherited. */
export function runFixture(script: URL, args: string[]): FixtureProcess {
  const child = spawn(process.execPath, [script.pathname, ...args], { stdio: ['ignore', 'pipe', 'inherit'] })
  const lines = createInterface({ input: child.stdout })
  return {
    process: child,
    ended: new Promise((resolve) => child.once('exit', (_code, signal) => resolve(signal))),
    printed: (wanted) => new Promise((resolve) => lines.on('line', (line) => line === wanted && resolve())),
  }
}
