import { type AppError, invalidFields, siteOf, type UserIdentity, unauthenticated } from '@skyfolio/kit'
import type { Applicant } from '@skyfolio/kit/passwords'
import type { AuthDeps } from '../deps.ts'
import type { User } from '../generated/client.ts'
import { readUser } from './users.ts'

export interface EnteredPassword {
  password: string
  /** Of the client. */
  address: string
}

/** A user who is signed in, or has a link of a mail, as an applicant for a place in the queue of passwords. */
export function knownUser(address: string): Applicant {
  return { site: siteOf(address), isStranger: false }
}

/**
 * Whether it is the password of this user. Wrong ones are limited for the user, apart from failed logins.
 * @throws 429 after too many of them
 */
export async function checkPassword(
  { passwords, rateLimits }: AuthDeps,
  user: User,
  { password, address }: EnteredPassword,
): Promise<boolean> {
  const attempt = await rateLimits.ownPassword(user.id)
  const isRight = await passwords.verify(user.passwordHash, password, knownUser(address)).catch(async (error) => {
    await attempt.refund()
    throw error
  })
  if (isRight) await attempt.refund()
  return isRight
}

/** @throws 400 when the password is missing or wrong, 429 after too many wrong ones */
export async function requirePassword(deps: AuthDeps, user: User, entered: EnteredPassword): Promise<void> {
  if (entered.password === '') throw invalidFields({ password: 'Password is required' })
  if (!(await checkPassword(deps, user, entered))) throw wrongPassword()
}

/**
 * Notes in the session that its user has just entered the password. A session that a changed password has ended meanwhile
 * stays ended.
 * @throws 400 and 429 as `requirePassword`
 */
export async function confirmPassword(deps: AuthDeps, identity: UserIdentity, password: string): Promise<void> {
  await requirePassword(deps, await readUser(deps.db, identity.userId), { password, address: identity.address })
  const isNoted = await deps.sessions.update(identity.sessionHash, { confirmedAt: new Date().toISOString() })
  if (!isNoted) throw unauthenticated()
}

/** 400 */
export function wrongPassword(): AppError {
  return invalidFields({ password: 'Incorrect password' })
}
