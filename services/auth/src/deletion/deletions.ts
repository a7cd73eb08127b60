import { AppError, invalidFields, notFound, type UserIdentity, unauthenticated } from '@skyfolio/kit'
import { beginAdministration, lockAdministrators } from '../accounts/administrators.ts'
import { type CheckPasswordDeps, checkPassword } from '../accounts/check-password.ts'
import { findAndLockUser, lockUser } from '../accounts/lock-user.ts'
import { writeAudit } from '../audit/write-audit.ts'
import type { Database, Transaction } from '../database.ts'
import { mayReplaceSession, replaceSession } from '../sessions/replace-session.ts'
import type { SessionEndings } from '../sessions/session-endings.ts'
import type { NewSession, Sessions } from '../sessions/sessions.ts'
import { type DeletionOptions, requestDeletion, revokeDeletion } from './request-deletion.ts'

export interface DeletionDeps extends CheckPasswordDeps, DeletionOptions {
  db: Database
  sessions: Sessions
  sessionEndings: SessionEndings
  /** Called after a commit with events. */
  onCommit(): void
}

/** What users and administrators do about the deletion of an account. */
export interface Deletions {
  /**
   * Requests the deletion of the own account and ends all its sessions. Returns when it is deleted.
   * @throws 400 when the password is wrong, 409 for the last administrator, 429 after too many wrong passwords
   */
  requestOwn(identity: UserIdentity, password: string): Promise<Date>
  /**
   * Takes the deletion of the own account back, and ends its sessions. Returns the new one of the browser, null when nothing
   * was requested. @throws 403 when an administrator requested it, 409 when the account is already being erased
   */
  restoreOwn(identity: UserIdentity): Promise<NewSession | null>
  /** Requests the deletion as an administrator. @throws 403 without the right, 404, 409 for the last administrator */
  request(actorId: number, userId: number): Promise<Date>
  /** Takes the deletion back as an administrator. @throws 403 without the right, 404, 409 when the account is being erased */
  restore(actorId: number, userId: number): Promise<void>
}

export function createDeletions(deps: DeletionDeps): Deletions {
  const { db, days, canSendMail, sessions, sessionEndings, onCommit } = deps

  async function finish(ending: bigint | null): Promise<void> {
    onCommit()
    if (ending !== null) await sessionEndings.carryOut(ending)
  }

  /** @throws 403, 409 */
  async function revokeOwn(tx: Transaction, userId: number, session: NewSession): Promise<bigint> {
    const user = await lockUser(tx, userId)
    const deletion = await tx.accountDeletion.findUnique({ where: { userId } })
    // Taken back meanwhile, which has ended the session of this request.
    if (!deletion) throw unauthenticated()
    if (deletion.byAdmin) throw deletedByAdministrator()
    const ending = await revokeDeletion(tx, user, { kept: session.hash, canSendMail })
    if (!(await mayReplaceSession(tx, user, session))) throw unauthenticated()
    return ending
  }

  return {
    async requestOwn(identity, password) {
      const { userId } = identity
      const user = await db.user.findUnique({ where: { id: userId } })
      if (!user) throw unauthenticated()
      if (!(await checkPassword(deps, user, { password, address: identity.address }))) throw wrongPassword()
      const { deletesAt, ending } = await db.$transaction(async (tx) => {
        await lockAdministrators(tx)
        const locked = await lockUser(tx, userId)
        if (locked.passwordHash !== user.passwordHash) throw wrongPassword()
        return requestDeletion(tx, locked, { byAdmin: false, days, canSendMail })
      })
      await finish(ending)
      return deletesAt
    },

    async restoreOwn({ userId, sessionHash }) {
      if (!(await db.accountDeletion.findUnique({ where: { userId } }))) return null
      const session = await sessions.startLike(sessionHash, { isDeleting: false })
      if (!session) throw unauthenticated()
      const ending = await replaceSession(sessions, { userId, session }, () =>
        db.$transaction((tx) => revokeOwn(tx, userId, session)),
      )
      await finish(ending)
      return session
    },

    async request(actorId, userId) {
      const { deletesAt, ending } = await db.$transaction(async (tx) => {
        await beginAdministration(tx, actorId)
        const user = await findAndLockUser(tx, userId)
        if (!user) throw noSuchUser()
        const requested = await requestDeletion(tx, user, { byAdmin: true, days, canSendMail })
        if (requested.isChanged) await writeAudit(tx, { actorId, action: 'user.deletion-requested', ownerId: userId })
        return requested
      })
      await finish(ending)
      return deletesAt
    },

    async restore(actorId, userId) {
      const ending = await db.$transaction(async (tx) => {
        await beginAdministration(tx, actorId)
        const user = await findAndLockUser(tx, userId)
        if (!user) throw noSuchUser()
        if (!(await tx.accountDeletion.findUnique({ where: { userId } }))) return null
        await writeAudit(tx, { actorId, action: 'user.deletion-revoked', ownerId: userId })
        return revokeDeletion(tx, user, { kept: null, canSendMail })
      })
      await finish(ending)
    },
  }
}

function wrongPassword(): AppError {
  return invalidFields({ password: 'Incorrect password' })
}

function noSuchUser(): AppError {
  return notFound('This user does not exist.')
}

function deletedByAdministrator(): AppError {
  const message = 'An administrator requested the deletion of your account. Only an administrator can take it back.'
  return new AppError(403, 'deleted_by_administrator', message)
}
