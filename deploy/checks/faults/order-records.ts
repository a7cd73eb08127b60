import { openPool } from '@skyfolio/kit/database'
import type { RuntimeState } from '../../local/runtime-file.ts'

/** An order as the service has stored it. */
export interface OrderRow {
  id: number
  userId: number
  status: string
  vendorOrderId: string | null
  email: string
  key: string | null
}

export type OrderRecords = ReturnType<typeof openOrderRecords>

/** What print-orders has stored. */
export function openOrderRecords({ env }: RuntimeState) {
  const pool = openPool(env['print-orders']?.DATABASE_URL ?? '', { max: 3 })
  return {
    pool,
    async rows(): Promise<OrderRow[]> {
      const { rows } = await pool.query<OrderRow & Record<string, never>>(
        `SELECT id, user_id AS "userId", order_status AS status, vendor_order_id AS "vendorOrderId",
           customer_email AS email, idempotency_key AS key FROM walgreens_orders ORDER BY id`,
      )
      return rows
    },
    /** How many events wait to be published. */
    async unpublished(): Promise<number> {
      const { rows } = await pool.query('SELECT count(*)::int AS count FROM outbox WHERE published_at IS NULL')
      return Number(rows[0]?.count)
    },
    close: () => pool.end(),
  }
}

/** An order at the partner sandbox. */
export interface SandboxOrder {
  vendorOrderId: string
  customer: { email: string }
  stage: string
}

const TIMEOUT_MS = 40_000
const MOST_ORDERS = 100_000

export type SandboxControl = ReturnType<typeof sandboxControl>

/** The control API of the partner sandbox (deploy/partner-sandbox). */
export function sandboxControl({ partnerSandbox }: RuntimeState) {
  async function call(method: string, path: string, body?: object): Promise<unknown> {
    const response = await fetch(`${partnerSandbox?.controlUrl}${path}`, {
      method,
      ...(body && { body: JSON.stringify(body) }),
      headers: {
        authorization: `Bearer ${partnerSandbox?.controlKey}`,
        ...(body && { 'content-type': 'application/json' }),
      },
      signal: AbortSignal.timeout(TIMEOUT_MS),
    })
    const text = await response.text()
    if (!response.ok) throw new Error(`the sandbox answered ${method} ${path} with ${response.status}: ${text}`)
    return text ? JSON.parse(text) : undefined
  }
  return {
    call,
    orders: () => call('GET', `/orders?limit=${MOST_ORDERS}`) as Promise<SandboxOrder[]>,
  }
}
