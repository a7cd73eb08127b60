import { setTimeout as delay } from 'node:timers/promises'
import type { SignedInClient } from '../../local/signed-in-client.ts'
import { prepareOrder } from '../../smoke/print-order.ts'
import { seedFolders } from '../load/seed-folders.ts'
import { between, pick, type Random, seededRandom } from './random.ts'
import { createDeadline } from './runner.ts'

/** The final answer to a submit. */
interface SubmitAnswer {
  key: string
  outcome: 'accepted' | 'unknown' | 'refused' | 'changed'
  status: number
  orderId: number | null
  vendorOrderId: string | null
}

/** One order that a person wants, with everything that was sent for it. */
export interface Intention {
  id: number
  userId: number
  /** Unique: says which order of the partner's belongs to it. */
  email: string
  /** Keys under which it was sent; each further one after a definite rejection, or from a second tab at the same time. */
  keys: string[]
  /** Most orders that may come of it: more than one only with several tabs. */
  mostOrders: number
  answers: SubmitAnswer[]
}

/** What the customers of a run observed. */
export interface OrderReport {
  intentions: Intention[]
  /** Count of each response to a submit. */
  responses: Map<string, number>
  /** What no customer should have observed. */
  errors: string[]
}

/** A customer's account, which has photos. */
export interface OrderClient {
  name: string
  userId: number
  photoIds: number[]
  session: SignedInClient
}

export interface OrderLoadOptions {
  url: string
  seed: number
  clients: OrderClient[]
  /** Whether customers still begin new orders. */
  isRunning(): boolean
  /** Called when a submit is sent. */
  onSubmit(): void
}

export const PLACE = { latitude: 46.8384, longitude: -92.0153 }
const PHOTOS = 2
/** How long the last orders may take after the load. */
const FINISH_TIMEOUT_MS = 90_000
/** Longer than a submit may take. */
const RESPONSE_TIMEOUT_MS = 40_000
const CUSTOMERS_PER_USER = 2
const MOST_KEYS = 4

/** Registers an account with photos, which have been printed before: the renderings are not what is tested. */
export async function createOrderClient(url: string, name: string): Promise<OrderClient> {
  const account = { username: name, password: 'a long enough password', firstName: 'Fault', lastName: 'Run' }
  const { owner: session, folders } = await seedFolders(url, account, { folders: 1, photos: PHOTOS })
  const { id: userId } = (await session.call('GET', '/api/user')) as { id: number }
  const photoIds = folders.flatMap((folder) => folder.photos)
  for (const photoId of photoIds) await prepareOrder(session.call, { photoId, ...PLACE })
  return { name, userId, photoIds, session }
}

/** Customers order prints while the run lasts, each one order after another. Resolves when the last one has its answer. */
export async function runOrderLoad(options: OrderLoadOptions): Promise<OrderReport> {
  const report: OrderReport = { intentions: [], responses: new Map(), errors: [] }
  const customers = options.clients.flatMap((client) => Array.from({ length: CUSTOMERS_PER_USER }, () => client))
  const orderRepeatedly = async (client: OrderClient, index: number): Promise<void> => {
    const random = seededRandom(options.seed + 1 + index)
    while (options.isRunning()) {
      const customer = {
        ...options,
        report,
        client,
        random,
        isLate: createDeadline(options.isRunning, FINISH_TIMEOUT_MS),
      }
      await placeOrder(customer, createIntention(report, client))
      await delay(between(random, 50, 600))
    }
  }
  await Promise.all(customers.map(orderRepeatedly))
  return report
}

interface Customer extends OrderLoadOptions {
  report: OrderReport
  client: OrderClient
  random: Random
  /** Whether it is too late to try again: the run has ended some time ago. */
  isLate(): boolean
}

function createIntention({ intentions }: OrderReport, { userId }: OrderClient): Intention {
  const id = intentions.length + 1
  const email = `intention-${id}@example.com`
  const intention: Intention = { id, userId, email, keys: [], mostOrders: 1, answers: [] }
  intentions.push(intention)
  return intention
}

/** One intention, until the person knows what became of it. */
async function placeOrder(customer: Customer, intention: Intention): Promise<void> {
  const { random } = customer
  const print = { photoId: pick(random, customer.client.photoIds), quantity: 1 + Math.floor(random() ** 3 * 45) }
  while (intention.keys.length < MOST_KEYS) {
    const body = await prepare(customer, intention, print)
    if (!body) return
    const chance = random()
    const first = nextKey(customer, intention)
    // Once, by a double click, or from two tabs at the same time.
    const keys = chance < 0.55 ? [first] : chance < 0.85 ? [first, first] : [first, nextKey(customer, intention)]
    if (chance >= 0.85) intention.mostOrders = 2
    const outcome = await submit(customer, intention, keys, body)
    if (outcome === 'accepted' || outcome === 'none') return
    if (outcome === 'unknown') {
      if (random() < 0.5) return
      // A person who has been told not to order again sometimes does: with the same key, or as a new order.
      const key = random() < 0.5 ? first : nextKey(customer, intention)
      await submit(customer, intention, [key], body)
      return
    }
    // Rejected, or other figures: the person acts again, or leaves it at that.
    if (outcome === 'refused' && random() < 0.3) return
  }
}

