import { type ErasureProgress, requestErasure } from '@skyfolio/kit'
import type { Database, Transaction } from '../database.ts'
import { expiryOf } from '../orders/image-urls.ts'

/** One transaction at a time claims orders of a user or erases the user. */
export async function lockUser(tx: Transaction, userId: number): Promise<void> {
  await tx.$queryRaw`SELECT pg_advisory_xact_lock(hashtextextended('print orders of a user', ${userId}))::text`
}

/**
 * Commits that the user is to be erased, and erases at once what no order needs. The tombstone keeps late events and requests
 * from bringing anything back, and the user from ordering.
 */
export async function beginErasure(tx: Transaction, userId: number): Promise<void> {
  await lockUser(tx, userId)
  await tx.$executeRaw`INSERT INTO deleted_users (user_id) VALUES (${userId}) ON CONFLICT DO NOTHING`
  // Photos become tombstones without a title: an older event that arrives late must not restore them.
  await tx.photo.updateMany({ where: { userId }, data: { deleted: true, title: '' } })
  await tx.customerDetails.deleteMany({ where: { userId } })
  await tx.storeSearch.deleteMany({ where: { userId } })
  await requestErasure(tx, userId)
}

/** Whether the user was deleted. */
export async function isErased(tx: Transaction, userId: number): Promise<boolean> {
  return (await tx.deletedUser.findUnique({ where: { userId } })) !== null
}

/** Orders per transaction. */
const BATCH = 200

/**
 * Erases the orders of a user whose erasure has begun. It waits while an order would be lost, or a print: while one is being
 * sent, while nobody knows whether the partner has it, and while the partner may still fetch its images.
 */
export async function eraseUser(db: Database, userId: number): Promise<ErasureProgress> {
  for (;;) {
    const outcome = await db.$transaction(async (tx) => {
      await lockUser(tx, userId)
      return (await findReason(tx, userId)) ?? (await eraseBatch(tx, userId))
    })
    if (typeof outcome === 'string') return { waitsFor: outcome }
    if (outcome < BATCH) return 'complete'
  }
}

/** Why the orders cannot be erased yet, for administrators. An order never returns to one of these states. */
async function findReason(tx: Transaction, userId: number): Promise<string | null> {
  // Locked in the order of their ids, like all orders.
  const orders = await tx.$queryRaw<{ id: number; status: string }[]>`
    SELECT id, order_status AS status FROM walgreens_orders
    WHERE user_id = ${userId} AND order_status IN ('claimed', 'unknown', 'submitted') ORDER BY id FOR UPDATE`
  const withStatus = (status: string) => orders.filter((order) => order.status === status).map(({ id }) => id)
  if (withStatus('claimed').length > 0) return 'An order is being sent to the store.'
  if (withStatus('unknown').length > 0) return 'An order whose outcome is unknown must be resolved first.'
  return (await areFetched(tx, withStatus('submitted'))) ? null : 'The store may still fetch the images of an order.'
}

/** Whether no image of these orders can be fetched any more. */
async function areFetched(tx: Transaction, orderIds: number[]): Promise<boolean> {
  const items = await tx.orderItem.findMany({ where: { orderId: { in: orderIds } }, select: { imageUrl: true } })
  const now = Date.now()
  return items.every(({ imageUrl }) => (expiryOf(imageUrl)?.getTime() ?? 0) <= now)
}

/** Items, history and aliases go with their orders. */
async function eraseBatch(tx: Transaction, userId: number): Promise<number> {
  return tx.$executeRaw`
    DELETE FROM walgreens_orders WHERE id IN (
      SELECT id FROM walgreens_orders WHERE user_id = ${userId} ORDER BY id LIMIT ${BATCH} FOR UPDATE)`
}
