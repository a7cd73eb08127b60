import type { Database } from '../database.ts'
import { publishOrderChanged } from '../orders/order-events.ts'
import { mayFollow, type OrderStatus } from '../orders/status-order.ts'
import type { ReportedStatus } from './partner-status.ts'

/** The statuses after which the partner is not asked any more. */
const LAST: readonly ReportedStatus[] = ['picked_up', 'cancelled']

/**
 * Gives orders the statuses that the partner reported, with history and events, in one transaction: after an outage very
 * many change at once. An order whose present status does not lead there stays as it is. Returns the ids of those that
 * changed.
 */
export async function advanceOrders(db: Database, reports: Map<number, ReportedStatus>): Promise<Set<number>> {
  if (reports.size === 0) return new Set()
  return db.$transaction(async (tx) => {
    const ids = [...reports.keys()]
    const current = await tx.$queryRaw<{ id: number; status: OrderStatus }[]>`
      SELECT id, order_status AS status FROM walgreens_orders WHERE id = ANY (${ids}) ORDER BY id FOR NO KEY UPDATE`
    const changes = current.flatMap(({ id, status }) => {
      const reported = reports.get(id)
      return reported && mayFollow(status, reported) ? [{ id, status: reported }] : []
    })
    for (const [status, some] of Map.groupBy(changes, (change) => change.status)) {
      await tx.order.updateMany({
        where: { id: { in: some.map(({ id }) => id) } },
        data: {
          orderStatus: status,
          revision: { increment: 1 },
          updatedAt: new Date(),
          ...(LAST.includes(status) && { nextCheckAt: null }),
        },
      })
    }
    await tx.orderHistory.createMany({ data: changes.map(({ id, status }) => ({ orderId: id, status })) })
    const changed = await tx.order.findMany({
      where: { id: { in: changes.map(({ id }) => id) } },
      include: { items: { orderBy: { position: 'asc' } } },
    })
    await publishOrderChanged(tx, ...changed)
    return new Set(changed.map(({ id }) => id))
  })
}
