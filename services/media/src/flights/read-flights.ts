import { cursorInvalid, Nullable } from '@skyfolio/kit'
import { Type } from 'typebox'
import type { Database } from '../database.ts'
import { type Photo, Prisma } from '../generated/client.ts'
import { projectionOf } from '../metadata/panorama.ts'

const Degrees = Type.Number({ description: 'Degrees' })
const Time = (description: string) => Type.String({ description: `${description}, ISO 8601 without a zone` })

/** A flight as the API returns it. */
export const FlightSchema = Type.Object({
  id: Type.Integer({
    description: 'The smallest id of its photos; a flight that becomes part of another one is found by its former id',
  }),
  startedAt: Time("Of the first photo, by the camera's clock"),
  endedAt: Time('Of the last photo'),
  durationSeconds: Type.Integer({ description: 'From the first photo to the last' }),
  distanceMetres: Type.Number({ description: 'Along the positions of the photos' }),
  greatestHeight: Nullable(Type.Number({ description: 'Meters above take-off' })),
  photoCount: Type.Integer(),
  place: Type.Object(
    { city: Nullable(Type.String()), state: Nullable(Type.String()) },
    { description: 'Where most of the photos were taken' },
  ),
  bounds: Type.Object(
    { west: Degrees, south: Degrees, east: Degrees, north: Degrees },
    { description: 'East is above 180 where the flight crosses the date line' },
  ),
  covers: Type.Array(Type.String(), { description: 'Thumbnails of up to four photos' }),
})
export type FlightResponse = Type.Static<typeof FlightSchema>

/** The position of a photo of a flight, and how its camera was held. */
export const TrackPoint = Type.Object({
  photoId: Type.Integer(),
  title: Type.String(),
  at: Time("By the camera's clock"),
  latitude: Degrees,
  longitude: Degrees,
  altitude: Nullable(Type.Number({ description: 'Meters above sea level' })),
  relativeAltitude: Nullable(Type.Number({ description: 'Meters above take-off' })),
  yaw: Nullable(Type.Number({ description: 'Degrees from true north: where the camera looks' })),
  pitch: Nullable(Type.Number({ description: 'Degrees of the gimbal; -90 is straight down' })),
  roll: Nullable(Type.Number({ description: 'Degrees of the gimbal' })),
  turned: Type.Boolean({
    description: 'The picture was turned upside down after it was taken; the angles are as before',
  }),
  model: Nullable(Type.String({ description: 'Of the camera' })),
  focalLength: Nullable(Type.Number({ description: 'Millimeters' })),
  focalLength35: Nullable(Type.Number({ description: 'Millimeters, of a 35 mm camera with the same field of view' })),
  digitalZoom: Nullable(Type.Number()),
  width: Nullable(Type.Integer({ description: 'Pixels after orientation' })),
  height: Nullable(Type.Integer({ description: 'Pixels after orientation' })),
  projection: Nullable(Type.String({ description: 'Of a panorama: `sphere` or `wide`' })),
  thumbnailUrl: Nullable(Type.String()),
  smallUrl: Nullable(Type.String()),
  thumbhash: Nullable(Type.String()),
})
export type TrackPoint = Type.Static<typeof TrackPoint>

interface FlightPage {
  flights: FlightResponse[]
  /** Cursor of the next page; null on the last one. */
  next: string | null
  total: number
}

/** Text: a date would be read in the server's zone. */
const TIME = Prisma.raw(`'YYYY-MM-DD"T"HH24:MI:SS'`)
const CURSOR = /^(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d) (\d{1,10})$/

const COLUMNS = Prisma.sql`
  id, to_char(started_at, ${TIME}) AS "startedAt", to_char(ended_at, ${TIME}) AS "endedAt",
  extract(epoch FROM ended_at - started_at)::int AS "durationSeconds", distance AS "distanceMetres",
  greatest_height AS "greatestHeight", flights.photos AS "photoCount", json_build_object('city', city, 'state', state) AS place,
  json_build_object('west', west, 'south', south, 'east', east, 'north', north) AS bounds,
  ARRAY(
    SELECT '/api/uploads/' || photos.thumbnail FROM unnest(covers) WITH ORDINALITY AS cover (photo_id, place)
      JOIN photos ON photos.id = photo_id
    WHERE photos.thumbnail IS NOT NULL ORDER BY place) AS covers`

