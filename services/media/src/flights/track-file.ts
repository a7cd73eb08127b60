import type { Database } from '../database.ts'
import { findAllPositions } from '../gallery/list-positions.ts'
import type { ListQuery } from '../gallery/list-query.ts'
import { HEIGHT_AND_ATTITUDE } from './read-flights.ts'
import { TRACK_FORMATS, type TrackFormatName, type TrackPhoto } from './track-formats.ts'

const LIST_BATCH = 5000
const BATCH = 500

/** Finds the photos of a list that have a position: flight by flight, each in its order, those without a flight at the end. */
async function findTrackIds(db: Database, query: ListQuery): Promise<number[]> {
  const listed: number[] = []
  for await (const batch of findAllPositions(db, query, 'newest', LIST_BATCH)) listed.push(...batch.map(({ id }) => id))
  const [row] = await db.$queryRaw<[{ ids: number[] | null }]>`
    SELECT array_agg(id ORDER BY flight_id, taken_at, id) AS ids
    FROM photos LEFT JOIN flight_photos ON photo_id = id
    WHERE id = ANY (${listed}) AND photos.latitude IS NOT NULL AND photos.longitude IS NOT NULL`
  return row.ids ?? []
}

/** Reads these photos in batches, in their order, without dates of a last change. Photos that were deleted meanwhile are left out. */
async function* readTrackPhotos(db: Database, ids: number[]): AsyncGenerator<TrackPhoto[]> {
  for (let start = 0; start < ids.length; start += BATCH) {
    const batch = ids.slice(start, start + BATCH)
    yield await db.$queryRaw<TrackPhoto[]>`
      SELECT id, title, nullif(date_taken, metadata->>'ModifyDate') AS "dateTaken", photos.latitude::float AS latitude, photos.longitude::float AS longitude,
        ${HEIGHT_AND_ATTITUDE}, city, state, flight_id AS "flightId"
      FROM unnest(${batch}::int[]) WITH ORDINALITY AS wanted (id, place) JOIN photos USING (id)
        LEFT JOIN flight_photos ON photo_id = id
      WHERE photos.latitude IS NOT NULL AND photos.longitude IS NOT NULL ORDER BY place`
  }
}

/**
 * Returns a file with the positions of a list's photos as chunks of text. Photos are read in batches as fast as the file
 * is, so that memory holds a batch and the ids.
 */
export async function openTrackFile(
  db: Database,
  query: ListQuery,
  { format, title }: { format: TrackFormatName; title: string },
): Promise<AsyncGenerator<string>> {
  const ids = await findTrackIds(db, query)
  return TRACK_FORMATS[format].write(title, () => readTrackPhotos(db, ids))
}
