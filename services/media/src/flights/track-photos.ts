import type { Database } from '../database.ts'
import { findAllPositions } from '../gallery/list-positions.ts'
import type { ListQuery } from '../gallery/list-query.ts'

/** A photo of a track as a file. */
export interface TrackPhoto {
  id: number
  title: string
  /** By the camera's clock, with its zone where that is known; ISO 8601. */
  dateTaken: string | null
  /** Degrees. */
  latitude: number
  longitude: number
  /** Metres above sea level. */
  altitude: number | null
  /** Metres above take-off. */
  relativeAltitude: number | null
  /** Degrees from north, of the gimbal or else of the aircraft. */
  yaw: number | null
  pitch: number | null
  roll: number | null
  city: string | null
  state: string | null
  flightId: number | null
}

/** A photo of a flight with at least one more. */
export interface LinePhoto extends TrackPhoto {
  isFirst: boolean
  isLast: boolean
}

const LIST_BATCH = 5000
const BATCH = 500

/** Finds the photos of a list that have a position: flight by flight, each in its order, those without a flight at the end. */
export async function findTrackIds(db: Database, query: ListQuery): Promise<number[]> {
  const listed: number[] = []
  for await (const batch of findAllPositions(db, query, 'newest', LIST_BATCH)) listed.push(...batch.map(({ id }) => id))
  const [row] = await db.$queryRaw<[{ ids: number[] | null }]>`
    SELECT array_agg(id ORDER BY flight_id, taken_at, id) AS ids
    FROM photos LEFT JOIN flight_photos ON photo_id = id
    WHERE id = ANY (${listed}) AND photos.latitude IS NOT NULL AND photos.longitude IS NOT NULL`
  return row.ids ?? []
}

/** Reads these photos in batches, in their order. Photos that were deleted meanwhile are left out. */
export async function* readTrackPhotos(db: Database, ids: number[]): AsyncGenerator<TrackPhoto[]> {
  for (let start = 0; start < ids.length; start += BATCH) {
    const batch = ids.slice(start, start + BATCH)
    yield await db.$queryRaw<TrackPhoto[]>`
      SELECT id, title, date_taken AS "dateTaken", photos.latitude::float AS latitude, photos.longitude::float AS longitude,
        altitude, (metadata->'drone'->>'RelativeAltitude')::float AS "relativeAltitude",
        coalesce(metadata->'drone'->>'GimbalYawDegree', metadata->'drone'->>'FlightYawDegree')::float AS yaw,
        (metadata->'drone'->>'GimbalPitchDegree')::float AS pitch, (metadata->'drone'->>'GimbalRollDegree')::float AS roll,
        city, state, flight_id AS "flightId"
      FROM unnest(${batch}::int[]) WITH ORDINALITY AS wanted (id, place) JOIN photos USING (id)
        LEFT JOIN flight_photos ON photo_id = id
      WHERE photos.latitude IS NOT NULL AND photos.longitude IS NOT NULL ORDER BY place`
  }
}

/** The photos that make lines: of each flight with at least two, in order. */
export async function* linePhotos(batches: AsyncIterable<TrackPhoto[]>): AsyncGenerator<LinePhoto[]> {
  let before: TrackPhoto | undefined
  let current: TrackPhoto | undefined
  const step = (next: TrackPhoto | undefined): LinePhoto[] => {
    const photo = current
    const isFirst = before?.flightId !== photo?.flightId
    const isLast = next?.flightId !== photo?.flightId
    before = photo
    current = next
    const isInLine = photo && photo.flightId !== null && !(isFirst && isLast)
    return isInLine ? [{ ...photo, isFirst, isLast }] : []
  }
  for await (const batch of batches) yield batch.flatMap(step)
  yield step(undefined)
}
