import type { Transaction } from '../database.ts'
import { lockOrder, raiseRevision } from './change-order.ts'
import { publishOrderChanged } from './order-events.ts'
import { isListed, type OrderStatus } from './status-order.ts'

/** Takes a deleted photo out of the orders that have it. They keep its title. */
export async function detachPhoto(tx: Transaction, photoId: number): Promise<void> {
  const items = await tx.orderItem.findMany({
    where: { photoId },
    distinct: ['orderId'],
    select: { orderId: true },
    orderBy: { orderId: 'asc' },
  })
  for (const { orderId } of items) await detachFrom(tx, orderId, photoId)
}

async function detachFrom(tx: Transaction, orderId: number, photoId: number): Promise<void> {
  const order = await lockOrder(tx, orderId)
  if (!order) return
  await tx.orderItem.updateMany({ where: { orderId, photoId }, data: { photoId: null } })
  const first = order.photoId === photoId ? { photoId: null } : {}
  const changed = await raiseRevision(tx, orderId, first)
  if (isListed(order.orderStatus as OrderStatus)) await publishOrderChanged(tx, changed)
}
