import { type Logger, metrics } from '@skyfolio/kit'
import type { Pool } from 'pg'
import type { Database } from '../database.ts'
import { applyStatus } from '../orders/change-order.ts'
import type { StatusEntry } from '../partner/types.ts'
import type { DueOrder } from './due-orders.ts'
import { type ReportedStatus, statusOfText } from './partner-status.ts'

const unknownTexts = metrics.counter(
  'skyfolio_order_status_unknown_texts_total',
  'Status texts of the partner that are not known, once for each order and text',
)
const unreported = metrics.counter(
  'skyfolio_order_status_unreported_total',
  'Status requests for an order that the partner left out of its response or called invalid',
  ['reason'],
)

export interface ReportDeps {
  db: Database
  pool: Pool
  logger: Logger
}

/** Notes in the history of an order, each at most once. */
const NOTES = {
  missing: 'The store did not report this order when asked.',
  invalid: 'The store did not find this order when asked.',
}

/** The partner's text is kept this long. */
const TEXT_LENGTH = 200

/**
 * Applies what the partner reported about orders, which never go backwards: what is unknown, missing or invalid changes
 * nothing. Sets `orderStatus` of the given orders. Returns whether an order changed.
 */
export async function applyReports(deps: ReportDeps, orders: DueOrder[], entries: StatusEntry[]): Promise<boolean> {
  const byNumber = new Map(entries.map((entry) => [entry.vendorOrderId, entry]))
  let hasChanged = false
  for (const order of orders) {
    const entry = byNumber.get(order.vendorOrderId)
    if (!entry || entry.orderStatus === null)
      await noteUnreported(deps, order, entry?.valid === false ? 'invalid' : 'missing')
    else if (!entry.valid) await noteUnreported(deps, order, 'invalid')
    else if (await applyText(deps, order, entry.orderStatus)) hasChanged = true
  }
  return hasChanged
}

async function applyText(deps: ReportDeps, order: DueOrder, text: string): Promise<boolean> {
  const status = statusOfText(text)
  if (status) return advance(deps, order, status)
  await noteUnknownText(deps, order, text.slice(0, TEXT_LENGTH))
  return false
}

async function advance({ db }: ReportDeps, order: DueOrder, status: ReportedStatus): Promise<boolean> {
  if (status === order.orderStatus) return false
  const isOver = status === 'picked_up' || status === 'cancelled'
  const change = isOver ? { nextCheckAt: null } : {}
  const changed = await db.$transaction((tx) => applyStatus(tx, order, status, null, change))
  if (!changed) return false
  order.orderStatus = status
  return true
}

async function noteUnknownText({ pool, logger }: ReportDeps, { id }: DueOrder, text: string): Promise<void> {
  const { rowCount } = await pool.query(
    'UPDATE walgreens_orders SET unknown_status_text = $2 WHERE id = $1 AND unknown_status_text IS DISTINCT FROM $2',
    [id, text],
  )
  if (rowCount === 0) return
  unknownTexts.inc()
  logger.warn({ orderId: id, text }, 'unknown order status of the partner, order left as it is')
}

async function noteUnreported({ pool }: ReportDeps, order: DueOrder, reason: keyof typeof NOTES): Promise<void> {
  unreported.inc({ reason })
  await pool.query(
    `INSERT INTO order_history (order_id, status, note)
     SELECT id, order_status, $2 FROM walgreens_orders WHERE id = $1
       AND NOT EXISTS (SELECT FROM order_history WHERE order_id = $1 AND note = $2)`,
    [order.id, NOTES[reason]],
  )
}