function nextKey({ seed }: Customer, { id, keys }: Intention): string {
  const key = `key-${seed}-${id}-${keys.length}`
  keys.push(key)
  return key
}

/** What the wizard reads before a submit, repeatedly after errors. Null after the deadline, which is an error of the report. */
async function prepare(
  { client, report, isLate }: Customer,
  { id, email }: Intention,
  print: { photoId: number; quantity: number },
): Promise<object | null> {
  const customer = { firstName: 'Fault', lastName: 'Run', phone: '2185550100', email }
  for (;;) {
    try {
      return await prepareOrder(client.session.call, { ...print, ...PLACE, customer })
    } catch (error) {
      if (isLate()) {
        report.errors.push(`${client.name} could not prepare intention ${id}: ${error}`)
        return null
      }
      await delay(700)
    }
  }
}

/** The answer that counts for the person, when several windows show different ones. */
const ORDER_OF_OUTCOMES = ['accepted', 'unknown', 'refused', 'changed'] as const

/** Sends an order under each of the keys, shortly after each other. `none`: one of them was never answered. */
async function submit(customer: Customer, intention: Intention, keys: string[], body: object) {
  const send = async (key: string, index: number): Promise<SubmitAnswer | null> => {
    await delay(index * between(customer.random, 0, 300))
    return submitUntilAnswered(customer, intention.id, key, body)
  }
  const answers = (await Promise.all(keys.map(send))).filter((answer) => answer !== null)
  intention.answers.push(...answers)
  if (answers.length < keys.length) return 'none'
  return ORDER_OF_OUTCOMES.find((outcome) => answers.some((answer) => answer.outcome === outcome)) ?? 'none'
}

interface ResponseBody {
  code?: string
  orderId?: number
  vendorOrderId?: string | null
  orderStatus?: string
}

/**
 * Sends the same request with the same key after any error, until there is an answer. Null after the deadline, or for an
 * answer that nobody should get: an error of the report.
 */
async function submitUntilAnswered(
  { report, random, client, url, isLate, onSubmit }: Customer,
  intention: number,
  key: string,
  body: object,
): Promise<SubmitAnswer | null> {
  let last = ''
  while (!isLate()) {
    onSubmit()
    const { status, text } = await send(url, client.session.cookie, key, body)
    last = `${status} ${text.slice(0, 300)}`
    const response = readBody(status, text)
    const kind = status === 0 ? text : `${status} ${response.code ?? ''}`.trim()
    report.responses.set(kind, (report.responses.get(kind) ?? 0) + 1)
    // An outage is 502, 503 or 504: 500 is an error that no code expected.
    if (status === 500) report.errors.push(`intention ${intention} got ${last}`)
    const outcome = outcomeOf(status, response)
    if (outcome === 'unexpected') {
      report.errors.push(`intention ${intention} got ${last}`)
      return null
    }
    const { orderId = null, vendorOrderId = null } = response
    if (outcome !== 'retry') return { key, outcome, status, orderId, vendorOrderId }
    await delay(between(random, 300, 2_000))
  }
  report.errors.push(`intention ${intention} has no answer under ${key}: ${last}`)
  return null
}

/** Status 0: there was no response. */
async function send(url: string, cookie: string, key: string, body: object): Promise<{ status: number; text: string }> {
  try {
    const response = await fetch(`${url}/api/walgreens/submit-order`, {
      method: 'POST',
      headers: { cookie, origin: url, 'content-type': 'application/json', 'idempotency-key': key },
      body: JSON.stringify(body),
      signal: AbortSignal.timeout(RESPONSE_TIMEOUT_MS),
    })
    return { status: response.status, text: await response.text() }
  } catch (error) {
    const { cause, name } = error as Error & { cause?: { code?: string } }
    return { status: 0, text: cause?.code ?? name }
  }
}

function readBody(status: number, text: string): ResponseBody {
  if (status === 0) return {}
  try {
    return JSON.parse(text) as ResponseBody
  } catch {
    return {}
  }
}

function outcomeOf(status: number, { code, vendorOrderId, orderStatus }: ResponseBody) {
  if (status === 200 || status === 201) return vendorOrderId ? 'accepted' : 'unexpected'
  if (status === 202) return orderStatus === 'unknown' ? 'unknown' : 'unexpected'
  if (status === 422) return 'refused'
  if (status === 409 && code === 'order_changed') return 'changed'
  if (status === 409 && code === 'order_unresolved') return 'unknown'
  return status === 0 || status === 429 || status >= 500 ? 'retry' : 'unexpected'
}
