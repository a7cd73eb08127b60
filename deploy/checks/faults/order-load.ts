import { setTimeout as delay } from 'node:timers/promises'
import type { OrderClient, Print } from './order-client.ts'
import type { Deadline, Intention, OrderReport, SubmitAnswer } from './order-report.ts'
import { submitUntilAnswered } from './order-submit.ts'
import { between, type Random, seededRandom } from './random.ts'

export interface OrderLoadOptions {
  seed: number
  clients: OrderClient[]
  /** Whether customers still begin new orders. */
  isRunning(): boolean
  /** Called when a submit is sent. */
  onSubmit(): void
}

/** How long the last orders may take after the load. */
const FINISH_TIMEOUT_MS = 90_000
const CUSTOMERS_PER_USER = 2
const MOST_KEYS = 4

/** Customers order prints while the run lasts, each one order after another. Resolves when the last one has its answer. */
export async function runOrderLoad(options: OrderLoadOptions): Promise<OrderReport> {
  const report: OrderReport = { intentions: [], responses: new Map(), errors: [] }
  const customers = options.clients.flatMap((client) => Array.from({ length: CUSTOMERS_PER_USER }, () => client))
  await Promise.all(customers.map((client, index) => orderRepeatedly({ ...options, report }, client, index)))
  return report
}

interface Run extends OrderLoadOptions {
  report: OrderReport
}

async function orderRepeatedly(run: Run, client: OrderClient, index: number): Promise<void> {
  const random = seededRandom(run.seed + 1 + index)
  while (run.isRunning()) {
    await placeOrder(run, client, random)
    await delay(between(random, 50, 600))
  }
}

function createDeadline({ isRunning }: Run): Deadline {
  let lastRunning = Date.now()
  return () => {
    if (isRunning()) lastRunning = Date.now()
    return Date.now() - lastRunning > FINISH_TIMEOUT_MS
  }
}

/** One intention, until the person knows what became of it. */
async function placeOrder(run: Run, client: OrderClient, random: Random): Promise<void> {
  const id = run.report.intentions.length + 1
  const intention: Intention = {
    id,
    userId: client.userId,
    email: `intention-${id}@example.com`,
    keys: [],
    mostOrders: 1,
    answers: [],
  }
  run.report.intentions.push(intention)
  const prints = choosePrints(client, random)
  const deadline = createDeadline(run)
  const couponCode = random() < 0.2 ? 'PRINT25' : undefined
  while (intention.keys.length < MOST_KEYS) {
    const figures = await client.readFigures(prints, couponCode, deadline).catch((error: Error) => {
      run.report.errors.push(`${client.name} got no figures for intention ${id}: ${error.message}`)
    })
    if (!figures) return
    const body = client.createBody(figures, { prints, couponCode, email: intention.email })
    const outcome = await submit(run, client, intention, { body, random, deadline })
    if (outcome === 'accepted' || outcome === 'none') return
    if (outcome === 'unknown') return repeatUnknown(run, client, intention, { body, random, deadline })
    // Rejected, or other figures: the person acts again, or leaves it at that.
    if (outcome === 'refused' && random() < 0.3) return
  }
}

interface Attempt {
  body: object
  random: Random
  deadline: Deadline
}

type Outcome = SubmitAnswer['outcome'] | 'none'

/** Sends an order once, by a double click, or from two tabs at the same time. */
async function submit(run: Run, client: OrderClient, intention: Intention, attempt: Attempt): Promise<Outcome> {
  const { body, random, deadline } = attempt
  const nextKey = () => {
    const key = `key-${run.seed}-${intention.id}-${intention.keys.length}`
    intention.keys.push(key)
    return key
  }
  const first = nextKey()
  const chance = random()
  const keys = chance < 0.55 ? [first] : chance < 0.85 ? [first, first] : [first, nextKey()]
  if (chance >= 0.85) intention.mostOrders = 2
  const send = async (key: string, index: number): Promise<SubmitAnswer | null> => {
    await delay(index * between(random, 0, 300))
    return submitUntilAnswered({ ...run, client, random, deadline }, { key, body, intention: intention.id })
  }
  const answers = (await Promise.all(keys.map(send))).filter((answer) => answer !== null)
  intention.answers.push(...answers)
  if (answers.length < keys.length) return 'none'
  return ORDER_OF_OUTCOMES.find((outcome) => answers.some((answer) => answer.outcome === outcome)) ?? 'none'
}

/** The answer that counts for the person, when several windows show different ones. */
const ORDER_OF_OUTCOMES = ['accepted', 'unknown', 'refused', 'changed'] as const

/** A person who has been told not to order again sometimes does: with the same key, or as a new order. */
async function repeatUnknown(
  run: Run,
  client: OrderClient,
  intention: Intention,
  { body, random, deadline }: Attempt,
): Promise<void> {
  if (random() < 0.5) return
  const isNew = random() < 0.5
  const key = isNew ? `key-${run.seed}-${intention.id}-again` : (intention.keys[0] ?? '')
  if (isNew) intention.keys.push(key)
  await delay(between(random, 0, 1_000))
  const answer = await submitUntilAnswered({ ...run, client, random, deadline }, { key, body, intention: intention.id })
  if (answer) intention.answers.push(answer)
}

function choosePrints({ photoIds, productIds }: OrderClient, random: Random): Print[] {
  const count = 1 + Math.floor(random() * 3)
  const pick = <T>(values: readonly T[]): T => values[Math.floor(random() * values.length)] as T
  const prints = Array.from({ length: count }, () => ({
    photoId: pick(photoIds),
    productId: pick(productIds),
    quantity: 1 + Math.floor(random() ** 3 * 45),
  }))
  // One entry for each photo and size.
  return [...new Map(prints.map((print) => [`${print.photoId} ${print.productId}`, print])).values()]
}
