import { notFound } from '@skyfolio/kit'
import type { Database } from '../database.ts'

/** A user as administrators see them. */
export interface AdminUser {
  id: number
  username: string
  email: string | null
  emailConfirmed: boolean
  firstName: string | null
  lastName: string | null
  isAdmin: boolean
  disabled: boolean
  createdAt: Date
  lastActiveAt: Date | null
  /** Photos of the gallery. */
  photoCount: number
  /** Bytes of all originals. */
  storageUsed: bigint
  /** Bytes; null: the installation's default. */
  quota: bigint | null
  /** When the account is deleted; null unless that was requested. */
  deletesAt: Date | null
  /** Whether an administrator requested it. */
  deletionByAdmin: boolean
}

/** Reads users in the order of these ids. One that was deleted meanwhile is left out. */
export async function readAdminUsers(db: Database, ids: number[]): Promise<AdminUser[]> {
  const rows = await db.$queryRaw<AdminUser[]>`
    SELECT users.id, username, email, email_confirmed AS "emailConfirmed", first_name AS "firstName",
      last_name AS "lastName", is_admin AS "isAdmin", disabled, created_at AS "createdAt",
      last_active_at AS "lastActiveAt", coalesce(photos, 0) AS "photoCount", coalesce(bytes, 0) AS "storageUsed", quota,
      deletes_at AS "deletesAt", coalesce(by_admin, false) AS "deletionByAdmin"
    FROM users LEFT JOIN user_usage ON user_usage.user_id = users.id
      LEFT JOIN user_activity ON user_activity.user_id = users.id
      LEFT JOIN account_deletions ON account_deletions.user_id = users.id
    WHERE users.id = ANY(${ids})`
  const byId = new Map(rows.map((row) => [row.id, row]))
  return ids.flatMap((id) => byId.get(id) ?? [])
}

/** @throws 404 */
export async function readAdminUser(db: Database, id: number): Promise<AdminUser> {
  const [user] = await readAdminUsers(db, [id])
  if (!user) throw noSuchUser()
  return user
}

export function noSuchUser() {
  return notFound('There is no such user.')
}
