import { Prisma } from '../generated/client.ts'
import type { Filter } from './filter.ts'

/** The gallery of a user, or one folder of the user's. */
export interface Scope {
  userId: number
  folderId: number | null
}

/** The photos of a list. */
export interface ListQuery {
  scope: Scope
  filter: Filter
}

export type Sort = 'newest' | 'oldest'

/** The position of a photo in a list. */
export interface Position {
  createdAt: Date
  id: number
}

/** A part of a list. */
export interface ListSlice {
  sort: Sort
  /** Only photos after this position. */
  after?: Position | null
  /** Photos to skip before the first one. */
  skip?: number
  take: number
}

export interface PositionsResult {
  positions: Position[]
  /** The number of photos in the whole list, counted up to `MAX_COUNT + 1`; null when it was not determined. */
  total: number | null
  /** Fewer than one scanned photo in `RARE_RATIO` matched, so that a scan is no way to count them. */
  isRare?: boolean
}

/** Where counting ends by default if no table holds the count. */
export const MAX_COUNT = 1000

export const NO_CONDITION = Prisma.empty

/**
 * The conditions of a list except its text: exactly one index has them in the order of the list. `place` overrides the
 * condition on the location.
 */
export function listCondition(
  { scope: { userId, folderId }, filter: { location, since } }: ListQuery,
  place = locationCondition(location),
): Prisma.Sql {
  const from = since === null ? NO_CONDITION : Prisma.sql`AND created_at >= ${since}::timestamptz`
  if (place) {
    const inFolder = folderId === null ? NO_CONDITION : Prisma.sql`AND folder_id + 0 = ${folderId}::int`
    const own = Prisma.sql`CASE WHEN purpose = 'gallery' THEN user_id END = ${userId}::int`
    return Prisma.sql`${own} AND ${place} ${inFolder} ${from}`
  }
  if (folderId === null) return Prisma.sql`purpose = 'gallery' AND user_id = ${userId}::int ${from}`
  // Photos of another purpose are in no folder.
  return Prisma.sql`folder_id = ${folderId}::int ${from}`
}

function locationCondition(location: string | null): Prisma.Sql | null {
  return location === null ? null : Prisma.sql`location = ${location}`
}

export function orderBy(sort: Sort): Prisma.Sql {
  return sort === 'newest' ? Prisma.sql`created_at DESC, id DESC` : Prisma.sql`created_at, id`
}

/** A further condition: only photos after this position. */
export function afterCondition({ after, sort }: Pick<ListSlice, 'after' | 'sort'>): Prisma.Sql {
  if (!after) return NO_CONDITION
  const position = Prisma.sql`(${after.createdAt}::timestamptz, ${after.id}::int)`
  return sort === 'newest'
    ? Prisma.sql`AND (created_at, id) < ${position}`
    : Prisma.sql`AND (created_at, id) > ${position}`
}
