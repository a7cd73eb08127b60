import { type AppError, conflict } from '@skyfolio/kit'
import { confirmedAddress } from '../accounts/address.ts'
import { requireOtherAdministrator } from '../accounts/administrators.ts'
import type { Transaction } from '../database.ts'
import { publishUserChanged } from '../events.ts'
import type { AccountDeletion, User } from '../generated/client.ts'
import type { DeletionScheduledData } from '../mail/kinds/deletion-scheduled.ts'
import { requestMail } from '../mail/request-mail.ts'
import { requestSessionsEnd } from '../sessions/session-endings.ts'

/*
 * The states of an account's deletion, a row of account_deletions:
 *
 *   none ──request──► requested ──deletes_at has passed──► erasing ──every service is done──► erased (the user is gone)
 *     ▲                  │
 *     └──────revoke──────┘
 *
 * Each change locks the administrators if it may take one away, then the user's row.
 */

export interface DeletionOptions {
  /** In which it can be revoked. */
  days: number
  canSendMail: boolean
}

export interface RequestedDeletion {
  deletesAt: Date
  /** The request to end the user's sessions; null when the deletion was requested before. */
  ending: bigint | null
  /** False for a repeated request. */
  isChanged: boolean
}

/**
 * Commits that the account of a locked user is to be deleted. From then on the user is suspended and all sessions end. The
 * transaction has the lock of administrators. An administrator's request takes over the user's own: then only an administrator
 * may revoke it.
 * @throws 409 `last_administrator`
 */
export async function requestDeletion(
  tx: Transaction,
  user: User,
  { byAdmin, days, canSendMail }: DeletionOptions & { byAdmin: boolean },
): Promise<RequestedDeletion> {
  const present = await tx.accountDeletion.findUnique({ where: { userId: user.id } })
  if (present) return { deletesAt: present.deletesAt, ending: null, isChanged: await takeOver(tx, present, byAdmin) }
  await requireOtherAdministrator(tx, user)
  await tx.$executeRaw`
    INSERT INTO account_deletions (user_id, by_admin, deletes_at)
    VALUES (${user.id}, ${byAdmin}, now() + make_interval(days => ${days}))`
  const { deletesAt } = await tx.accountDeletion.findUniqueOrThrow({ where: { userId: user.id } })
  await publishChange(tx, user.id)
  const address = confirmedAddress(user)
  if (canSendMail && address !== null && days > 0) {
    const data = { deletesAt: deletesAt.toISOString(), byAdmin } satisfies DeletionScheduledData
    await requestMail(tx, { kind: 'deletion-scheduled', userId: user.id, address, data })
  }
  return { deletesAt, ending: await requestSessionsEnd(tx, user.id, null), isChanged: true }
}

async function takeOver(tx: Transaction, present: AccountDeletion, byAdmin: boolean): Promise<boolean> {
  if (!byAdmin || present.byAdmin || present.erasingSince !== null) return false
  await tx.accountDeletion.update({ where: { userId: present.userId }, data: { byAdmin } })
  return true
}

/** Commits that the requested deletion of a locked user's account is taken back. @throws 409 when the services already erase */
export async function revokeDeletion(
  tx: Transaction,
  user: User,
  { kept, canSendMail }: { kept: string | null; canSendMail: boolean },
): Promise<bigint> {
  const { count } = await tx.accountDeletion.deleteMany({ where: { userId: user.id, erasingSince: null } })
  if (count === 0) throw accountErasing()
  await publishChange(tx, user.id)
  const address = confirmedAddress(user)
  if (canSendMail && address !== null) await requestMail(tx, { kind: 'deletion-revoked', userId: user.id, address })
  return requestSessionsEnd(tx, user.id, kept)
}

async function publishChange(tx: Transaction, id: number): Promise<void> {
  await publishUserChanged(tx, await tx.user.update({ where: { id }, data: { revision: { increment: 1 } } }))
}

export function accountErasing(): AppError {
  return conflict('This account is already being erased.', 'account_erasing')
}
