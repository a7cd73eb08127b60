import type { Database } from '../database.ts'
import { changeStatuses } from '../orders/change-order.ts'
import type { ReportedStatus } from './partner-status.ts'

/**
 * Gives orders the statuses that the partner reported, in one transaction: after an outage very many change at once. An
 * order whose status does not lead there stays as it is. Returns the ids of those that changed.
 */
export async function advanceOrders(db: Database, reports: Map<number, ReportedStatus>): Promise<Set<number>> {
  if (reports.size === 0) return new Set()
  const changed = await db.$transaction((tx) => changeStatuses(tx, reports))
  return new Set(changed.map(({ id }) => id))
}
