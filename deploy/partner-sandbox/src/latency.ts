import { setTimeout as delay } from 'node:timers/promises'
import type { Route } from './state/faults.ts'
import { logNormal } from './state/random.ts'
import type { SandboxState } from './state/state.ts'

/** Milliseconds that half of the requests take at most. */
const MEDIANS: Partial<Record<Route, number>> = { stores: 700, submit: 1_500 }
const MEDIAN = 250
const P99 = 8_000
const LONGEST = 30_000

/** Waits as long as the real partner would take, and for the fault `slow`. */
export async function waitLikeThePartner(
  { settings, random }: Pick<SandboxState, 'settings' | 'random'>,
  route: Route,
  slowMs = 0,
): Promise<void> {
  const usual = settings.latency === 'realistic' ? logNormal(random, MEDIANS[route] ?? MEDIAN, P99) : 0
  const ms = Math.min(LONGEST, usual) + slowMs
  if (ms > 0) await delay(ms, undefined, { ref: false })
}
