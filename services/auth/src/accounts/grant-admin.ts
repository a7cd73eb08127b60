import type { Database } from '../database.ts'
import type { Sessions } from '../sessions/sessions.ts'
import { toUsernameKey } from './username-key.ts'

/**
 * Makes a user an administrator, also in running sessions.
 * Returns the username as registered and the number of sessions, or null when there is no such user.
 */
export async function grantAdmin(
  db: Database,
  sessions: Sessions,
  username: string,
): Promise<{ username: string; sessions: number } | null> {
  const where = { usernameKey: toUsernameKey(username) }
  const [user] = await db.user.updateManyAndReturn({ where, data: { isAdmin: true } })
  return user ? { username: user.username, sessions: await sessions.setAdmin(user.id, true) } : null
}
