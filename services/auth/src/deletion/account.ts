import type { Database, Transaction } from '../database.ts'
import type { AccountDeletion, User } from '../generated/client.ts'

/** A user, and the deletion of the account if it is requested. */
export interface Account extends User {
  deletion: AccountDeletion | null
}

export async function withDeletion(db: Database | Transaction, user: User): Promise<Account> {
  return { ...user, deletion: await db.accountDeletion.findUnique({ where: { userId: user.id } }) }
}

/** Whether the user may take the deletion back. */
export function canRestore({ byAdmin, erasingSince }: AccountDeletion): boolean {
  return !byAdmin && erasingSince === null
}
