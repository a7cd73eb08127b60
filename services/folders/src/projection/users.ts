import { requestErasure } from '@skyfolio/kit'
import type { Transaction } from '../database.ts'
import type { User } from '../generated/client.ts'

/** First key of the advisory locks of users; the second is the user's id. */
const USER_LOCK = 2

/**
 * What is known of a user, which stays so until the transaction ends: what it inserts for the user is seen by every later
 * change of the user. A user of whom no event has arrived yet is not suspended.
 */
export async function holdUser(tx: Transaction, id: number): Promise<{ suspended: boolean; deleted: boolean }> {
  await shareUserLock(tx, id)
  const user = await tx.user.findUnique({ where: { id } })
  return { suspended: user?.suspended ?? false, deleted: user?.deleted ?? false }
}

/** Keeps changes of the user waiting until the transaction ends. Later statements see the user's current state. */
export async function shareUserLock(tx: Transaction, id: number): Promise<void> {
  await tx.$executeRaw`SELECT pg_advisory_xact_lock_shared(${USER_LOCK}::integer, ${id}::integer)`
}

/** Stores a user's state unless a newer revision is stored, or the deletion. */
export async function saveUser(
  tx: Transaction,
  { id, suspended, displayName, revision }: Omit<User, 'deleted'>,
): Promise<void> {
  await lockUser(tx, id)
  const before = await tx.user.findUnique({ where: { id }, select: { displayName: true } })
  const saved = await tx.$executeRaw`
    INSERT INTO users AS known (id, suspended, display_name, revision)
    VALUES (${id}, ${suspended}, ${displayName}, ${revision})
    ON CONFLICT (id) DO UPDATE
    SET suspended = excluded.suspended, display_name = excluded.display_name, revision = excluded.revision
    WHERE known.revision <= excluded.revision AND NOT known.deleted`
  await refreshFolders(tx, id, saved > 0 && (before?.displayName ?? null) !== displayName)
}

/** Replaces a user by a tombstone, whose folders nobody sees any more, and requests their erasure. */
export async function deleteUser(tx: Transaction, id: number): Promise<void> {
  await lockUser(tx, id)
  await tx.$executeRaw`
    INSERT INTO users (id, suspended, revision, deleted) VALUES (${id}, true, 0, true)
    ON CONFLICT (id) DO UPDATE SET suspended = true, display_name = NULL, revision = 0, deleted = true`
  await refreshFolders(tx, id, false)
  await requestErasure(tx, id)
}

async function lockUser(tx: Transaction, id: number): Promise<void> {
  await tx.$executeRaw`SELECT pg_advisory_xact_lock(${USER_LOCK}::integer, ${id}::integer)`
}

/**
 * Gives the user's folders the user's state. A new version for each one that has another state, or for all of a renamed user,
 * so that nobody is served a page from before.
 */
async function refreshFolders(tx: Transaction, userId: number, isRenamed: boolean): Promise<void> {
  // In the order of ids, like changes of photos that touch two folders.
  await tx.$executeRaw`
    WITH outdated AS MATERIALIZED (
      SELECT folders.id, users.suspended FROM folders JOIN users ON users.id = folders.user_id
      WHERE folders.user_id = ${userId} AND (folders.owner_suspended <> users.suspended OR ${isRenamed})
      ORDER BY folders.id FOR NO KEY UPDATE OF folders
    )
    UPDATE folders SET owner_suspended = outdated.suspended, contents_version = contents_version + 1
    FROM outdated WHERE folders.id = outdated.id`
}
