import { type Logger, metrics } from '@skyfolio/kit'
import { type Database, retryDeadlocks } from '../database.ts'
import { changeStatuses } from '../orders/change-order.ts'
import type { StatusEntry } from '../partner/types.ts'
import type { DueOrder } from './due-orders.ts'

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

/** The statuses that the partner reports, in the words of orders. */
export type ReportedStatus = 'submitted' | 'processing' | 'ready' | 'picked_up' | 'cancelled'

const STATUSES = new Map<string, ReportedStatus>([
  ['submitting', 'submitted'],
  ['downloading', 'processing'],
  ['ready for pickup', 'ready'],
  ['sold', 'picked_up'],
])

/** No official text for a cancelled order is known. */
const CANCELLED = /cancel|reject|fail/

/** The status that the partner's text means, regardless of case and spaces; null for an unknown text. */
export function statusOfText(text: string): ReportedStatus | null {
  const normalized = text.trim().replace(/\s+/g, ' ').toLowerCase()
  return STATUSES.get(normalized) ?? (CANCELLED.test(normalized) ? 'cancelled' : null)
}

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
  if (reports.size === 0) return false
  // In one transaction: after an outage very many change at once.
  const changed = await retryDeadlocks(() => deps.db.$transaction((tx) => changeStatuses(tx, reports)))
  const ids = new Set(changed.map(({ id }) => id))
  for (const order of orders) if (ids.has(order.id)) order.orderStatus = reports.get(order.id) ?? order.orderStatus
  return ids.size > 0
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

async function noteUnknownText({ db, logger, loggedTexts }: ReportDeps, { id }: DueOrder, text: string): Promise<void> {
  const changed = await db.$executeRaw`
    UPDATE walgreens_orders SET unknown_status_text = ${text} WHERE id = ${id} AND unknown_status_text IS DISTINCT FROM ${text}`
  if (changed === 0) return
  unknownTexts.inc()
  if (loggedTexts.has(text) || loggedTexts.size >= LOGGED_TEXTS_MAX) return
  loggedTexts.add(text)
  logger.warn({ orderId: id, text }, 'unknown order status of the partner, order left as it is')
}

async function noteUnreported({ db }: ReportDeps, order: DueOrder, reason: keyof typeof NOTES): Promise<void> {
  unreported.inc({ reason })
  const note = NOTES[reason]
  await db.$executeRaw`
    INSERT INTO order_history (order_id, status, note)
    SELECT id, order_status, ${note} FROM walgreens_orders WHERE id = ${order.id}
      AND NOT EXISTS (SELECT FROM order_history WHERE order_id = ${order.id} AND note = ${note})`
}