/** Reads one page of a user's flights, newest first. @throws AppError 400 for an invalid cursor */
export async function listFlights(
  db: Database,
  userId: number,
  { cursor, limit }: { cursor: string | null; limit: number },
): Promise<FlightPage> {
  const after = cursor === null ? Prisma.empty : afterCursor(cursor)
  const [rows, [{ total }]] = await Promise.all([
    db.$queryRaw<FlightResponse[]>`
      SELECT ${COLUMNS} FROM flights WHERE user_id = ${userId}::int ${after}
      ORDER BY started_at DESC, id DESC LIMIT ${limit + 1}::int`,
    db.$queryRaw<[{ total: number }]>`SELECT count(*)::int AS total FROM flights WHERE user_id = ${userId}::int`,
  ])
  const flights = rows.slice(0, limit)
  const last = flights.at(-1)
  const next = rows.length > limit && last ? Buffer.from(`${last.startedAt} ${last.id}`).toString('base64url') : null
  return { flights, next, total }
}

/** Reads a flight by its id, as `findFlightId` returns it. */
export async function readFlight(db: Database, id: number): Promise<FlightResponse | null> {
  const [flight] = await db.$queryRaw<FlightResponse[]>`SELECT ${COLUMNS} FROM flights WHERE id = ${id}::int`
  return flight ?? null
}

/** Whether flights of the user are still to be grouped: after a change for some seconds. */
export async function isGrouping(db: Database, userId: number): Promise<boolean> {
  const [row] = await db.$queryRaw<[{ is_grouping: boolean }]>`
    SELECT EXISTS (SELECT FROM flight_changes WHERE user_id = ${userId}::int) AS is_grouping`
  return row.is_grouping
}

function afterCursor(cursor: string): Prisma.Sql {
  const [, startedAt, id] = CURSOR.exec(Buffer.from(cursor, 'base64url').toString()) ?? []
  const isValid = startedAt && Number(id) < 2 ** 31 && exists(startedAt) && startedAt > '0001'
  if (!isValid) throw cursorInvalid()
  return Prisma.sql`AND (started_at, id) < (${startedAt}::text::timestamp, ${Number(id)}::int)`
}

/** Whether there is such a date: JavaScript reads the 30th of February as another one, PostgreSQL not at all. */
function exists(time: string): boolean {
  const date = new Date(`${time}Z`)
  return !Number.isNaN(date.getTime()) && date.toISOString().startsWith(time)
}

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

/** Columns of a photo: its height, and where its camera looks. */
export const HEIGHT_AND_ATTITUDE = Prisma.sql`
  altitude, (metadata->'drone'->>'RelativeAltitude')::float AS "relativeAltitude",
  (metadata->>'heading')::float AS yaw,
  (metadata->'drone'->>'GimbalPitchDegree')::float AS pitch, (metadata->'drone'->>'GimbalRollDegree')::float AS roll`

/** Points of a track; of a longer one every second, third and so on is left out, but for the last. */
export const MAX_TRACK_POINTS = 5000

/** Reads where the photos of a flight were taken, in order. */
export async function readTrack(db: Database, flightId: number): Promise<TrackPoint[]> {
  const rows = await db.$queryRaw<(Omit<TrackPoint, 'projection'> & Pick<Photo, 'metadata'>)[]>`
    WITH track AS (
      SELECT photo_id, taken_at, row_number() OVER (ORDER BY taken_at, photo_id) AS place, count(*) OVER () AS total
      FROM flight_photos WHERE flight_id = ${flightId}::int
    ), shown AS (
      SELECT * FROM track
      WHERE (place - 1) % ceil(total::float / ${MAX_TRACK_POINTS}::int)::int = 0 OR place = total
    )
    SELECT id AS "photoId", title, to_char(taken_at, 'YYYY-MM-DD"T"HH24:MI:SS') AS at, latitude::float AS latitude,
      longitude::float AS longitude, ${HEIGHT_AND_ATTITUDE},
      COALESCE((metadata->>'turned')::boolean, false) AS turned,
      metadata->>'Model' AS model, (metadata->>'FocalLength')::float AS "focalLength",
      (metadata->>'FocalLengthIn35mmFormat')::float AS "focalLength35", (metadata->>'DigitalZoomRatio')::float AS "digitalZoom",
      width, height,
      jsonb_build_object('panorama', metadata->'panorama') AS metadata,
      '/api/uploads/' || thumbnail AS "thumbnailUrl", '/api/uploads/' || small AS "smallUrl", thumbhash
    FROM shown JOIN photos ON photos.id = photo_id AND latitude IS NOT NULL AND longitude IS NOT NULL
    ORDER BY taken_at, photo_id`
  return rows.map((row) => ({ ...row, projection: projectionOf(row) }))
}
