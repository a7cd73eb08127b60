import { setTimeout as delay } from 'node:timers/promises'
import type { OrderClient } from './order-client.ts'
import type { Deadline, OrderReport, SubmitAnswer } from './order-report.ts'
import { between, type Random } from './random.ts'

export interface SubmitContext {
  client: OrderClient
  report: OrderReport
  random: Random
  deadline: Deadline
  onSubmit(): void
}

interface Submit {
  key: string
  body: object
  intention: number
}

interface ResponseBody {
  code?: string
  message?: string
  orderId?: number
  vendorOrderId?: string | null
  orderStatus?: string
}

/** Longer than a submit may take. */
const RESPONSE_TIMEOUT_MS = 40_000

/**
 * Sends the same request with the same key after any error, until there is an answer. Null after the deadline, which is
 * an error of the report.
 */
export async function submitUntilAnswered(context: SubmitContext, submit: Submit): Promise<SubmitAnswer | null> {
  const { report, random, deadline, client } = context
  let last = ''
  while (!deadline()) {
    context.onSubmit()
    const response = await client
      .post('/api/walgreens/submit-order', submit.body, { 'idempotency-key': submit.key }, RESPONSE_TIMEOUT_MS)
      .catch((error: Error & { cause?: { code?: string } }) => ({ status: 0, text: error.cause?.code ?? error.name }))
    last = `${response.status} ${response.text.slice(0, 300)}`
    const body = readBody(response)
    const kind = response.status === 0 ? response.text : `${response.status}${body.code ? ` ${body.code}` : ''}`
    report.responses.set(kind, (report.responses.get(kind) ?? 0) + 1)
    // An outage is 502, 503 or 504: 500 is an error that no code expected.
    if (response.status === 500) report.errors.push(`intention ${submit.intention} got ${last}`)
    const outcome = outcomeOf(response.status, body)
    if (outcome === 'unexpected') {
      report.errors.push(`intention ${submit.intention} got ${last}`)
      return null
    }
    if (outcome !== 'retry') {
      const { orderId = null, vendorOrderId = null } = body
      return { key: submit.key, outcome, status: response.status, orderId, vendorOrderId }
    }
    await delay(between(random, 300, 2_000))
  }
  report.errors.push(`intention ${submit.intention} has no answer under ${submit.key}: ${last}`)
  return null
}

function readBody({ status, text }: { status: number; text: string }): ResponseBody {
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
