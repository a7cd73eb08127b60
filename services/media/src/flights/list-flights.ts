import { cursorInvalid } from '@skyfolio/kit'
import type { Database } from '../database.ts'
import { Prisma } from '../generated/client.ts'
import type { FlightResponse } from './flight-response.ts'

export interface FlightPage {
  flights: FlightResponse[]
  /** Cursor of the next page; null on the last one. */
  next: string | null
  total: number
}

type FlightRow = Omit<FlightResponse, 'place' | 'bounds' | 'covers'> &
  FlightResponse['place'] &
  FlightResponse['bounds'] & { covers: (string | null)[] }

/** Text: a date would be read in the server's zone. */
const TIME = Prisma.raw(`'YYYY-MM-DD"T"HH24:MI:SS'`)
const CURSOR = /^(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d) (\d{1,10})$/

const COLUMNS = Prisma.sql`
  id, to_char(started_at, ${TIME}) AS "startedAt", to_char(ended_at, ${TIME}) AS "endedAt",
  extract(epoch FROM ended_at - started_at)::int AS "durationSeconds", distance AS "distanceMetres",
  greatest_height AS "greatestHeight", flights.photos AS "photoCount", city, state, west, south, east, north,
  ARRAY(
    SELECT photos.thumbnail FROM unnest(covers) WITH ORDINALITY AS cover (photo_id, place) JOIN photos ON photos.id = photo_id
    ORDER BY place) AS covers`

/** Reads one page of a user's flights, newest first. @throws AppError 400 for an invalid cursor */
export async function listFlights(
  db: Database,
  userId: number,
  { cursor, limit }: { cursor: string | null; limit: number },
): Promise<FlightPage> {
  const after = cursor === null ? Prisma.empty : afterCursor(cursor)
  const [rows, [{ total }]] = await Promise.all([
    db.$queryRaw<FlightRow[]>`
      SELECT ${COLUMNS} FROM flights WHERE user_id = ${userId}::int ${after}
      ORDER BY started_at DESC, id DESC LIMIT ${limit + 1}::int`,
    db.$queryRaw<[{ total: number }]>`SELECT count(*)::int AS total FROM flights WHERE user_id = ${userId}::int`,
  ])
  const flights = rows.slice(0, limit).map(toResponse)
  const last = flights.at(-1)
  const next = rows.length > limit && last ? Buffer.from(`${last.startedAt} ${last.id}`).toString('base64url') : null
  return { flights, next, total }
}

/** Reads a flight by its id, as `findFlightId` returns it. */
export async function readFlight(db: Database, id: number): Promise<FlightResponse | null> {
  const [row] = await db.$queryRaw<FlightRow[]>`SELECT ${COLUMNS} FROM flights WHERE id = ${id}::int`
  return row ? toResponse(row) : null
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

function toResponse({ city, state, west, south, east, north, covers, ...flight }: FlightRow): FlightResponse {
  return {
    ...flight,
    place: { city, state },
    bounds: { west, south, east, north },
    covers: covers.flatMap((name) => (name === null ? [] : `/api/uploads/${name}`)),
  }
}
