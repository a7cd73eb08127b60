import { unauthenticated } from '@skyfolio/kit'
import type { Transaction } from '../database.ts'
import type { User } from '../generated/client.ts'

/**
 * Reads a user whose row stays locked until the transaction ends, so that changes of address, password and tokens happen one
 * after another. The first lock of every transaction that takes several: tokens, mails and ended sessions come after it.
 * @throws 401 when the user no longer exists
 */
export async function lockUser(tx: Transaction, userId: number): Promise<User> {
  const user = await findAndLockUser(tx, userId)
  if (!user) throw unauthenticated()
  return user
}

/** Like `lockUser`; null when the user no longer exists. */
export async function findAndLockUser(tx: Transaction, userId: number): Promise<User | null> {
  // Rows that refer to the user may still be inserted meanwhile.
  await tx.$queryRaw`SELECT id FROM users WHERE id = ${userId} FOR NO KEY UPDATE`
  return tx.user.findUnique({ where: { id: userId } })
}
