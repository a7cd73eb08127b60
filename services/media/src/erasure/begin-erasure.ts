import { requestErasure } from '@skyfolio/kit'
import type { Transaction } from '../database.ts'
import { waitForUploads } from '../photos/upload-lock.ts'
import { waitForPrintImages } from '../print-images/rows.ts'
import { saveUserTombstone } from '../projection/users.ts'

/**
 * Commits that the user is to be erased. From then on nothing is added: an upload or a request for print images commits
 * before this transaction, or finds the tombstone.
 */
export async function beginErasure(tx: Transaction, userId: number): Promise<void> {
  await waitForUploads(tx, userId)
  await waitForPrintImages(tx, userId)
  await tx.$executeRaw`INSERT INTO deleted_users (user_id) VALUES (${userId}) ON CONFLICT DO NOTHING`
  await saveUserTombstone(tx, userId)
  await requestErasure(tx, userId)
}

/** Remembers that print-orders has erased the user: no order needs the print images any more. */
export async function saveErasedOrders(tx: Transaction, userId: number): Promise<void> {
  await tx.$executeRaw`INSERT INTO erased_orders (user_id) VALUES (${userId}) ON CONFLICT DO NOTHING`
}
