import { AppError, conflict, type UserIdentity, unauthenticated } from '@skyfolio/kit'
import { confirmedAddress } from '../accounts/address.ts'
import { beginAdministration, lockAdministrators, requireOtherAdministrator } from '../accounts/administrators.ts'
import { requirePassword, wrongPassword } from '../accounts/check-password.ts'
import { lockUser, readUser } from '../accounts/users.ts'
import { writeAudit } from '../audit/audit-log.ts'
import type { Transaction } from '../database.ts'
import type { AuthDeps } from '../deps.ts'
import { publishUserChanged } from '../events.ts'
import type { AccountDeletion, User } from '../generated/client.ts'
import type { DeletionScheduledData } from '../mail/kinds/account.ts'
import { requestMail } from '../mail/request-mail.ts'
import { carryOutEnding, mayReplaceSession, replaceSession, requestSessionsEnd } from '../sessions/session-endings.ts'
import type { NewSession } from '../sessions/sessions.ts'

/*
 * What users and administrators do about the deletion of an account. Its states are a row of account_deletions:
 *
 *   none ──request──► requested ──deletes_at has passed──► erasing ──every service is done──► erased (the user is gone)
 *     ▲                  │
 *     └──────revoke──────┘
 *
 * Each change locks the administrators if it may take one away, then the user's row.
 */

/**
 * Requests the deletion of the own account and ends all its sessions. Returns when it is deleted.
 * @throws 400 when the password is missing or wrong, 409 for the last administrator, 429 after too many wrong passwords
 */
export async function requestOwnDeletion(deps: AuthDeps, identity: UserIdentity, password: string): Promise<Date> {
  const { userId, address } = identity
  const user = await readUser(deps.db, userId)
  await requirePassword(deps, user, { password, address })
  const { deletesAt, ending } = await deps.db.$transaction(async (tx) => {
    await lockAdministrators(tx)
    const locked = await lockUser(tx, userId)
    if (locked.passwordHash !== user.passwordHash) throw wrongPassword()
    return requestDeletion(tx, locked, deps, false)
  })
  await finish(deps, ending)
  return deletesAt
}

/** Requests the deletion as an administrator. @throws 403 without the right, 404, 409 for the last administrator */
export async function requestUsersDeletion(deps: AuthDeps, actorId: number, userId: number): Promise<Date> {
  const { deletesAt, ending } = await deps.db.$transaction(async (tx) => {
    const user = await beginAdministration(tx, actorId, userId)
    const requested = await requestDeletion(tx, user, deps, true)
    if (requested.isChanged) await writeAudit(tx, { actorId, action: 'user.deletion-requested', ownerId: userId })
    return requested
  })
  await finish(deps, ending)
  return deletesAt
}

/**
 * Takes the deletion of the own account back, and ends its sessions. Returns the new one of the browser, null when nothing
 * was requested. @throws 403 when an administrator requested it, 409 when the account is already being erased
 */
export async function restoreOwnAccount(
  deps: AuthDeps,
  { userId, sessionHash }: UserIdentity,
): Promise<NewSession | null> {
  const { db, sessions, canSendMail } = deps
  if (!(await db.accountDeletion.findUnique({ where: { userId } }))) return null
  const session = await sessions.startLike(sessionHash, { isDeleting: false })
  if (!session) throw unauthenticated()
  const revoke = async (tx: Transaction) => {
    const user = await lockUser(tx, userId)
    const deletion = await tx.accountDeletion.findUnique({ where: { userId } })
    // Taken back meanwhile, which has ended the session of this request.
    if (!deletion) throw unauthenticated()
    if (deletion.byAdmin) throw deletedByAdministrator()
    const ending = await revokeDeletion(tx, user, { kept: session.hash, canSendMail })
    if (!(await mayReplaceSession(tx, user, session))) throw unauthenticated()
    return ending
  }
  const ending = await replaceSession(sessions, { userId, session }, () => db.$transaction(revoke))
  await finish(deps, ending)
  return session
}

/** Takes the deletion back as an administrator. @throws 403 without the right, 404, 409 when the account is being erased */
export async function restoreUsersAccount(deps: AuthDeps, actorId: number, userId: number): Promise<void> {
  const ending = await deps.db.$transaction(async (tx) => {
    const user = await beginAdministration(tx, actorId, userId)
    if (!(await tx.accountDeletion.findUnique({ where: { userId } }))) return null
    await writeAudit(tx, { actorId, action: 'user.deletion-revoked', ownerId: userId })
    return revokeDeletion(tx, user, { kept: null, canSendMail: deps.canSendMail })
  })
  await finish(deps, ending)
}

async function finish(deps: AuthDeps, ending: bigint | null): Promise<void> {
  deps.onCommit()
  await carryOutEnding(deps, ending)
}

interface RequestedDeletion {
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
async function requestDeletion(
  tx: Transaction,
  user: User,
  { deletionDays, canSendMail }: AuthDeps,
  byAdmin: boolean,
): Promise<RequestedDeletion> {
  const present = await tx.accountDeletion.findUnique({ where: { userId: user.id } })
  if (present) return { deletesAt: present.deletesAt, ending: null, isChanged: await takeOver(tx, present, byAdmin) }
  await requireOtherAdministrator(tx, user)
  await tx.$executeRaw`
    INSERT INTO account_deletions (user_id, by_admin, deletes_at)
    VALUES (${user.id}, ${byAdmin}, now() + make_interval(days => ${deletionDays}))`
  const { deletesAt } = await tx.accountDeletion.findUniqueOrThrow({ where: { userId: user.id } })
  await publishChange(tx, user.id)
  const address = confirmedAddress(user)
  if (canSendMail && address !== null && deletionDays > 0) {
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
async function revokeDeletion(
  tx: Transaction,
  user: User,
  { kept, canSendMail }: { kept: string | null; canSendMail: boolean },
): Promise<bigint> {
  const { count } = await tx.accountDeletion.deleteMany({ where: { userId: user.id, erasingSince: null } })
  if (count === 0) throw conflict('This account is already being erased.', 'account_erasing')
  await publishChange(tx, user.id)
  const address = confirmedAddress(user)
  if (canSendMail && address !== null) await requestMail(tx, { kind: 'deletion-revoked', userId: user.id, address })
  return requestSessionsEnd(tx, user.id, kept)
}

async function publishChange(tx: Transaction, id: number): Promise<void> {
  await publishUserChanged(tx, await tx.user.update({ where: { id }, data: { revision: { increment: 1 } } }))
}

function deletedByAdministrator(): AppError {
  const message = 'An administrator requested the deletion of your account. Only an administrator can take it back.'
  return new AppError(403, 'deleted_by_administrator', message)
}
