import { Nullable } from '@skyfolio/kit'
import { type Static, Type } from 'typebox'
import type { Database } from '../database.ts'
import { Prisma } from '../generated/client.ts'
import { countListed, isWholeGallery, narrow } from './list-positions.ts'
import { isByTaken, type ListQuery, listCondition, matchesNothing, type Sort } from './list-query.ts'
import { anyMatches } from './text-search.ts'

export const Month = Type.Object({
  month: Nullable(Type.String({ description: 'Like 2026-11; null: without a date' })),
  count: Type.Integer({ minimum: 1 }),
})
type Month = Static<typeof Month>

/** A gallery of more photos has its months from the counts of hours or days, whose number grows slowly. */
const MAX_FEW = 1000
/** The photos of another list are counted one by one, in about 10 ms. */
const MAX_SCANNED = 10_000

/**
 * Counts the photos of a list by month, in its order: by the month of upload in `timeZone`, or that in which they were
 * taken by the camera's clock. Null when the list is filtered or searched and too long to be counted, and for its owner's
 * order, which has no months. In a zone that is
 * not a whole number of hours from UTC, photos of a large gallery within an hour of a month's end count for either month.
 */
export async function listMonths(
  db: Database,
  query: ListQuery,
  sort: Sort,
  timeZone: string,
): Promise<Month[] | null> {
  if (sort === 'own') return null
  if (matchesNothing(query)) return []
  const isCounted = isWholeGallery(query) && (await countListed(db, query)) > MAX_FEW
  if (!isCounted) return scanMonths(db, await narrow(db, query), sort, timeZone)
  return readCounts(db, query.scope.userId, sort, timeZone)
}

function readCounts(db: Database, userId: number, sort: Sort, timeZone: string): Promise<Month[]> {
  const counts = isByTaken(sort)
    ? Prisma.sql`SELECT left(day, 7) AS month, photos FROM photo_taken_days WHERE user_id = ${userId}::int`
    : Prisma.sql`SELECT ${monthOf(Prisma.sql`hour`, timeZone)} AS month, photos FROM photo_hours WHERE user_id = ${userId}::int`
  return sumByMonth(db, counts, sort)
}

async function scanMonths(db: Database, query: ListQuery, sort: Sort, timeZone: string): Promise<Month[] | null> {
  const month = isByTaken(sort)
    ? Prisma.sql`left(coalesce(date_taken, ''), 7)`
    : monthOf(Prisma.sql`created_at`, timeZone)
  const most = MAX_SCANNED + 1
  const listed =
    query.filter.q === null
      ? Prisma.sql`photos WHERE ${listCondition(query, 'newest')} LIMIT ${most}::int`
      : anyMatches(query, most)
  const months = await sumByMonth(db, Prisma.sql`SELECT ${month} AS month, 1 AS photos FROM ${listed}`, sort)
  const total = months.reduce((sum, { count }) => sum + count, 0)
  return total > MAX_SCANNED ? null : months
}

function monthOf(time: Prisma.Sql, timeZone: string): Prisma.Sql {
  return Prisma.sql`to_char(${time} AT TIME ZONE (SELECT known_zone(${nameOrUtc(timeZone)})), 'YYYY-MM')`
}

/**
 * UTC in place of what is no name of a zone. PostgreSQL takes any text like `ABC5` for a zone, and each of its connections
 * keeps every one that it was given, 24 KB each.
 */
function nameOrUtc(timeZone: string): string {
  try {
    Intl.DateTimeFormat('en', { timeZone })
    return timeZone
  } catch {
    return 'UTC'
  }
}

/** Sums numbers of photos by month. */
function sumByMonth(db: Database, counts: Prisma.Sql, sort: Sort): Promise<Month[]> {
  const isDescending = sort === 'newest' || sort === 'taken-newest'
  return db.$queryRaw<Month[]>`
    SELECT nullif(month, '') AS month, sum(photos)::int AS count FROM (${counts}) AS counts GROUP BY counts.month
    ORDER BY counts.month = '', counts.month COLLATE "C" ${isDescending ? Prisma.sql`DESC` : Prisma.sql`ASC`}`
}
