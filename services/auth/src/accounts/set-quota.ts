import type { Database } from '../database.ts'
import { publishUserChanged } from '../events.ts'
import { toUsernameKey } from './username-key.ts'

/**
 * Sets how many bytes the photos of a user may take; null: the installation's default. Returns the username as registered, or
 * null when there is no such user.
 */
export async function setQuota(db: Database, username: string, quota: bigint | null): Promise<string | null> {
  return db.$transaction(async (tx) => {
    const where = { usernameKey: toUsernameKey(username) }
    const [user] = await tx.user.updateManyAndReturn({ where, data: { quota, revision: { increment: 1 } } })
    if (!user) return null
    await publishUserChanged(tx, user)
    return user.username
  })
}
