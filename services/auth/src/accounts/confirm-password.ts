import { invalidFields, type UserIdentity, unauthenticated } from '@skyfolio/kit'
import type { Database } from '../database.ts'
import type { Sessions } from '../sessions/sessions.ts'
import { type CheckPasswordDeps, checkPassword } from './check-password.ts'

export interface ConfirmPasswordDeps extends CheckPasswordDeps {
  db: Database
  sessions: Sessions
}

/**
 * Notes in the session that its user has just entered the password. A session that a changed password has ended meanwhile
 * stays ended.
 * @throws 400 when it is missing or wrong, 429 after too many wrong ones
 */
export async function confirmPassword(deps: ConfirmPasswordDeps, identity: UserIdentity, password = ''): Promise<void> {
  if (password === '') throw invalidFields({ password: 'Password is required' })
  const user = await deps.db.user.findUnique({ where: { id: identity.userId } })
  if (!user) throw unauthenticated()
  const isRight = await checkPassword(deps, user, { password, address: identity.address })
  if (!isRight) throw invalidFields({ password: 'Incorrect password' })
  const isNoted = await deps.sessions.update(identity.sessionHash, { confirmedAt: new Date().toISOString() })
  if (!isNoted) throw unauthenticated()
}
