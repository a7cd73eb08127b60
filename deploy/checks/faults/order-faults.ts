import { setTimeout as delay } from 'node:timers/promises'
import type { openPool } from '@skyfolio/kit/database'
import type { LaunchedSystem } from '../../local/launch.ts'
import { freezeProcess, killProcess } from './inject.ts'
import { between, type Random, shuffled } from './random.ts'
import type { SandboxControl, SandboxFault } from './sandbox-control.ts'

/** Where in a submit print-orders is killed or suspended. */
export const STEPS = [
  'before the claim',
  'after the claim',
  'during the call',
  'after the response, before its commit',
  'after the commit',
  'suspended during the call',
] as const
export type Step = (typeof STEPS)[number]

export interface StepFault {
  atMs: number
  step: Step
  /** Position in the time that the step lasts, from 0 to 1. */
  position: number
}

export interface TimedSandboxFault {
  atMs: number
  fault: SandboxFault
}

/** No fault is injected at the end of the load, so that some of it runs against a recovering system. */
const QUIET_END_MS = 4_000

/** Plans kills at every step of a submit, each step once before one is repeated. */
export function planSteps(random: Random, ms: number): StepFault[] {
  const faults: StepFault[] = []
  let atMs = between(random, 500, 3_000)
  while (atMs < ms - QUIET_END_MS) {
    for (const step of shuffled(random, STEPS)) {
      if (atMs < ms - QUIET_END_MS) faults.push({ atMs, step, position: random() })
      atMs += between(random, 5_000, 9_000)
    }
  }
  return faults
}

/** What the partner does wrong with an order, and with what is read before it. */
const SUBMIT_FAULTS: SandboxFault[] = [
  { fault: 'commit-then-drop' },
  { fault: 'hang', when: 'before' },
  { fault: 'hang', when: 'after' },
  { fault: 'reset', when: 'before' },
  { fault: 'reset', when: 'after' },
  { fault: 'http-500', when: 'before' },
  { fault: 'http-502', when: 'after' },
  { fault: 'http-503', when: 'after' },
  { fault: 'http-429', when: 'before' },
  { fault: 'html', when: 'after' },
  { fault: 'truncated-json' },
  { fault: 'broken-body' },
  { fault: 'empty-body' },
  { fault: 'no-order-number' },
  { fault: 'number-fields' },
  { fault: '112', when: 'before' },
  { fault: '659', when: 'before' },
  { fault: '851', when: 'before' },
  { fault: '2003', when: 'before' },
  { fault: 'error', when: 'before', code: '9404', text: 'SIM: the lab is closed' },
]
const OTHER_FAULTS: SandboxFault[] = [
  { fault: 'connection-refused', seconds: 1 },
  { fault: 'reset', route: 'products' },
  { fault: 'http-503', route: 'stores' },
  { fault: 'truncated-json', route: 'stores' },
  { fault: 'promise-time-changed', route: 'stores' },
  { fault: 'price-change', route: 'products' },
  { fault: 'hang', route: 'status' },
  { fault: 'unknown-status', route: 'status' },
  { fault: 'missing-ids', route: 'status' },
  { fault: 'error', route: 'status', code: '9500', text: 'SIM: no status' },
]

/** So that many requests succeed while faults wait. */
const PROBABILITY = 0.2
const MOST_WAITING = 2

/** Plans the faults of the partner sandbox; each one once before one is repeated. */
export function planSandboxFaults(random: Random, ms: number): TimedSandboxFault[] {
  const faults: TimedSandboxFault[] = []
  let atMs = between(random, 200, 1_000)
  const submit = SUBMIT_FAULTS.map((fault): SandboxFault => ({ ...fault, route: 'submit' }))
  while (atMs < ms - QUIET_END_MS) {
    for (const fault of shuffled(random, [...submit, ...OTHER_FAULTS])) {
      const times = fault.seconds ? {} : { times: 1 + Math.floor(random() * 2), probability: PROBABILITY }
      if (atMs < ms - QUIET_END_MS) faults.push({ atMs, fault: { ...fault, ...times } })
      atMs += between(random, 400, 1_600)
    }
  }
  return faults
}

export interface StepContext {
  system: LaunchedSystem
  sandbox: SandboxControl
  pool: ReturnType<typeof openPool>
  /** Resolves when a customer sends the next submit. */
  nextSubmit(): Promise<void>
  /** Resolves when print-orders is ready, or after some time. */
  untilReady(): Promise<unknown>
}

const SERVICE = 'print-orders'
/** How long a submit may take to get to a step. */
const WITHIN_MS = 10_000
const SLOW_MS = 1_200
const ATTEMPTS = 4

