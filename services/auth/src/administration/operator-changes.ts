import { toUsernameKey } from '../accounts/username-key.ts'
import type { Database } from '../database.ts'
import type { SessionEndings } from '../sessions/session-endings.ts'
import type { Sessions } from '../sessions/sessions.ts'
import type { UserChanges } from './change-form.ts'
import { changeUser } from './change-user.ts'
import { grantInSessions } from './grant-in-sessions.ts'

export interface OperatorDeps {
  db: Database
  sessions: Sessions
  sessionEndings: SessionEndings
}

/**
 * Changes a user by a command, under the rules that hold for administrators. Returns the username as registered and how many
 * running sessions got the administrator's right, or null when there is no such user.
 * @throws 409 for the last administrator and while the account is erased
 */
export async function changeAsOperator(
  { db, sessions, sessionEndings }: OperatorDeps,
  username: string,
  changes: Pick<UserChanges, 'isAdmin' | 'disabled' | 'quota'>,
): Promise<{ username: string; sessions: number } | null> {
  const found = await db.user.findUnique({ where: { usernameKey: toUsernameKey(username) }, select: { id: true } })
  if (!found) return null
  const request = { actorId: null, userId: found.id, changes, canSendMail: false }
  const { user, ending } = await db.$transaction((tx) => changeUser(tx, request))
  if (ending !== null) await sessionEndings.carryOut(ending)
  // Also of one who is an administrator already: the sessions may be late.
  const count = changes.isAdmin ? await grantInSessions(db, sessions, user.id) : 0
  return { username: user.username, sessions: count }
}
