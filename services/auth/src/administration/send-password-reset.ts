import { conflict } from '@skyfolio/kit'
import { confirmedAddress } from '../accounts/address.ts'
import { beginAdministration } from '../accounts/administrators.ts'
import { findAndLockUser } from '../accounts/lock-user.ts'
import { writeAudit } from '../audit/write-audit.ts'
import type { Transaction } from '../database.ts'
import { requestMail } from '../mail/request-mail.ts'
import { noSuchUser } from './admin-users.ts'
import { requireNotErasing } from './require-not-erasing.ts'

/**
 * Requests the mail with a link for a new password, for this account alone, to its confirmed address: the former one while a
 * new one is not confirmed.
 * @throws 403 when the actor is no administrator any more, 404, 409 without such an address and while the account is erased
 */
export async function sendPasswordReset(tx: Transaction, actorId: number, userId: number): Promise<void> {
  await beginAdministration(tx, actorId)
  const user = await findAndLockUser(tx, userId)
  if (!user) throw noSuchUser()
  await requireNotErasing(tx, userId)
  const address = confirmedAddress(user)
  if (address === null) throw conflict('This user has no confirmed email address.', 'no_confirmed_address')
  await requestMail(tx, { kind: 'reset-password', userId, address })
  await writeAudit(tx, { actorId, action: 'user.password-reset-sent', ownerId: userId })
}
