import type { Database } from '../database.ts'
import { Prisma } from '../generated/client.ts'
import { type ListSlice, orderBy, type Position, type PositionRow, positionColumns, toPosition } from './list-query.ts'

/*
 * `photo_hours` holds the number of a user's photos in each hour. A slice far into the whole gallery starts in the hour in
 * which the sum of these numbers exceeds the photos to skip, so only photos of that hour are skipped one by one.
 */

/** Finds the positions of a slice of a whole gallery. */
export async function findByHours(
  db: Pick<Database, '$queryRaw'>,
  userId: number,
  { sort, skip = 0, take }: ListSlice,
): Promise<Position[]> {
  const isNewest = sort === 'newest'
  const direction = isNewest ? Prisma.sql`DESC` : Prisma.sql`ASC`
  const fromHour = isNewest
    ? Prisma.sql`created_at < (SELECT hour + interval '1 hour' FROM start)`
    : Prisma.sql`created_at >= (SELECT hour FROM start)`
  const rows = await db.$queryRaw<PositionRow[]>`
    WITH start AS (
      SELECT hour, ${skip}::int - (reached - photos) AS skip FROM (
        SELECT hour, photos, sum(photos) OVER (ORDER BY hour ${direction}) AS reached
        FROM photo_hours WHERE user_id = ${userId}::int) AS hours
      WHERE reached > ${skip}::int ORDER BY hour ${direction} LIMIT 1)
    SELECT ${positionColumns(sort)} FROM photos WHERE purpose = 'gallery' AND user_id = ${userId}::int AND ${fromHour}
    ORDER BY ${orderBy(sort)} OFFSET (SELECT skip FROM start) LIMIT ${take}::int`
  return rows.map(toPosition)
}
