import type { Database } from '../database.ts'
import { type AdminUser, readAdminUsers } from './admin-users.ts'
import { type FoundUsers, searchUsers } from './search-users.ts'
import {
  afterCondition,
  decodeCursor,
  encodeCursor,
  orderBy,
  POSITION,
  roleCondition,
  type UserPosition,
  type UserQuery,
  type UserSlice,
} from './user-query.ts'

export interface UserPageRequest {
  limit: number
  /** From the page before; null for the first page. */
  cursor: string | null
}

export interface UserPage {
  users: AdminUser[]
  /** Cursor of the next page; null on the last one. */
  next: string | null
  /** The length of the whole list; with a text exact up to `MAX_COUNT`, and one more stands for more. */
  total: number
}

/** Reads one page of users. @throws 400 for an invalid cursor */
export async function listUsers(db: Database, query: UserQuery, { limit, cursor }: UserPageRequest): Promise<UserPage> {
  const after = cursor === null ? null : decodeCursor(cursor)
  const slice = { after, take: limit + 1 }
  const { q } = query
  const { positions, total } = await (q === null
    ? readPositions(db, query, slice)
    : searchUsers(db, { ...query, q }, slice))
  const shown = positions.slice(0, limit)
  const last = shown.at(-1)
  return {
    users: await readAdminUsers(
      db,
      shown.map(({ id }) => id),
    ),
    next: positions.length > limit && last ? encodeCursor(last) : null,
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
