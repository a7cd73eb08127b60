import { conflict, isUniqueViolation, type Measurement, metrics, notFound, recordAudit } from '@skyfolio/kit'
import { events } from '@skyfolio/proto'
import type { Database } from '../database.ts'
import { applyStatus, lockOrder } from './change-order.ts'
import type { OrderWithItems } from './order-events.ts'
import { isListed, type OrderStatus } from './status-order.ts'

/** The orders of all users whose outcome is unknown, oldest first. */
export function listUnresolved(db: Database): Promise<OrderWithItems[]> {
  return db.order.findMany({
    where: { orderStatus: 'unknown' },
    orderBy: { id: 'asc' },
    take: 500,
    include: { items: { orderBy: { position: 'asc' } } },
  })
}

/** What an administrator found out: the partner's number, or null for an order that was not placed. */
type Resolution = { vendorOrderId: string | null; administratorId: number }

const PLACED = 'An administrator found the order at the store.'
const NOT_PLACED = 'An administrator found out that the order did not reach the store.'

/**
 * Decides an order whose outcome is unknown. @throws AppError 404 without such an order, 409 when it is known already, or
 * when another order has the number
 */
export async function resolveOrder(db: Database, id: number, resolution: Resolution): Promise<OrderWithItems> {
  const { vendorOrderId, administratorId } = resolution
  try {
    return await db.$transaction(async (tx) => {
      const order = await lockOrder(tx, id)
      if (!order || !isListed(order.orderStatus as OrderStatus)) throw notFound('Order not found')
      if (order.orderStatus !== 'unknown') throw conflict('The outcome of this order is known.', 'order_resolved')
      await recordAudit(tx, events.ordersAuditRecorded, {
        actorId: administratorId,
        action: 'order.resolved',
        ownerId: order.userId,
        subjectId: id,
        detail: vendorOrderId === null ? 'not placed' : 'placed',
      })
      const changed =
        vendorOrderId === null
          ? await applyStatus(tx, order, 'cancelled', NOT_PLACED)
          : await applyStatus(tx, order, 'submitted', PLACED, { vendorOrderId })
      return changed ?? order
    })
  } catch (error) {
    if (!isUniqueViolation(error)) throw error
    throw conflict('Another order has this number.', 'vendor_order_id_taken')
  }
}

const unresolved = metrics.gauge('skyfolio_orders_unresolved', 'Orders whose outcome is unknown')
const oldest = metrics.gauge(
  'skyfolio_orders_unresolved_oldest_seconds',
  'Age of the oldest order whose outcome is unknown, or 0',
)
const claimed = metrics.gauge('skyfolio_orders_claimed', 'Orders whose outcome is not recorded yet')

/** Measures the orders that wait for an outcome, at each scrape. Returns the function that ends it. */
export function measureOrders(db: Database): () => void {
  return metrics.onScrape('orders', () => readOrders(db))
}

async function readOrders(db: Database): Promise<Measurement[]> {
  const [row] = await db.$queryRaw<{ unresolved: number; claimed: number; age: number | null }[]>`
    SELECT count(*) FILTER (WHERE order_status = 'unknown')::int AS unresolved,
      count(*) FILTER (WHERE order_status = 'claimed')::int AS claimed,
      extract(epoch FROM now() - min(created_at) FILTER (WHERE order_status = 'unknown'))::float8 AS age
    FROM walgreens_orders WHERE order_status IN ('claimed', 'unknown')`
  return [
    [unresolved, row?.unresolved ?? 0],
    [oldest, Math.max(0, row?.age ?? 0)],
    [claimed, row?.claimed ?? 0],
  ]
}