const slow = ({ sandbox }: StepContext, route: 'stores' | 'submit', ms: number) =>
  sandbox.addFault({ fault: 'slow', route, ms, times: 1 })

type Kill = (context: StepContext, position: number) => Promise<boolean>

/** Each kills or suspends print-orders at a step; false when no submit got there in time, or the process did not run. */
const KILLS: Record<Step, Kill> = {
  async 'before the claim'(context, position) {
    await slow(context, 'stores', SLOW_MS)
    if (!(await within(context.nextSubmit()))) return false
    await delay(position * SLOW_MS)
    return killProcess(context.system, SERVICE)
  },

  'after the claim': (context) => atClaim(context, () => killProcess(context.system, SERVICE)),

  async 'during the call'(context, position) {
    await slow(context, 'submit', SLOW_MS)
    return atClaim(context, async () => {
      await delay(position * SLOW_MS)
      return killProcess(context.system, SERVICE)
    })
  },

  async 'after the response, before its commit'(context, position) {
    await slow(context, 'submit', SLOW_MS / 3)
    // The response arrives while the database does not respond, so that the outcome cannot be stored.
    return atClaim(context, async () => {
      const thawed = freezeProcess(context.system, 'postgres', SLOW_MS)
      await delay(SLOW_MS / 2 + (position * SLOW_MS) / 3)
      const isKilled = await killProcess(context.system, SERVICE)
      await thawed
      return isKilled
    })
  },

  'after the commit': (context) =>
    atClaim(context, async (id) => {
      if (!(await isDecided(context, id))) return false
      return killProcess(context.system, SERVICE)
    }),

  async 'suspended during the call'(context, position) {
    await slow(context, 'submit', SLOW_MS)
    return atClaim(context, () => freezeProcess(context.system, SERVICE, 1_000 + position * 5_000))
  },
}

function within(event: Promise<void>): Promise<boolean> {
  return Promise.race([event.then(() => true), delay(WITHIN_MS, false)])
}

/** Waits for a new claim in the database, then calls `act` with its id at once. */
async function atClaim({ pool }: StepContext, act: (id: number) => Promise<boolean>): Promise<boolean> {
  const newest = async () => {
    const { rows } = await pool.query("SELECT max(id) AS id FROM walgreens_orders WHERE order_status = 'claimed'")
    return Number(rows[0]?.id ?? 0)
  }
  const before = await newest().catch(() => 0)
  for (const deadline = Date.now() + WITHIN_MS; Date.now() < deadline; await delay(3)) {
    const id = await newest().catch(() => 0)
    if (id > before) return act(id)
  }
  return false
}

/** Waits until an order is no longer a claim; false if that takes too long. */
async function isDecided({ pool }: StepContext, id: number): Promise<boolean> {
  const query = "SELECT FROM walgreens_orders WHERE id = $1 AND order_status <> 'claimed'"
  for (const deadline = Date.now() + WITHIN_MS; Date.now() < deadline; await delay(2)) {
    const { rowCount } = await pool.query(query, [id]).catch(() => ({ rowCount: 0 }))
    if (rowCount) return true
  }
  return false
}

/** Kills at the steps, one after the other, each when print-orders is ready again. Returns how often a step was hit. */
export async function killAtSteps(context: StepContext, steps: StepFault[]): Promise<Map<Step, number>> {
  const start = Date.now()
  const hits = new Map<Step, number>()
  for (const { atMs, step, position } of steps) {
    await delay(Math.max(0, atMs - (Date.now() - start)))
    let isHit = false
    for (let attempt = 1; attempt <= ATTEMPTS && !isHit; attempt += 1) {
      await context.untilReady()
      isHit = await KILLS[step](context, position)
      const seconds = ((Date.now() - start) / 1000).toFixed(1).padStart(5)
      console.log(`${seconds} s  print-orders ${isHit ? step : `not ${step}: no submit got there`}`)
      if (isHit) hits.set(step, (hits.get(step) ?? 0) + 1)
    }
  }
  return hits
}

/** Injects the faults of the sandbox at their times, or when earlier ones have hit, while the run lasts. */
export async function disturbPartner(
  sandbox: SandboxControl,
  faults: TimedSandboxFault[],
  isRunning: () => boolean,
): Promise<void> {
  const start = Date.now()
  for (const { atMs, fault } of faults) {
    await delay(Math.max(0, atMs - (Date.now() - start)))
    while (isRunning() && (await sandbox.waitingFaults()) >= MOST_WAITING) await delay(100)
    if (isRunning()) await sandbox.addFault(fault)
  }
}
