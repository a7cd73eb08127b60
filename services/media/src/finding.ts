import type { Database } from './database.ts'
import { type Filter, matchesNothing } from './filter.ts'
import { Prisma } from './generated/client.ts'

/** The photos of a user, or of a folder of the user's. */
export interface Scope {
  userId: number
  folderId: number | null
}

export type Sort = 'newest' | 'oldest'

/** Where a photo stands in a list; beyond it begins the next page. */
export interface Position {
  createdAt: Date
  id: number
}

export interface Search {
  scope: Scope
  filter: Filter
}

/** The most that is counted of what no table counts. */
export const COUNTED = 1000
/** How far a search looks through the list for each photo that is wanted, before it asks the index of searches. */
const LOOKED_AT = 20
const LOOKED_AT_TO_COUNT = 1500

const all = Prisma.empty

/** The part of a list, as conditions that one index answers in the list's order, and only this one. */
function inList({ scope: { userId, folderId }, filter: { location, since } }: Search, place = atLocation(location)) {
  const inFolder = folderId === null ? all : Prisma.sql`AND folder_id + 0 = ${folderId}::int`
  const from = since === null ? all : Prisma.sql`AND created_at >= ${since}::timestamptz`
  if (place) return Prisma.sql`purpose = 'gallery' AND user_id + 0 = ${userId}::int AND ${place} ${inFolder} ${from}`
  if (folderId === null) return Prisma.sql`purpose = 'gallery' AND user_id = ${userId}::int ${from}`
  return Prisma.sql`purpose = 'gallery' AND folder_id = ${folderId}::int ${from}`
}

function atLocation(location: string | null): Prisma.Sql | null {
  return location === null ? null : Prisma.sql`location = ${location}`
}

function order(sort: Sort): Prisma.Sql {
  return sort === 'newest' ? Prisma.sql`created_at DESC, id DESC` : Prisma.sql`created_at, id`
}

function beyond(after: Position | null, sort: Sort): Prisma.Sql {
  if (after === null) return all
  const position = Prisma.sql`(${after.createdAt}::timestamptz, ${after.id}::int)`
  return sort === 'newest'
    ? Prisma.sql`AND (created_at, id) < ${position}`
    : Prisma.sql`AND (created_at, id) > ${position}`
}

interface Found {
  id: number
  created_at: Date
}

interface LookedAt extends Found {
  hit: boolean
  /** The last photo that is looked at. */
  last: boolean
}

/** Looks through the next photos of the list for `take` that match. `ended`: there are no more of them. */
async function lookThrough(
  db: Database,
  search: Search,
  { sort, after, take, most }: { sort: Sort; after: Position | null; take: number; most: number },
): Promise<{ hits: Found[]; ended: boolean }> {
  const { q } = search.filter
  const rows = await db.$queryRaw<LookedAt[]>`
    SELECT id, created_at, hit, place = ${most} AS last FROM (
      SELECT id, created_at, row_number() OVER (ORDER BY ${order(sort)}) AS place,
        search LIKE containing(${q})
          OR coalesce(location IN (SELECT places_like(${search.scope.userId}::int, containing(${q}))), false) AS hit
      FROM photos WHERE ${inList(search)} ${beyond(after, sort)} ORDER BY ${order(sort)} LIMIT ${most}) AS next
    WHERE hit OR place = ${most} LIMIT ${take}`
  const hits = rows.filter(({ hit }) => hit)
  return { hits, ended: hits.length < take && rows.every(({ last }) => !last) }
}

/** The next photos that match, by the indexes of places and of texts: for terms that few of the next photos have. */
function lookUp(db: Database, search: Search, sort: Sort, after: Position | null, take: number): Promise<Found[]> {
  const { scope, filter } = search
  const { q, location, since } = filter
  const atPlace = inList(search, Prisma.sql`location = place`)
  const here = location === null ? all : Prisma.sql`WHERE place = ${location}`
  return db.$queryRaw<Found[]>`
    SELECT id, created_at FROM (
      SELECT photo.id, photo.created_at
      FROM places_like(${scope.userId}::int, containing(${q})) AS place CROSS JOIN LATERAL (
        SELECT id, created_at FROM photos WHERE ${atPlace} ${beyond(after, sort)}
        ORDER BY ${order(sort)} LIMIT ${take}) AS photo ${here}
      UNION
      SELECT id, created_at FROM photos_like(${scope.userId}::int, containing(${q}), ${scope.folderId}::int,
        ${location}, NULL, ${since}::timestamptz, NULL)
      WHERE true ${beyond(after, sort)}) AS found
    ORDER BY ${order(sort)} LIMIT ${take}`
}

