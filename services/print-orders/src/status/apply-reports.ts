import { type Logger, metrics } from '@skyfolio/kit'
import type { Pool } from 'pg'
import type { Database } from '../database.ts'
import type { StatusEntry } from '../partner/types.ts'
import { advanceOrders } from './advance-orders.ts'
import type { DueOrder } from './due-orders.ts'
import { type ReportedStatus, statusOfText } from './partner-status.ts'
import { retryDeadlocks } from './retry-deadlocks.ts'

const unknownTexts = metrics.counter(
  'skyfolio_order_status_unknown_texts_total',
  'Unknown status texts of the partner, once for each order and text',
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
  /** Unknown texts of the partner that were logged. */
  loggedTexts: Set<string>
}

/** Notes in the history of an order, each at most once. */
const NOTES = {
  missing: 'The store did not report this order when asked.',
  invalid: 'The store did not find this order when asked.',
}

/** The partner's text is kept this long. */
const TEXT_LENGTH = 200
/** Of texts that differ in each response only so many are logged. */
const LOGGED_TEXTS_MAX = 100

/**
 * Applies what the partner reported about orders, which never go backwards: what is unknown, missing or invalid changes
 * nothing. Sets `orderStatus` of the given orders. Returns whether an order changed.
 */
export async function applyReports(deps: ReportDeps, orders: DueOrder[], entries: StatusEntry[]): Promise<boolean> {
  const byNumber = new Map(entries.map((entry) => [entry.vendorOrderId, entry]))
  const reports = new Map<number, ReportedStatus>()
  for (const order of orders) {
    const status = await readReport(deps, order, byNumber.get(order.vendorOrderId))
    if (status && status !== order.orderStatus) reports.set(order.id, status)
  }
  const changed = await retryDeadlocks(() => advanceOrders(deps.db, reports))
  for (const order of orders) if (changed.has(order.id)) order.orderStatus = reports.get(order.id) ?? order.orderStatus
  return changed.size > 0
}

/** The status that an entry reports; null when there is none or it is not known, which is noted. */
async function readReport(
  deps: ReportDeps,
  order: DueOrder,
  entry: StatusEntry | undefined,
): Promise<ReportedStatus | null> {
  const text = entry?.valid ? entry.orderStatus : null
  if (text === null) {
    await noteUnreported(deps, order, entry?.valid === false ? 'invalid' : 'missing')
    return null
  }
  const status = statusOfText(text)
  if (!status) await noteUnknownText(deps, order, text.slice(0, TEXT_LENGTH))
  return status
}

async function noteUnknownText(
  { pool, logger, loggedTexts }: ReportDeps,
  { id }: DueOrder,
  text: string,
): Promise<void> {
  const { rowCount } = await pool.query(
    'UPDATE walgreens_orders SET unknown_status_text = $2 WHERE id = $1 AND unknown_status_text IS DISTINCT FROM $2',
    [id, text],
  )
  if (rowCount === 0) return
  unknownTexts.inc()
  if (loggedTexts.has(text) || loggedTexts.size >= LOGGED_TEXTS_MAX) return
  loggedTexts.add(text)
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
