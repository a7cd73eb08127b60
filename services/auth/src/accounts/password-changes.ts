import { type AppError, conflict, invalidFields, type UserIdentity, unauthenticated } from '@skyfolio/kit'
import type { Database, Transaction } from '../database.ts'
import type { User } from '../generated/client.ts'
import { mailNotConfigured } from '../mail/mail-not-configured.ts'
import { requestMail } from '../mail/request-mail.ts'
import { mayReplaceSession, replaceSession } from '../sessions/replace-session.ts'
import { requestSessionsEnd, type SessionEndings } from '../sessions/session-endings.ts'
import type { NewSession, Sessions } from '../sessions/sessions.ts'
import { consumeToken, deleteTokens, linkExpired, readToken } from '../tokens/tokens.ts'
import { confirmedAddress } from './address.ts'
import { type CheckPasswordDeps, checkPassword, knownUser } from './check-password.ts'
import { commonPasswordProblem } from './common-passwords.ts'
import { confirmPassword } from './confirm-password.ts'
import { findAndLockUser, lockUser } from './lock-user.ts'
import type { PasswordChange, PasswordReset } from './password-forms.ts'
import { rejectProblems } from './user-fields.ts'

export interface PasswordChangeDeps extends CheckPasswordDeps {
  db: Database
  sessions: Sessions
  sessionEndings: SessionEndings
  /** Whether a mail server is configured. */
  canSendMail: boolean
}

const SAME_PASSWORD = 'Choose a password that differs from the current one'

/** Hashes take their time while others sign in, so no transaction waits for one. Of concurrent changes one succeeds. */
export interface PasswordChanges {
  /**
   * Changes the password and ends the user's sessions. Returns the new one of the browser.
   * @throws 400 when the current password is wrong, 409 when it was changed meanwhile, 429 after too many wrong ones or changes
   */
  change(identity: UserIdentity, change: PasswordChange): Promise<NewSession>
  /** Notes in the session that the password was just entered. @throws 400 when it is wrong, 429 after too many wrong ones */
  confirm(identity: UserIdentity, password: string | undefined): Promise<void>
  /**
   * Requests a mail with a link for each account that has the address. The work is the same for every address: the worker
   * looks the accounts up.
   * @throws 429 after too many requests, 503 without a mail server
   */
  requestReset(email: string, clientAddress: string): Promise<void>
  /**
   * Sets the password with the token of such a link and ends all sessions of the user. Returns the username.
   * @throws 400 when the password resembles the username, 410 when the token is unknown, used, replaced or expired
   */
  reset(reset: PasswordReset, clientAddress: string): Promise<string>
}

interface NewPassword {
  passwordHash: string
  by: 'change' | 'reset'
  /** Hash of the session that stays. */
  kept: string | null
}

export function createPasswordChanges(deps: PasswordChangeDeps): PasswordChanges {
  const { db, passwords, rateLimits, sessions, sessionEndings, canSendMail } = deps

  /** Stores the hash, with the mail about it and the end of the sessions. Links that were sent for a reset become invalid. */
  async function setPassword(tx: Transaction, user: User, { passwordHash, by, kept }: NewPassword): Promise<bigint> {
    await tx.user.update({ where: { id: user.id }, data: { passwordHash } })
    await deleteTokens(tx, user.id, 'reset-password')
    const address = confirmedAddress(user)
    if (canSendMail && address)
      await requestMail(tx, { kind: 'password-changed', userId: user.id, address, data: { by } })
    return requestSessionsEnd(tx, user.id, kept)
  }

  return {
    async change(identity, { currentPassword, newPassword }) {
      const user = await db.user.findUnique({ where: { id: identity.userId } })
      if (!user) throw unauthenticated()
      const { address } = identity
      const isRight = await checkPassword(deps, user, { password: currentPassword, address })
      if (!isRight) throw invalidFields({ currentPassword: 'Current password is incorrect' })
      if (newPassword === currentPassword) throw invalidFields({ newPassword: SAME_PASSWORD })
      await rateLimits.passwordChange(user.id)
      const passwordHash = await passwords.hash(newPassword, knownUser(address))
      const session = await sessions.startLike(identity.sessionHash)
      if (!session) throw unauthenticated()
      const setUnlessChanged = async (tx: Transaction) => {
        const locked = await lockUser(tx, user.id)
        if (locked.passwordHash !== user.passwordHash) throw changedMeanwhile()
        if (!(await mayReplaceSession(tx, locked, session))) throw unauthenticated()
        return setPassword(tx, locked, { passwordHash, by: 'change', kept: session.hash })
      }
      const ending = await replaceSession(sessions, { userId: user.id, session }, () =>
        db.$transaction(setUnlessChanged),
      )
      await sessionEndings.carryOut(ending)
      return session
    },

    confirm: (identity, password) => confirmPassword(deps, identity, password),

    async requestReset(email, clientAddress) {
      if (!canSendMail) throw mailNotConfigured()
      await rateLimits.passwordReset(email, clientAddress)
      await requestMail(db, { kind: 'reset-password', userId: null, address: email })
    },

    async reset({ token, password }, clientAddress) {
      const { userId } = await readToken(db, 'reset-password', token)
      const owner = await db.user.findUnique({ where: { id: userId }, select: { username: true } })
      if (!owner) throw linkExpired()
      rejectProblems({ password: commonPasswordProblem(password, owner.username) })
      const passwordHash = await passwords.hash(password, knownUser(clientAddress))
      const ending = await db.$transaction(async (tx) => {
        const user = await findAndLockUser(tx, userId)
        const { address } = await consumeToken(tx, 'reset-password', token)
        // A link to an address that the user has given up since is no longer the user's.
        if (!user || address !== confirmedAddress(user)) throw linkExpired()
        return setPassword(tx, user, { passwordHash, by: 'reset', kept: null })
      })
      await sessionEndings.carryOut(ending)
      return owner.username
    },
  }
}

function changedMeanwhile(): AppError {
  return conflict('Your password has just been changed by another request.', 'password_changed')
}
