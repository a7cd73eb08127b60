import type { Transaction } from '../database.ts'
import { lockUser } from './user-lock.ts'

/** Erases everything of a user. The tombstone keeps a submit in progress and late events from bringing anything back. */
export async function eraseUser(tx: Transaction, userId: number): Promise<void> {
  await lockUser(tx, userId)
  await tx.$executeRaw`INSERT INTO deleted_users (user_id) VALUES (${userId}) ON CONFLICT DO NOTHING`
  // Photos become tombstones without a title: an older event that arrives late must not restore them.
  await tx.photo.updateMany({ where: { userId }, data: { deleted: true, title: '' } })
  // Locked in the order of their ids, like all orders.
  await tx.$queryRaw`SELECT FROM walgreens_orders WHERE user_id = ${userId} ORDER BY id FOR UPDATE`
  // Items, history and aliases go with their orders.
  await tx.order.deleteMany({ where: { userId } })
  await tx.customerDetails.deleteMany({ where: { userId } })
  await tx.storeSearch.deleteMany({ where: { userId } })
}

/** Whether the user has been erased. */
export async function isErased(tx: Transaction, userId: number): Promise<boolean> {
  return (await tx.deletedUser.findUnique({ where: { userId } })) !== null
}
