import type { Database } from '../database.ts'
import { Prisma } from '../generated/client.ts'
import {
  galleryByTaken,
  type ListSlice,
  orderBy,
  type Position,
  type PositionRow,
  positionColumns,
  takenKey,
  toPosition,
} from './list-query.ts'

/*
 * `photo_taken_days` holds the number of a user's photos of each day. A slice far into the whole gallery by date taken
 * starts on the day on which the sum of these numbers exceeds the photos to skip.
 */

/** Finds the positions of a slice of a whole gallery by date taken. */
export async function findByTakenDays(
  db: Pick<Database, '$queryRaw'>,
  userId: number,
  { sort, skip = 0, take }: ListSlice,
): Promise<Position[]> {
  const isNewest = sort === 'taken-newest'
  const order = isNewest ? Prisma.sql`day DESC` : Prisma.sql`(day = ''), day`
  // The keys of a day begin with it; '~' is behind every digit.
  const fromDay = isNewest
    ? Prisma.sql`<= (SELECT CASE day WHEN '' THEN '' ELSE day || '~' END FROM start)`
    : Prisma.sql`>= (SELECT CASE day WHEN '' THEN '~' ELSE day END FROM start)`
  const rows = await db.$queryRaw<PositionRow[]>`
    WITH start AS (
      SELECT day, ${skip}::int - (reached - photos) AS skip FROM (
        SELECT day, photos, sum(photos) OVER (ORDER BY ${order}) AS reached
        FROM photo_taken_days WHERE user_id = ${userId}::int) AS days
      WHERE reached > ${skip}::int ORDER BY ${order} LIMIT 1)
    SELECT ${positionColumns(sort)} FROM photos WHERE ${galleryByTaken(userId)} AND ${takenKey(sort)} ${fromDay}
    ORDER BY ${orderBy(sort)} OFFSET (SELECT skip FROM start) LIMIT ${take}::int`
  return rows.map(toPosition)
}
