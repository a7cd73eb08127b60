import type { PrismaClient } from '../generated/client.ts'
import type { Sessions } from '../sessions/sessions.ts'
import { usernameKey } from './usernames.ts'

/**
 * Makes a user an administrator, in the sessions that run already too.
 * Returns the username as registered and the number of sessions, or null when there is no such user.
 */
export async function grantAdmin(
  prisma: PrismaClient,
  sessions: Sessions,
  username: string,
): Promise<{ username: string; sessions: number } | null> {
  const where = { usernameKey: usernameKey(username) }
  const found = await prisma.user.updateManyAndReturn({ where, data: { isAdmin: true } })
  const user = found[0]
  return user ? { username: user.username, sessions: await sessions.setAdmin(user.id, true) } : null
}
