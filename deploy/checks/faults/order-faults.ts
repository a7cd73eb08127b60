import { setTimeout as delay } from 'node:timers/promises'
import type { LaunchedSystem } from '../../local/launch.ts'
import { waitFor } from '../harness.ts'
import { freezeProcess, inSeconds, killProcess } from './inject.ts'
import type { OrderRecords, SandboxControl } from './order-records.ts'
import { between, type Random, shuffled } from './random.ts'

/** A fault as the control API of the partner sandbox takes it. */
type SandboxFault = { fault: string } & Record<string, string | number>

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

/** Injects the faults of the sandbox, each one once before one is repeated, while the run lasts. */
export async function disturbPartner(
  { call }: SandboxControl,
  random: Random,
  isRunning: () => boolean,
): Promise<void> {
  const submit = SUBMIT_FAULTS.map((fault): SandboxFault => ({ ...fault, route: 'submit' }))
  while (isRunning()) {
    for (const fault of shuffled(random, [...submit, ...OTHER_FAULTS])) {
      await delay(between(random, 400, 1_600))
      const waiting = async () => ((await call('GET', '/faults')) as unknown[]).length
      while (isRunning() && (await waiting()) >= MOST_WAITING) await delay(100)
      if (!isRunning()) break
      const times = fault.seconds ? {} : { times: 1 + Math.floor(random() * 2), probability: PROBABILITY }
      await call('POST', '/faults', { ...fault, ...times })
    }
  }
  await call('DELETE', '/faults')
}

export interface StepContext {
  system: LaunchedSystem
  sandbox: SandboxControl
  pool: OrderRecords['pool']
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
  sandbox.call('POST', '/faults', { fault: 'slow', route, ms, times: 1 })

type Kill = (context: StepContext, position: number) => Promise<boolean>

/** Each kills or suspends print-orders at a step of a submit; false when none got there in time, or the process did not run. */
const KILLS: Record<string, Kill> = {
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
      const query = "SELECT FROM walgreens_orders WHERE id = $1 AND order_status <> 'claimed'"
      const isDecided = async () => Boolean((await context.pool.query(query, [id])).rowCount)
      return (await waitFor(WITHIN_MS, isDecided, 2)) !== null && killProcess(context.system, SERVICE)
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
  let id = 0
  const isNew = async () => {
    id = await newest()
    return id > before
  }
  return (await waitFor(WITHIN_MS, isNew, 3)) !== null && act(id)
}

/** Kills at every step of a submit, each once before one is repeated, while the run lasts. Returns how often each was hit. */
export async function killAtSteps(
  context: StepContext,
  random: Random,
  isRunning: () => boolean,
): Promise<Map<string, number>> {
  const start = Date.now()
  const hits = new Map(Object.keys(KILLS).map((step) => [step, 0]))
  do {
    for (const [step, kill] of shuffled(random, Object.entries(KILLS))) {
      const isHit = await attempt(context, kill, random())
      console.log(`${inSeconds(Date.now() - start).padStart(5)} s  print-orders ${isHit ? '' : 'not '}${step}`)
      if (isHit) hits.set(step, (hits.get(step) ?? 0) + 1)
      await delay(between(random, 3_000, 7_000))
    }
  } while (isRunning())
  return hits
}

async function attempt(context: StepContext, kill: Kill, position: number): Promise<boolean> {
  for (let count = 1; count <= ATTEMPTS; count += 1) {
    await context.untilReady()
    if (await kill(context, position)) return true
  }
  return false
}
