import type { Transaction } from '../database.ts'
import { lockOrder, publishChange } from './change-order.ts'

/** Takes a deleted photo out of the orders that have it. They keep its title. */
export async function detachPhoto(tx: Transaction, photoId: number): Promise<void> {
  for (const orderId of await ordersOf(tx, { photoId })) {
    const order = await lockOrder(tx, orderId)
    if (!order) continue
    await tx.orderItem.updateMany({ where: { orderId, photoId }, data: { photoId: null } })
    await tx.order.updateMany({ where: { id: orderId, photoId }, data: { photoId: null } })
    await publishChange(tx, orderId)
  }
}

/** Orders that were claimed before the first event of their photo arrived get its title now. A tombstone has none. */
export async function addMissingTitle(tx: Transaction, photoId: number): Promise<void> {
  const photo = await tx.photo.findUnique({ where: { id: photoId } })
  const title = photo?.title
  if (!title) return
  const untitled = { photoId, photoTitle: null }
  for (const orderId of await ordersOf(tx, untitled)) {
    await lockOrder(tx, orderId)
    const { count } = await tx.orderItem.updateMany({ where: { orderId, ...untitled }, data: { photoTitle: title } })
    if (count > 0) await publishChange(tx, orderId)
  }
}

/** The orders that have such items, in the order in which all transactions lock them. */
async function ordersOf(tx: Transaction, where: { photoId: number; photoTitle?: null }): Promise<number[]> {
  const query = { where, distinct: ['orderId' as const], select: { orderId: true } }
  const items = await tx.orderItem.findMany({ ...query, orderBy: { orderId: 'asc' } })
  return items.map(({ orderId }) => orderId)
}
