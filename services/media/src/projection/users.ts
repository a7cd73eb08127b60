import type { Transaction } from '../database.ts'
import type { User } from '../generated/client.ts'

/** Saves a user if the revision is newer than that of the projection. A deleted user stays deleted. */
export async function saveUser(tx: Transaction, user: Omit<User, 'deleted'>): Promise<void> {
  await tx.$executeRaw`
    INSERT INTO users AS known (id, public_by_default, quota, revision)
    VALUES (${user.id}, ${user.publicByDefault}, ${user.quota}, ${user.revision})
    ON CONFLICT (id) DO UPDATE SET public_by_default = EXCLUDED.public_by_default, quota = EXCLUDED.quota,
      revision = EXCLUDED.revision
    WHERE known.revision < EXCLUDED.revision AND NOT known.deleted`
}

/** Saves a tombstone, which keeps nothing of the user. */
export async function saveUserTombstone(tx: Transaction, id: number): Promise<void> {
  await tx.$executeRaw`
    INSERT INTO users (id, public_by_default, revision, deleted) VALUES (${id}, false, 0, true)
    ON CONFLICT (id) DO UPDATE SET public_by_default = false, quota = NULL, revision = 0, deleted = true`
}
