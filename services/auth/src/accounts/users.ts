import { unauthenticated } from '@skyfolio/kit'
import type { Database, Transaction } from '../database.ts'
import type { AccountDeletion, User } from '../generated/client.ts'

/** A user, and the deletion of the account if it is requested. */
export interface Account extends User {
  deletion: AccountDeletion | null
}

export async function withDeletion(db: Database | Transaction, user: User): Promise<Account> {
  return { ...user, deletion: await db.accountDeletion.findUnique({ where: { userId: user.id } }) }
}

/** The user of a session. @throws 401 when the user no longer exists */
export async function readUser(db: Database, id: number): Promise<User> {
  return existing(await db.user.findUnique({ where: { id } }))
}

/**
 * Reads a user whose row stays locked until the transaction ends, so that changes of address, password and tokens happen one
 * after another. The first lock of every transaction that takes several: tokens, mails and ended sessions come after it.
 * @throws 401 when the user no longer exists
 */
export async function lockUser(tx: Transaction, id: number): Promise<User> {
  return existing(await findAndLockUser(tx, id))
}

/** Like `lockUser`; null when the user no longer exists. */
export async function findAndLockUser(tx: Transaction, id: number): Promise<User | null> {
  // Rows that refer to the user may still be inserted meanwhile.
  await tx.$queryRaw`SELECT id FROM users WHERE id = ${id} FOR NO KEY UPDATE`
  return tx.user.findUnique({ where: { id } })
}

function existing(user: User | null): User {
  if (!user) throw unauthenticated()
  return user
}
