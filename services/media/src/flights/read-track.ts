import type { Database } from '../database.ts'
import type { Photo } from '../generated/client.ts'
import { projectionOf } from '../photos/projection.ts'
import type { TrackPoint } from './flight-response.ts'

/** Points of a track; of a longer one every second, third and so on is left out, but for the last. */
export const MAX_TRACK_POINTS = 5000

type Row = Omit<TrackPoint, 'thumbnailUrl' | 'smallUrl' | 'projection'> &
  Pick<Photo, 'thumbnail' | 'small' | 'metadata'>

/** Reads where the photos of a flight were taken, in order. */
export async function readTrack(db: Database, flightId: number): Promise<TrackPoint[]> {
  const rows = await db.$queryRaw<Row[]>`
    WITH track AS (
      SELECT photo_id, taken_at, row_number() OVER (ORDER BY taken_at, photo_id) AS place, count(*) OVER () AS total
      FROM flight_photos WHERE flight_id = ${flightId}::int
    ), shown AS (
      SELECT * FROM track
      WHERE (place - 1) % ceil(total::float / ${MAX_TRACK_POINTS}::int)::int = 0 OR place = total
    )
    SELECT id AS "photoId", title, to_char(taken_at, 'YYYY-MM-DD"T"HH24:MI:SS') AS at, latitude::float AS latitude,
      longitude::float AS longitude, altitude, (metadata->'drone'->>'RelativeAltitude')::float AS "relativeAltitude",
      coalesce(metadata->'drone'->>'GimbalYawDegree', metadata->'drone'->>'FlightYawDegree')::float AS yaw,
      (metadata->'drone'->>'GimbalPitchDegree')::float AS pitch, (metadata->'drone'->>'GimbalRollDegree')::float AS roll,
      metadata->>'Model' AS model, (metadata->>'FocalLength')::float AS "focalLength", width, height,
      jsonb_build_object('panorama', metadata->'panorama') AS metadata,
      thumbnail, small, thumbhash
    FROM shown JOIN photos ON photos.id = photo_id AND latitude IS NOT NULL AND longitude IS NOT NULL
    ORDER BY taken_at, photo_id`
  return rows.map(({ thumbnail, small, metadata, ...point }) => ({
    ...point,
    projection: projectionOf({ ...point, metadata }),
    thumbnailUrl: thumbnail && `/api/uploads/${thumbnail}`,
    smallUrl: small && `/api/uploads/${small}`,
  }))
}
