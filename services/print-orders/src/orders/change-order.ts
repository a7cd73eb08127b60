import type { Transaction } from '../database.ts'
import type { Prisma } from '../generated/client.ts'
import { type OrderWithItems, publishOrderChanged, publishOrderSubmitted } from './order-events.ts'
import { isListed, mayFollow, type OrderStatus } from './status-order.ts'

/** Columns that may change together with the status. */
export type OrderChange = Pick<
  Prisma.OrderUncheckedUpdateInput,
  'vendorOrderId' | 'refusal' | 'nextCheckAt' | 'claimedUntil'
>

/** Reads an order and locks it until the transaction ends; null if there is none. */
export async function lockOrder(tx: Transaction, id: number): Promise<OrderWithItems | null> {
  await tx.$queryRaw`SELECT FROM walgreens_orders WHERE id = ${id} FOR NO KEY UPDATE`
  return tx.order.findUnique({ where: { id }, include: { items: { orderBy: { position: 'asc' } } } })
}

/**
 * Gives an order another status, with its history and its events. Returns the changed order, or null when the order no
 * longer exists or its present status does not lead there: an order never goes backwards.
 */
export async function applyStatus(
  tx: Transaction,
  { id }: { id: number },
  status: OrderStatus,
  note: string | null = null,
  change: OrderChange = {},
): Promise<OrderWithItems | null> {
  const [present] = await tx.$queryRaw<{ status: OrderStatus; vendorOrderId: string | null }[]>`
    SELECT order_status AS status, vendor_order_id AS "vendorOrderId" FROM walgreens_orders
    WHERE id = ${id} FOR NO KEY UPDATE`
  if (!present || !mayFollow(present.status, status)) return null
  const changed = await raiseRevision(tx, id, { ...change, orderStatus: status })
  await tx.orderHistory.create({ data: { orderId: id, status, note }, select: { id: true } })
  if (present.vendorOrderId === null && changed.vendorOrderId !== null) await publishOrderSubmitted(tx, changed)
  if (isListed(status)) await publishOrderChanged(tx, changed)
  return changed
}

/** Changes columns of a locked order as a new revision. The caller publishes it. */
export function raiseRevision(
  tx: Transaction,
  id: number,
  data: Prisma.OrderUncheckedUpdateInput,
): Promise<OrderWithItems> {
  return tx.order.update({
    where: { id },
    data: { ...data, revision: { increment: 1 }, updatedAt: new Date() },
    include: { items: { orderBy: { position: 'asc' } } },
  })
}
