import { type App, type AppError, conflict, forbidden, notFound, requireUser } from '@skyfolio/kit'
import type { Database, Transaction } from '../database.ts'
import type { User } from '../generated/client.ts'
import { findAndLockUser } from './users.ts'

/*
 * Somebody must be able to administer the installation. An administrator counts who is not disabled and whose account is not
 * to be deleted. Whatever could take one away, and whatever an administrator does to users, takes the lock first, then the
 * rows of users. So rights that are checked under the lock hold until the commit.
 */

/** Waits until no other transaction changes who administers. The first statement of a transaction. */
export async function lockAdministrators(tx: Transaction): Promise<void> {
  await tx.$executeRaw`SELECT pg_advisory_xact_lock(hashtextextended('administrators', 0))`
}

/** Whether the user may administer now, whatever the session says. */
export async function isAdministrator(db: Database | Transaction, userId: number): Promise<boolean> {
  const rows = await db.$queryRaw<unknown[]>`
    SELECT 1 FROM users WHERE id = ${userId} AND is_admin AND NOT disabled
      AND NOT EXISTS (SELECT FROM account_deletions WHERE user_id = users.id)`
  return rows.length > 0
}

/** Guards every route for administrators: the right is read from the database, since a session may be late. */
export function requireAdministrators(app: App, db: Database): void {
  // After the access check of the server, which is a hook of the same kind.
  app.addHook('preParsing', async (request, _reply, payload) => {
    if (request.routeOptions.config.access !== 'admin') return payload
    if (!(await isAdministrator(db, requireUser(request).userId))) throw forbidden()
    return payload
  })
}

/**
 * Begins a transaction in which an administrator, or by a command an operator (null), changes a user. Locks and returns the user.
 * @throws 403 when the actor is no administrator any more, 404
 */
export async function beginAdministration(tx: Transaction, actorId: number | null, userId: number): Promise<User> {
  await lockAdministrators(tx)
  if (actorId !== null && !(await isAdministrator(tx, actorId))) throw forbidden()
  const user = await findAndLockUser(tx, userId)
  if (!user) throw noSuchUser()
  return user
}

/**
 * Before a change that takes this user away as an administrator, under the lock.
 * @throws 409 `last_administrator` when no other one is left
 */
export async function requireOtherAdministrator(tx: Transaction, { id }: Pick<User, 'id'>): Promise<void> {
  if (!(await isAdministrator(tx, id))) return
  const others = await tx.$queryRaw<unknown[]>`
    SELECT 1 FROM listed_users AS listed JOIN users ON users.id = listed.user_id
    WHERE listed.is_admin AND listed.user_id <> ${id} AND NOT users.disabled
      AND NOT EXISTS (SELECT FROM account_deletions WHERE user_id = users.id) LIMIT 1`
  if (others.length > 0) return
  throw conflict('This is the last administrator. Make somebody else an administrator first.', 'last_administrator')
}

/** 404 */
export function noSuchUser(): AppError {
  return notFound('There is no such user.')
}
