import { conflict, invalidFields, type UserIdentity, unauthenticated } from '@skyfolio/kit'
import { normalizePassword } from '@skyfolio/kit/passwords'
import type { Transaction } from '../database.ts'
import type { AuthDeps } from '../deps.ts'
import type { User } from '../generated/client.ts'
import { mailNotConfigured, requestMail } from '../mail/request-mail.ts'
import { carryOutEnding, mayReplaceSession, replaceSession, requestSessionsEnd } from '../sessions/session-endings.ts'
import type { NewSession } from '../sessions/sessions.ts'
import { consumeToken, deleteTokens, linkExpired, readToken } from '../tokens/tokens.ts'
import { confirmedAddress } from './address.ts'
import { checkPassword, knownUser } from './check-password.ts'
import { commonPasswordProblem } from './common-passwords.ts'
import type { PasswordChange, PasswordReset } from './forms.ts'
import { rejectProblems } from './user-fields.ts'
import { findAndLockUser, lockUser, readUser } from './users.ts'

// Hashes take their time while others sign in, so no transaction waits for one. Of concurrent changes one succeeds.

const SAME_PASSWORD = 'Choose a password that differs from the current one'

/**
 * Changes the password and ends the user's sessions. Returns the new one of the browser.
 * @throws 400 when the current password is wrong, 409 when it was changed meanwhile, 429 after too many wrong ones or changes
 */
export async function changePassword(
  deps: AuthDeps,
  { userId, sessionHash, address }: UserIdentity,
  { currentPassword, newPassword }: PasswordChange,
): Promise<NewSession> {
  const { db, passwords, rateLimits, sessions } = deps
  const user = await readUser(db, userId)
  const isRight = await checkPassword(deps, user, { password: currentPassword, address })
  if (!isRight) throw invalidFields({ currentPassword: 'Current password is incorrect' })
  if (newPassword === normalizePassword(currentPassword)) throw invalidFields({ newPassword: SAME_PASSWORD })
  await rateLimits.passwordChange(userId)
  const passwordHash = await passwords.hash(newPassword, knownUser(address))
  const session = await sessions.startLike(sessionHash)
  if (!session) throw unauthenticated()
  const setUnlessChanged = async (tx: Transaction) => {
    const locked = await lockUser(tx, userId)
    if (locked.passwordHash !== user.passwordHash)
      throw conflict('Your password has just been changed by another request.', 'password_changed')
    if (!(await mayReplaceSession(tx, locked, session))) throw unauthenticated()
    return setPassword(tx, locked, deps, { passwordHash, by: 'change', kept: session.hash })
  }
  const ending = await replaceSession(sessions, { userId, session }, () => db.$transaction(setUnlessChanged))
  await carryOutEnding(deps, ending)
  return session
}

/**
 * Requests a mail with a link for each account that has the address. The work is the same for every address: the worker
 * looks the accounts up.
 * @throws 429 after too many requests, 503 without a mail server
 */
export async function requestReset(
  { db, rateLimits, canSendMail }: AuthDeps,
  email: string,
  clientAddress: string,
): Promise<void> {
  if (!canSendMail) throw mailNotConfigured()
  await rateLimits.passwordReset(email, clientAddress)
  await requestMail(db, { kind: 'reset-password', userId: null, address: email })
}

/**
 * Sets the password with the token of such a link and ends all sessions of the user. Returns the username.
 * @throws 400 when the password resembles the username, 410 when the token is unknown, used, replaced or expired
 */
export async function resetPassword(
  deps: AuthDeps,
  { token, password }: PasswordReset,
  clientAddress: string,
): Promise<string> {
  const { db, passwords } = deps
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
    return setPassword(tx, user, deps, { passwordHash, by: 'reset', kept: null })
  })
  await carryOutEnding(deps, ending)
  return owner.username
}

interface NewPassword {
  passwordHash: string
  by: 'change' | 'reset'
  /** Hash of the session that stays. */
  kept: string | null
}

/** Stores the hash, with the mail about it and the end of the sessions. Links that were sent for a reset become invalid. */
async function setPassword(
  tx: Transaction,
  user: User,
  { canSendMail }: AuthDeps,
  { passwordHash, by, kept }: NewPassword,
): Promise<bigint> {
  await tx.user.update({ where: { id: user.id }, data: { passwordHash } })
  await deleteTokens(tx, user.id, 'reset-password')
  const address = confirmedAddress(user)
  if (canSendMail && address)
    await requestMail(tx, { kind: 'password-changed', userId: user.id, address, data: { by } })
  return requestSessionsEnd(tx, user.id, kept)
}
