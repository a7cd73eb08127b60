import type { Database } from '../database.ts'

/**
 * The id of the user's flight with this id, or with the photo of this id: the flight whose id it was before it became part of
 * another one. Null when there is none.
 */
export async function findFlightId(
  db: Pick<Database, '$queryRaw'>,
  userId: number,
  id: number,
): Promise<number | null> {
  const [found] = await db.$queryRaw<{ flight_id: number }[]>`
    SELECT flight_id FROM flight_photos WHERE photo_id = ${id}::bigint AND user_id = ${userId}::int`
  return found?.flight_id ?? null
}
