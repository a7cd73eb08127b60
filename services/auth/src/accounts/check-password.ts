import { siteOf } from '@skyfolio/kit'
import type { User } from '../generated/client.ts'
import type { Applicant, Passwords } from './passwords.ts'
import type { RateLimits } from './rate-limits.ts'

export interface CheckPasswordDeps {
  passwords: Passwords
  rateLimits: RateLimits
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
  { passwords, rateLimits }: CheckPasswordDeps,
  user: User,
  { password, address }: { password: string; address: string },
): Promise<boolean> {
  const attempt = await rateLimits.ownPassword(user.id)
  const isRight = await passwords.verify(user.passwordHash, password, knownUser(address)).catch(async (error) => {
    await attempt.refund()
    throw error
  })
  if (isRight) await attempt.refund()
  return isRight
}
