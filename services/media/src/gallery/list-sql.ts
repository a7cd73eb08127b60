import { Prisma } from '../generated/client.ts'
import type { Filter } from './filter.ts'

/** The photos of a user, or of a folder of the user's. */
export interface Scope {
  userId: number
  folderId: number | null
}

export interface Search {
  scope: Scope
  filter: Filter
}

export type Sort = 'newest' | 'oldest'

/** Where a photo stands in a list; beyond it begins the next page. */
export interface Position {
  createdAt: Date
  id: number
}

/** Which part of a list is wanted. */
export interface Part {
  sort: Sort
  /** Photos beyond this position only. */
  after?: Position | null
  /** Photos to leave out before the first one. */
  skip?: number
  take: number
}

/** The most that is counted of what no table counts. */
export const COUNTED = 1000

export const none = Prisma.empty

function at(location: string | null): Prisma.Sql | null {
  return location === null ? null : Prisma.sql`location = ${location}`
}

/**
 * The conditions of a list without its text: one index has them in the list's order, and no other has them. `place`
 * says otherwise where the photos are to be.
 */
export function inList({ scope: { userId, folderId }, filter: { location, since } }: Search, place = at(location)) {
  const from = since === null ? none : Prisma.sql`AND created_at >= ${since}::timestamptz`
  if (place) {
    const inFolder = folderId === null ? none : Prisma.sql`AND folder_id + 0 = ${folderId}::int`
    const own = Prisma.sql`CASE WHEN purpose = 'gallery' THEN user_id END = ${userId}::int`
    return Prisma.sql`${own} AND ${place} ${inFolder} ${from}`
  }
  if (folderId === null) return Prisma.sql`purpose = 'gallery' AND user_id = ${userId}::int ${from}`
  // Photos of another purpose are in no folder.
  return Prisma.sql`folder_id = ${folderId}::int ${from}`
}

export function order(sort: Sort): Prisma.Sql {
  return sort === 'newest' ? Prisma.sql`created_at DESC, id DESC` : Prisma.sql`created_at, id`
}

/** A further condition: beyond this position. */
export function beyond({ after, sort }: Pick<Part, 'after' | 'sort'>): Prisma.Sql {
  if (!after) return none
  const position = Prisma.sql`(${after.createdAt}::timestamptz, ${after.id}::int)`
  return sort === 'newest'
    ? Prisma.sql`AND (created_at, id) < ${position}`
    : Prisma.sql`AND (created_at, id) > ${position}`
}