async function searchFor(db: Database, search: Search, sort: Sort, after: Position | null, take: number) {
  const { hits, ended } = await lookThrough(db, search, { sort, after, take, most: take * LOOKED_AT })
  return ended || hits.length === take ? hits : lookUp(db, search, sort, after, take)
}

/** The next `take` photos of a list behind `skip` others: their positions, in order. */
export async function findNext(
  db: Database,
  search: Search,
  sort: Sort,
  after: Position | null,
  take: number,
  skip = 0,
): Promise<Position[]> {
  if (matchesNothing(search.filter)) return []
  const found =
    search.filter.q === null
      ? await db.$queryRaw<Found[]>`
          SELECT id, created_at FROM photos WHERE ${inList(search)} ${beyond(after, sort)}
          ORDER BY ${order(sort)} LIMIT ${take} OFFSET ${skip}`
      : (await searchFor(db, search, sort, after, skip + take)).slice(skip)
  return found.map(({ id, created_at }) => ({ id, createdAt: created_at }))
}

/** All photos of a list in batches, each of `size` but for the last one. What comes to the end meanwhile is found too. */
export async function* findAll(db: Database, search: Search, sort: Sort, size: number): AsyncGenerator<Position[]> {
  let after: Position | null = null
  for (;;) {
    const batch: Position[] = await findNext(db, search, sort, after, size)
    if (batch.length > 0) yield batch
    if (batch.length < size) return
    after = batch.at(-1) ?? null
  }
}

async function countMatches(db: Database, search: Search): Promise<number> {
  const { scope, filter } = search
  const { q, location, since } = filter
  const looking = { sort: 'newest', after: null, take: COUNTED + 1, most: LOOKED_AT_TO_COUNT } as const
  const { hits, ended } = await lookThrough(db, search, looking)
  if (ended || hits.length > COUNTED) return hits.length
  const here = location === null ? all : Prisma.sql`WHERE place = ${location}`
  const [row] = await db.$queryRaw<[{ count: number }]>`
    WITH places AS MATERIALIZED (
      SELECT place FROM places_like(${scope.userId}::int, containing(${q})) AS place ${here})
    SELECT least(${COUNTED + 1}::int, (
      SELECT count(*) FROM (
        SELECT 1 FROM places CROSS JOIN LATERAL (
          SELECT 1 FROM photos WHERE ${inList(search, Prisma.sql`location = place`)} LIMIT ${COUNTED + 1}) AS photo
        LIMIT ${COUNTED + 1}) AS there
      ) + (
      SELECT count(*) FROM photos_like(${scope.userId}::int, containing(${q}), ${scope.folderId}::int, ${location},
        (SELECT array_agg(place) FROM places), ${since}::timestamptz, ${COUNTED + 1}::int)
      ))::int AS count`
  return row.count
}

async function countPlaces(db: Database, userId: number, location: string | null): Promise<number> {
  const at = location === null ? all : Prisma.sql`AND location = ${location}`
  const [row] = await db.$queryRaw<[{ count: number }]>`
    SELECT coalesce(sum(count), 0)::int AS count FROM photo_places WHERE user_id = ${userId}::int ${at}`
  return row.count
}

async function countRows(db: Database, search: Search, most: number | null): Promise<number> {
  const [row] = await db.$queryRaw<[{ count: number }]>`
    SELECT count(*)::int AS count FROM (SELECT 1 FROM photos WHERE ${inList(search)} LIMIT ${most}::int) AS counted`
  return row.count
}

/**
 * How many photos a list has on all its pages: exact for the whole gallery, one location of it, and a whole folder;
 * otherwise exact up to `COUNTED`, and one more than that means that there are more.
 */
export async function countFound(db: Database, search: Search): Promise<number> {
  const { scope, filter } = search
  const { q, location, since } = filter
  if (matchesNothing(filter)) return 0
  if (q !== null) return countMatches(db, search)
  if (since === null && scope.folderId === null) return countPlaces(db, scope.userId, location)
  return countRows(db, search, since === null && location === null ? null : COUNTED + 1)
}
