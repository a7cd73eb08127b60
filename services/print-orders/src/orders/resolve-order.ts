import { conflict, isUniqueViolation, notFound, recordAudit } from '@skyfolio/kit'
import { events } from '@skyfolio/proto'
import type { Database } from '../database.ts'
import { applyStatus, lockOrder } from './change-order.ts'
import type { OrderWithItems } from './order-events.ts'
import { isListed, type OrderStatus } from './status-order.ts'

/** What an administrator found out: the partner's number, or null for an order that was not placed. */
export type Resolution = { vendorOrderId: string | null; administratorId: number }

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
