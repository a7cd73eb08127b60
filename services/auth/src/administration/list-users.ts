import { noSuchUser } from '../accounts/administrators.ts'
import { decodeCursor, encodeCursor } from '../cursors.ts'
import type { Database } from '../database.ts'
import type { User } from '../generated/client.ts'
import {
  afterCondition,
  type FoundUsers,
  orderBy,
  POSITION,
  roleCondition,
  searchUsers,
  type UserPosition,
  type UserQuery,
  type UserSlice,
} from './search-users.ts'

const LAST_ID = 2n ** 31n - 1n

type UserFields = 'id' | 'username' | 'email' | 'emailConfirmed' | 'firstName' | 'lastName' | 'isAdmin' | 'disabled'

/** A user as administrators see them. */
export interface AdminUser extends Pick<User, UserFields | 'createdAt' | 'quota'> {
  lastActiveAt: Date | null
  /** Photos of the gallery. */
  photoCount: number
  /** Bytes of all originals. */
  storageUsed: bigint
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

export interface UserPage {
  users: AdminUser[]
  /** Cursor of the next page; null on the last one. */
  next: string | null
  /** The length of the whole list; with a text exact up to `MAX_COUNT`, and one more stands for more. */
  total: number
}

/** Reads one page of users; the cursor is from the page before, null for the first one. @throws 400 for an invalid cursor */
export async function listUsers(
  db: Database,
  query: UserQuery,
  { limit, cursor }: { limit: number; cursor: string | null },
): Promise<UserPage> {
  const after = cursor === null ? null : decodeCursor(cursor, LAST_ID)
  const slice = { after, take: limit + 1 }
  const { q } = query
  const { positions, total } = await (q === null
    ? readPositions(db, query, slice)
    : searchUsers(db, { ...query, q }, slice))
  const ids = positions.slice(0, limit).map(({ id }) => id)
  const last = positions[limit - 1]
  return {
    users: await readAdminUsers(db, ids),
    next: positions.length > limit && last ? encodeCursor({ time: last.createdAt, number: BigInt(last.id) }) : null,
    total,
  }
}

async function readPositions(db: Database, query: UserQuery, { after, take }: UserSlice): Promise<FoundUsers> {
  const [positions, total] = await Promise.all([
    db.$queryRaw<UserPosition[]>`
      SELECT ${POSITION} FROM listed_users WHERE ${roleCondition(query)} ${afterCondition(query, after)}
      ORDER BY ${orderBy(query)} LIMIT ${take}::int`,
    countUsers(db, query),
  ])
  return { positions, total }
}

/** From the table that keeps the counts of both roles. */
async function countUsers(db: Database, { isAdmin }: UserQuery): Promise<number> {
  const counts = await db.userCount.findMany({ where: isAdmin === null ? {} : { isAdmin } })
  return counts.reduce((sum, { users }) => sum + users, 0)
}
