import { badRequest } from '@skyfolio/kit'
import { Type } from 'typebox'
import { type Area, type Near, readArea, readNear } from './area.ts'

/** Filters of a list. Absent and empty ones match all photos. */
export const FilterQuery = Type.Object({
  q: Type.Optional(
    Type.String({
      maxLength: 200,
      description: 'Substring of title, description, city or state, case-insensitive',
    }),
  ),
  location: Type.Optional(
    Type.String({ maxLength: 250, description: 'Exactly "city, state", or the one that is known' }),
  ),
  from: Type.Optional(
    Type.String({
      maxLength: 40,
      description: '`today`, `week`, `month` or `year`: at most 0, 7, 30 or 365 whole days old; or a time, ISO 8601',
    }),
  ),
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
      description: 'Taken near a place: `latitude,longitude,metres`, the last the radius',
    }),
  ),
})

export interface Filter {
  /** Null matches every text. */
  q: string | null
  location: string | null
  /** The earliest `createdAt`. */
  since: Date | null
  /** `UNKNOWN_FLIGHT`: none of the user's. */
  flight: number | null
  area: Area | null
  near: Near | null
}

/** Years that both JavaScript and PostgreSQL support. */
const FIRST_YEAR = 1
const LAST_YEAR = 9999

/** Stands for a flight that is not the user's. */
export const UNKNOWN_FLIGHT = -1

const DAY_MS = 24 * 3600 * 1000
const DAYS: Record<string, number> = { today: 0, week: 7, month: 30, year: 365 }
/** A zone is required: without one the time would be in the server's zone. */
const TIME = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}(:\d{2}(\.\d{1,9})?)?(Z|[+-]\d{2}:\d{2})$/

/** Parses the filters of a request. @throws AppError 400 for an invalid date or place */
export function readFilter({ q, location, from, area, near }: Type.Static<typeof FilterQuery>): Filter {
  return {
    q: q || null,
    location: location || null,
    since: from ? parseFrom(from) : null,
    area: area ? readArea(area) : null,
    near: near ? readNear(near) : null,
    flight: null,
  }
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
