import { requestErasure } from '@skyfolio/kit'
import type { Transaction } from '../database.ts'
import { lockUser } from './user-lock.ts'

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
