import type { Position } from '../cursors.ts'
import type { Database } from '../database.ts'
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
  after: Position | null
  take: number
}

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
export function afterCondition({ sort }: UserQuery, after: Position | null): Prisma.Sql {
  if (!after) return Prisma.empty
  const position = Prisma.sql`(${after.time}::timestamptz, ${after.number}::int)`
  return sort === 'newest'
    ? Prisma.sql`AND (created_at, user_id) < ${position}`
    : Prisma.sql`AND (created_at, user_id) > ${position}`
}

/*
 * Users with a term in username, address or name. A frequent term is found fastest by a scan of the list, a rare one by the
 * trigram index. The planner does not choose between the two: it does not know how often users have a term.
 */

/** The limit of counting matches. */
export const MAX_COUNT = 1000
/** Users of the list that are scanned before the index is used: per requested match, and at least. */
const SCANNED_PER_MATCH = 10
const MIN_SCANNED = 1500
const ALL = 2 ** 31 - 1

export interface FoundUsers {
  positions: UserPosition[]
  /** How many match, counted up to `MAX_COUNT + 1`. */
  total: number
}

interface Search extends UserQuery {
  q: string
}

/** The first matches of a slice, and how many there are in the whole list. */
export async function searchUsers(db: Database, query: Search, slice: UserSlice): Promise<FoundUsers> {
  // Stored texts have none of these characters, and PostgreSQL cannot represent the first.
  // biome-ignore lint/suspicious/noControlCharactersInRegex: the pattern looks for them
  if (/[\0\x01]/.test(query.q)) return { positions: [], total: 0 }
  const scanned = await scanList(db, query, slice, Math.max(MIN_SCANNED, slice.take * SCANNED_PER_MATCH))
  if (scanned.length === slice.take) return { positions: scanned, total: await countMatches(db, query) }
  const indexed = isIndexed(query.q) ? await searchIndex(db, query, slice) : null
  if (indexed && indexed.total <= MAX_COUNT) return indexed
  const [positions, total] = [await scanList(db, query, slice, ALL), indexed?.total ?? (await countMatches(db, query))]
  return { positions, total }
}

/** The trigram index finds only terms with three letters or digits in a row. */
function isIndexed(q: string): boolean {
  return /[\p{L}\p{N}]{3}/u.test(q)
}

/** The matches among the next `scanLimit` users of the list. Stops when it has found enough. */
async function scanList(
  db: Database,
  query: Search,
  { after, take }: UserSlice,
  scanLimit: number,
): Promise<UserPosition[]> {
  return db.$queryRaw`
    SELECT ${POSITION} FROM (${scannedUsers(query, after, scanLimit)}) AS next WHERE hit LIMIT ${take}::int`
}

/** The next `scanLimit` users of the list, with whether they match. */
function scannedUsers(query: Search, after: Position | null, scanLimit: number): Prisma.Sql {
  return Prisma.sql`
    SELECT user_id, created_at, search LIKE containing(${query.q}) AS hit FROM listed_users
    WHERE ${roleCondition(query)} ${afterCondition(query, after)} ORDER BY ${orderBy(query)} LIMIT ${scanLimit}::int`
}

/** The slice by the index of texts. Where more than `MAX_COUNT` match it is not complete. */
async function searchIndex(db: Database, query: Search, { after, take }: UserSlice): Promise<FoundUsers> {
  const rows = await db.$queryRaw<{ id: number | null; createdAt: string; total: number }[]>`
    WITH matches AS MATERIALIZED (SELECT * FROM ${matchingUsers(query)}),
    shown AS (
      SELECT user_id, created_at FROM matches WHERE true ${afterCondition(query, after)}
      ORDER BY ${orderBy(query)} LIMIT ${take}::int)
    SELECT ${POSITION}, total FROM (SELECT count(*)::int AS total FROM matches) AS counted LEFT JOIN shown ON true
    ORDER BY ${orderBy(query)}`
  const positions = rows.flatMap(({ id, createdAt }) => (id === null ? [] : { id, createdAt }))
  return { positions, total: rows[0]?.total ?? 0 }
}

function matchingUsers({ q, isAdmin }: Search): Prisma.Sql {
  return Prisma.sql`users_like(containing(${q}), ${isAdmin}::boolean, ${MAX_COUNT + 1}::int)`
}

/** Counts the matches of the whole list up to `MAX_COUNT + 1`: by a short scan if they are frequent, else by the index. */
async function countMatches(db: Database, query: Search): Promise<number> {
  const most = Prisma.sql`${MAX_COUNT + 1}::int`
  const indexed = isIndexed(query.q)
  const newest = scannedUsers({ ...query, sort: 'newest' }, null, indexed ? MIN_SCANNED : ALL)
  const [row] = await db.$queryRaw<[{ count: number }]>`
    WITH soon AS (SELECT count(*) FROM (SELECT 1 FROM (${newest}) AS next WHERE hit LIMIT ${most}) AS hits)
    SELECT (CASE
      WHEN ${!indexed} OR (SELECT count FROM soon) >= ${most} THEN (SELECT count FROM soon)
      ELSE (SELECT count(*) FROM ${matchingUsers(query)})
    END)::int AS count`
  return row.count
}
