import { isAdministrator } from '../accounts/administrators.ts'
import type { Database } from '../database.ts'
import type { Sessions } from '../sessions/sessions.ts'

/**
 * Gives a promoted user's running sessions the right, unless the user has lost it meanwhile. Returns their number. A session
 * that was started since, after a demotion, must not keep it.
 */
export async function grantInSessions(db: Database, sessions: Sessions, userId: number): Promise<number> {
  if (!(await isAdministrator(db, userId))) return 0
  const count = await sessions.updateAll(userId, { isAdmin: true })
  if (await isAdministrator(db, userId)) return count
  await sessions.updateAll(userId, { isAdmin: false })
  return 0
}
