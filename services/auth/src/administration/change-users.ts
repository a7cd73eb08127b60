import { accountErasing, conflict } from '@skyfolio/kit'
import { addressOf, confirmedAddress, enterAddress } from '../accounts/address.ts'
import { announceAddress, limitAddressMail } from '../accounts/addresses.ts'
import { beginAdministration, isAdministrator, requireOtherAdministrator } from '../accounts/administrators.ts'
import type { UserChanges } from '../accounts/forms.ts'
import { toUsernameKey } from '../accounts/usernames.ts'
import { type AccountAudit, writeAudit } from '../audit/audit-log.ts'
import type { Transaction } from '../database.ts'
import type { AuthDeps } from '../deps.ts'
import { publishUserChanged } from '../events.ts'
import type { User } from '../generated/client.ts'
import { mailNotConfigured, requestMail } from '../mail/request-mail.ts'
import { carryOutEnding, requestSessionsEnd } from '../sessions/session-endings.ts'

/** What commands need of these. */
export type OperatorDeps = Pick<AuthDeps, 'db' | 'sessions' | 'logger'>

/** Changes a user as an administrator. @throws 403, 404, 409 as `changeUser`, 429 after too many changes of the address */
export async function changeAsAdministrator(
  deps: AuthDeps,
  actorId: number,
  userId: number,
  changes: UserChanges,
): Promise<void> {
  const { db, canSendMail, logger, onCommit } = deps
  if (canSendMail) await limitAddressMail(deps, userId, changes.email)
  const changed = await db.$transaction((tx) => changeUser(tx, { actorId, userId, changes, canSendMail }))
  onCommit()
  await carryOutEnding(deps, changed.ending)
  if (!changed.isPromoted) return
  await grantInSessions(deps, userId).catch((error) =>
    logger.warn({ err: error, userId }, 'administrator right not set in running sessions'),
  )
}

/**
 * Changes a user by a command, under the rules that hold for administrators. Returns the username as registered and how many
 * running sessions got the administrator's right, or null when there is no such user.
 * @throws 409 for the last administrator and while the account is erased
 */
export async function changeAsOperator(
  deps: OperatorDeps,
  username: string,
  changes: Pick<UserChanges, 'isAdmin' | 'disabled' | 'quota'>,
): Promise<{ username: string; sessions: number } | null> {
  const { db } = deps
  const found = await db.user.findUnique({ where: { usernameKey: toUsernameKey(username) }, select: { id: true } })
  if (!found) return null
  const request = { actorId: null, userId: found.id, changes, canSendMail: false }
  const { user, ending } = await db.$transaction((tx) => changeUser(tx, request))
  await carryOutEnding(deps, ending)
  // Also of one who is an administrator already: the sessions may be late.
  const count = changes.isAdmin ? await grantInSessions(deps, user.id) : 0
  return { username: user.username, sessions: count }
}

/**
 * Gives a promoted user's running sessions the right, unless the user has lost it meanwhile. Returns their number. A session
 * that was started since, after a demotion, must not keep it.
 */
async function grantInSessions({ db, sessions }: OperatorDeps, userId: number): Promise<number> {
  if (!(await isAdministrator(db, userId))) return 0
  const count = await sessions.updateAll(userId, { isAdmin: true })
  if (await isAdministrator(db, userId)) return count
  await sessions.updateAll(userId, { isAdmin: false })
  return 0
}

interface ChangeRequest {
  /** The administrator; null: an operator's command. */
  actorId: number | null
  userId: number
  changes: UserChanges
  /** Whether a mail server is configured. */
  canSendMail: boolean
}

/**
 * Changes a user with the events, the mails about an address, the end of sessions and the entries of the audit log. What the
 * user has already is no change. A changed address is not confirmed, as if the user had entered it: the former one can take
 * it back, and only the password confirms it, so no administrator takes an account over. Returns what is to be done after the
 * commit: the request to end the user's sessions, or whether they get the right.
 * @throws 403 when the actor is no administrator any more, 404, 409 for the last administrator and while the account is erased
 */
async function changeUser(tx: Transaction, request: ChangeRequest) {
  const { actorId, userId, canSendMail } = request
  const user = await beginAdministration(tx, actorId, userId)
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

/** @throws 409 when the deletion of the account cannot be revoked any more. The user's row must be locked before. */
async function requireNotErasing(tx: Transaction, userId: number): Promise<void> {
  const deletion = await tx.accountDeletion.findUnique({ where: { userId }, select: { erasingSince: true } })
  if (deletion?.erasingSince) throw accountErasing()
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

/**
 * Requests the mail with a link for a new password, for this account alone, to its confirmed address: the former one while a
 * new one is not confirmed.
 * @throws 403 when the actor is no administrator any more, 404, 409 without such an address and while the account is erased,
 * 429 after too many for the user, 503 without a mail server
 */
export async function sendPasswordReset(
  { db, rateLimits, canSendMail }: AuthDeps,
  actorId: number,
  userId: number,
): Promise<void> {
  if (!canSendMail) throw mailNotConfigured()
  await rateLimits.sentReset(userId)
  await db.$transaction(async (tx) => {
    const user = await beginAdministration(tx, actorId, userId)
    await requireNotErasing(tx, userId)
    const address = confirmedAddress(user)
    if (address === null) throw conflict('This user has no confirmed email address.', 'no_confirmed_address')
    await requestMail(tx, { kind: 'reset-password', userId, address })
    await writeAudit(tx, { actorId, action: 'user.password-reset-sent', ownerId: userId })
  })
}
