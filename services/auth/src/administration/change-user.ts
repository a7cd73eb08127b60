import { addressOf, enterAddress } from '../accounts/address.ts'
import { announceAddress } from '../accounts/address-mails.ts'
import { beginAdministration, lockAdministrators, requireOtherAdministrator } from '../accounts/administrators.ts'
import { findAndLockUser } from '../accounts/lock-user.ts'
import { type AccountAudit, writeAudit } from '../audit/write-audit.ts'
import type { Transaction } from '../database.ts'
import { publishUserChanged } from '../events.ts'
import type { User } from '../generated/client.ts'
import { requestSessionsEnd } from '../sessions/session-endings.ts'
import { noSuchUser } from './admin-users.ts'
import type { UserChanges } from './change-form.ts'
import { requireNotErasing } from './require-not-erasing.ts'

export interface ChangeRequest {
  /** The administrator; null: an operator's command. */
  actorId: number | null
  userId: number
  changes: UserChanges
  /** Whether a mail server is configured. */
  canSendMail: boolean
}

/** What is to be done after the commit. */
export interface UserChange {
  user: User
  /** The request to end the user's sessions. */
  ending: bigint | null
  /** The user's sessions get the right. */
  isPromoted: boolean
}

/**
 * Changes a user with the events, the mails about an address, the end of sessions and the entries of the audit log. What the
 * user has already is no change. A changed address is not confirmed, as if the user had entered it: the former one can take
 * it back, and only the password confirms it, so no administrator takes an account over.
 * @throws 403 when the actor is no administrator any more, 404, 409 for the last administrator and while the account is erased
 */
export async function changeUser(tx: Transaction, request: ChangeRequest): Promise<UserChange> {
  const { actorId, userId, canSendMail } = request
  await (actorId === null ? lockAdministrators(tx) : beginAdministration(tx, actorId))
  const user = await findAndLockUser(tx, userId)
  if (!user) throw noSuchUser()
  await requireNotErasing(tx, userId)
  const changes = differences(user, request.changes)
  if (changes.isAdmin === false || changes.disabled) await requireOtherAdministrator(tx, user)
  if (Object.keys(changes).length === 0) return { user, ending: null, isPromoted: false }

  const { email, ...rest } = changes
  const address = email === undefined ? {} : enterAddress(addressOf(user), email)
  const isPublished = changes.disabled !== undefined || changes.quota !== undefined
  const data = { ...rest, ...address, ...(isPublished && { revision: { increment: 1 } }) }
  const changed = await tx.user.update({ where: { id: userId }, data })
  await announceAddress(tx, { before: user, after: changed, canSendMail })
  if (isPublished) await publishUserChanged(tx, changed)
  await writeAudit(tx, ...entriesOf(changes).map((entry) => ({ ...entry, actorId, ownerId: userId })))
  const endsSessions = changes.isAdmin === false || changes.disabled === true
  const ending = endsSessions ? await requestSessionsEnd(tx, userId, null) : null
  return { user: changed, ending, isPromoted: changes.isAdmin === true }
}

/** The fields that would change. */
function differences(user: User, changes: UserChanges): UserChanges {
  const entries = Object.entries(changes) as [keyof UserChanges, never][]
  return Object.fromEntries(entries.filter(([field, value]) => value !== user[field]))
}

/** Names of fields and statuses only: the log outlives the user. */
function entriesOf({ isAdmin, disabled, quota, ...edited }: UserChanges): Pick<AccountAudit, 'action' | 'detail'>[] {
  const fields = Object.keys(edited)
  return [
    ...(fields.length > 0 ? [{ action: 'user.edited' as const, detail: fields.join(', ') }] : []),
    ...(isAdmin === undefined ? [] : [{ action: isAdmin ? ('user.promoted' as const) : ('user.demoted' as const) }]),
    ...(disabled === undefined ? [] : [{ action: disabled ? ('user.disabled' as const) : ('user.enabled' as const) }]),
    ...(quota === undefined ? [] : [{ action: 'user.quota-changed' as const, detail: describeQuota(quota) }]),
  ]
}

function describeQuota(quota: bigint | null): string {
  return quota === null ? 'default' : `${quota} bytes`
}
