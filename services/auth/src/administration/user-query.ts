import { cursorInvalid } from '@skyfolio/kit'
import { isExactTime } from '../exact-time.ts'
import { Prisma } from '../generated/client.ts'

/** Which users a list has, and in which order. */
export interface UserQuery {
  /** Null matches every user. */
  q: string | null
  /** Null: both roles. */
  isAdmin: boolean | null
  sort: 'newest' | 'oldest'
}

/** The position of a user in a list. */
export interface UserPosition {
  id: number
  /** ISO 8601 with microseconds, as PostgreSQL has them. */
  createdAt: string
}

export interface UserSlice {
  /** Only users after this position. */
  after: UserPosition | null
  take: number
}

const LAST_ID = 2 ** 31 - 1

/** The position of a row of `listed_users`. */
export const POSITION = Prisma.sql`user_id AS id,
  to_char(created_at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"') AS "createdAt"`

/** Exactly one index has these rows in the order of the list. */
export function roleCondition({ isAdmin }: UserQuery): Prisma.Sql {
  return isAdmin === null ? Prisma.sql`true` : Prisma.sql`is_admin = ${isAdmin}`
}

export function orderBy({ sort }: UserQuery): Prisma.Sql {
  return sort === 'newest' ? Prisma.sql`created_at DESC, user_id DESC` : Prisma.sql`created_at, user_id`
}

/** A further condition: only users after the position. */
export function afterCondition({ sort }: UserQuery, after: UserPosition | null): Prisma.Sql {
  if (!after) return Prisma.empty
  const position = Prisma.sql`(${after.createdAt}::timestamptz, ${after.id}::int)`
  return sort === 'newest'
    ? Prisma.sql`AND (created_at, user_id) < ${position}`
    : Prisma.sql`AND (created_at, user_id) > ${position}`
}

/** Encodes a position for a link. The cursor stays valid when the user is deleted. */
export function encodeCursor({ createdAt, id }: UserPosition): string {
  return Buffer.from(`${createdAt} ${id}`).toString('base64url')
}

/** @throws 400 for an invalid cursor */
export function decodeCursor(cursor: string): UserPosition {
  const [createdAt = '', number = ''] = Buffer.from(cursor, 'base64url').toString().split(' ')
  const isPosition = isExactTime(createdAt) && /^\d{1,10}$/.test(number) && Number(number) <= LAST_ID
  if (!isPosition) throw cursorInvalid()
  return { createdAt, id: Number(number) }
}
