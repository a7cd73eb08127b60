import type { User } from '../generated/client.ts'
import type { Passwords } from './passwords.ts'
import type { RateLimits } from './rate-limits.ts'

export interface CheckPasswordDeps {
  passwords: Passwords
  rateLimits: RateLimits
}

/**
 * Whether it is the password of this user. Wrong ones are limited for the user, apart from failed logins.
 * @throws 429 after too many of them
 */
export async function checkPassword(
  { passwords, rateLimits }: CheckPasswordDeps,
  user: User,
  password: string,
  clientAddress: string,
): Promise<boolean> {
  const attempt = await rateLimits.ownPassword(user.id, clientAddress)
  const isRight = await passwords.verify(user.passwordHash, password).catch(async (error) => {
    await attempt.refund()
    throw error
  })
  if (isRight) await attempt.refund()
  return isRight
}
