import { accountErasing } from '@skyfolio/kit'
import type { Transaction } from '../database.ts'

/** @throws 409 `account_erasing` when the deletion cannot be revoked any more. The user's row must be locked before. */
export async function requireNotErasing(tx: Transaction, userId: number): Promise<void> {
  const deletion = await tx.accountDeletion.findUnique({ where: { userId }, select: { erasingSince: true } })
  if (deletion?.erasingSince) throw accountErasing()
}
