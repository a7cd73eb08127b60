import { badRequest } from '@skyfolio/kit'
import { Type } from 'typebox'
import type { Database } from '../database.ts'
import { findFlightId } from '../flights/read-flights.ts'
import type { Folders } from '../projection/folders.ts'
import { readArea, readNear } from './area.ts'
import { type Filter, type ListQuery, NO_FOLDER, UNKNOWN_FLIGHT, UNKNOWN_FOLDER } from './list-query.ts'

const TakenDay = Type.String({
  pattern: '^(\\d{4}-\\d{2}-\\d{2})?$',
  description: "Taken on this day by the camera's clock, or after it (`takenFrom`), or before it (`takenTo`)",
})

/** Filters of a list. Absent and empty ones match all photos. */
export const FilterQuery = Type.Object({
  q: Type.Optional(
    Type.String({
      maxLength: 200,
      description: `Each word is in the title, description, city, county, state, country, original file name, camera, format or
date taken, also inside of their words; of more than 20 words the longest count. Case, accents and variants of letters do
not matter; Saint and St, Fort and Ft, Mount and Mt are one; punctuation separates words, and is looked for as it is where
there are none. A position like \`46.842600, -92.003600\` finds the photos there.`,
    }),
  ),
  location: Type.Optional(
    Type.String({ maxLength: 250, description: 'Exactly "city, state", or the one that is known' }),
  ),
  camera: Type.Optional(
    Type.String({ maxLength: 200, description: 'Exactly the camera model, as the metadata has it' }),
  ),
  from: Type.Optional(
    Type.String({
      maxLength: 40,
      description: '`today`, `week`, `month` or `year`: at most 0, 7, 30 or 365 whole days old; or a time, ISO 8601',
    }),
  ),
  takenFrom: Type.Optional(TakenDay),
  takenTo: Type.Optional(TakenDay),
  area: Type.Optional(
    Type.String({
      maxLength: 100,
      description:
        'Taken in a rectangle: `west,south,east,north` in decimal degrees; west > east crosses the date line',
    }),
  ),
  near: Type.Optional(
    Type.String({
      maxLength: 100,
      description: 'Taken near a place: `latitude,longitude,meters`, the last the radius',
    }),
  ),
  position: Type.Optional(
    Type.String({
      pattern: '^(none)?$',
      description: '`none`: only photos without a position, except those that are processing',
    }),
  ),
})

/** Years that both JavaScript and PostgreSQL support. */
const FIRST_YEAR = 1
const LAST_YEAR = 9999

const DAY_MS = 24 * 3600 * 1000
const DAYS: Record<string, number> = { today: 0, week: 7, month: 30, year: 365 }
/** A zone is required: without one the time would be in the server's zone. */
const TIME = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}(:\d{2}(\.\d{1,9})?)?(Z|[+-]\d{2}:\d{2})$/

/** A position as the web application shows it, rounded. */
const SHOWN_POSITION = /^\s*(-?\d{1,2}\.\d{6}), (-?\d{1,3}\.\d{6})\s*$/
const ROUNDING_METRES = 0.1

/** Parses the filters of a request. @throws AppError 400 for an invalid date or place */
export function readFilter(query: Type.Static<typeof FilterQuery>): Filter {
  const { q, location, camera, from, takenFrom, takenTo, area, near, position } = query
  const shown = near ? null : SHOWN_POSITION.exec(q ?? '')
  const around = shown && { latitude: Number(shown[1]), longitude: Number(shown[2]), metres: ROUNDING_METRES }
  return {
    q: around ? null : q || null,
    location: location || null,
    camera: camera || null,
    since: from ? parseFrom(from) : null,
    taken: takenFrom || takenTo ? { from: readDay(takenFrom), to: readDay(takenTo) } : null,
    area: area ? readArea(area) : null,
    near: near ? readNear(near) : around,
    isUnplaced: position === 'none',
    flight: null,
  }
}

function readDay(day: string | undefined): string | null {
  if (day && Number.isNaN(Date.parse(day))) throw badRequest('The date filter is not valid.')
  return day || null
}

function parseFrom(from: string): Date {
  const days = Object.hasOwn(DAYS, from) ? DAYS[from] : undefined
  // A photo is 7 whole days old until it is 8 days old.
  if (days !== undefined) return new Date(Date.now() - (days + 1) * DAY_MS + 1)
  const time = new Date(from)
  if (!TIME.test(from) || !isStorable(time)) throw badRequest('The date filter is not valid.')
  return time
}

/** Whether PostgreSQL takes the time as it is sent to it. False for an invalid one. */
export function isStorable(time: Date): boolean {
  const year = time.getUTCFullYear()
  return year >= FIRST_YEAR && year <= LAST_YEAR
}

const LAST_ID = 2 ** 31 - 1

/** Filters of the whole gallery. */
export const GalleryFilterQuery = Type.Object({
  ...FilterQuery.properties,
  folder: Type.Optional(
    Type.String({
      pattern: '^(none|[1-9][0-9]{0,9})$',
      description: 'Only photos of this own folder, or `none`: only photos in no folder',
    }),
  ),
  flight: Type.Optional(
    Type.String({ pattern: '^[1-9][0-9]{0,9}$', description: 'Only photos of the own flight with this id' }),
  ),
})

interface QueryDeps {
  db: Database
  folders: Pick<Folders, 'find'>
}

/** The list of a user's photos for the filters of a request. @throws AppError 400 for an invalid date, 503 */
export async function readGalleryQuery(
  { db, folders }: QueryDeps,
  userId: number,
  { folder, flight, ...filter }: Type.Static<typeof GalleryFilterQuery>,
): Promise<ListQuery> {
  return {
    scope: { userId, folderId: await readFolder(folders, userId, folder) },
    filter: { ...readFilter(filter), flight: await readFlight(db, userId, flight) },
  }
}

async function readFlight(db: Database, userId: number, flight: string | undefined): Promise<number | null> {
  if (flight === undefined) return null
  return (await findFlightId(db, userId, Number(flight))) ?? UNKNOWN_FLIGHT
}

async function readFolder(
  folders: Pick<Folders, 'find'>,
  userId: number,
  folder: string | undefined,
): Promise<number | null> {
  if (folder === undefined) return null
  if (folder === 'none') return NO_FOLDER
  const id = Number(folder)
  const found = id <= LAST_ID ? await folders.find(id) : null
  return found?.userId === userId ? id : UNKNOWN_FOLDER
}
