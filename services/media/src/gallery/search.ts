import type { Database } from '../database.ts'
import { Prisma } from '../generated/client.ts'
import { beyond, COUNTED, inList, none, order, type Part, type Position, type Search } from './list-sql.ts'

/*
 * Photos that have a term in title, description, city or state. A term that many photos have is soon found by looking
 * through the list; one that few have is looked up in indexes: of the places by `photo_places` and the index of
 * locations, of the texts by the index of their trigrams. No plan that suits the one kind is left to the planner for
 * the other: it knows neither how often a user's photos have a term nor where in the list they stand.
 */

export interface SearchResult {
  found: Position[]
  /** How many there are in the whole list, counted up to one more than `COUNTED`; null when that was not found out. */
  total: number | null
  /** There are fewer than one in `COMMON`, as far as the list was looked through: they are not counted by doing so. */
  scattered?: boolean
}

const COMMON = 3

/** How many photos of the list are looked at before the indexes are asked: for each that is wanted, and at least. */
const LOOKED_AT = 10
const LOOKED_AT_LEAST = 1500
const LOOKED_AT_TO_COUNT = 1500
const ALL = 2 ** 31 - 1

/** The index of texts finds what has three letters or digits in a row; all else is looked for in the list. */
function isIndexed(q: string | null): boolean {
  return /[\p{L}\p{N}]{3}/u.test(q ?? '')
}

type Row = { id: number; created_at: Date }

function toPosition({ id, created_at }: Row): Position {
  return { id, createdAt: created_at }
}

/** The next `most` photos of the list, with whether they match. */
function next({ scope, filter: { q } }: Search, conditions: Prisma.Sql, part: Pick<Part, 'sort'>, most: number) {
  return Prisma.sql`
    SELECT id, created_at, search LIKE containing(${q})
      OR coalesce(location IN (SELECT places_like(${scope.userId}::int, containing(${q}))), false) AS hit
    FROM photos WHERE ${conditions} ORDER BY ${order(part.sort)} LIMIT ${most}::int`
}

/** The first matches among the next `most` photos of the list; stops when it has as many as are wanted. */
async function lookThrough(db: Database, search: Search, part: Part, wanted: number, most: number) {
  const photos = next(search, Prisma.sql`${inList(search)} ${beyond(part)}`, part, most)
  const rows = await db.$queryRaw<(Row & { place: number })[]>`
    SELECT id, created_at, place FROM (SELECT *, row_number() OVER ()::int AS place FROM (${photos}) AS next) AS numbered
    WHERE hit LIMIT ${wanted}::int`
  return { found: rows.map(toPosition), total: null, scattered: (rows.at(-1)?.place ?? 0) > rows.length * COMMON }
}

/** The places that match, with the number of photos at each. */
function matchingPlaces({ scope, filter: { q, location } }: Search): Prisma.Sql {
  const here = location === null ? none : Prisma.sql`AND location = ${location}`
  return Prisma.sql`
    SELECT location AS place, sum(count) AS count FROM photo_places
    WHERE user_id = ${scope.userId}::int AND search LIKE containing(${q}) AND location IS NOT NULL ${here}
    GROUP BY location`
}

/** How many photos lie at the places of the table `places`: that many is known, or no more than matter are counted. */
function countAtPlaces(search: Search): Prisma.Sql {
  if (search.scope.folderId === null && search.filter.since === null) {
    return Prisma.sql`(SELECT coalesce(sum(count), 0) FROM places)`
  }
  const there = inList(search, Prisma.sql`location = place`)
  return Prisma.sql`
    (SELECT count(*) FROM (
      SELECT 1 FROM places CROSS JOIN LATERAL (SELECT 1 FROM photos WHERE ${there} LIMIT ${COUNTED + 1}::int) AS photo
      LIMIT ${COUNTED + 1}::int) AS there)`
}

/** Photos whose texts match, by the index of texts, but not more of them than are counted. */
function matchingTexts({ scope, filter: { q, location, since } }: Search, elsewhereThan: Prisma.Sql): Prisma.Sql {
  return Prisma.sql`photos_like(${scope.userId}::int, containing(${q}), ${scope.folderId}::int, ${location},
    ${elsewhereThan}, ${since}::timestamptz, ${COUNTED + 1}::int)`
}

/** The first matches and their number by the indexes of places and texts; null when too many texts match for that. */
async function lookUp(db: Database, search: Search, part: Part, wanted: number): Promise<SearchResult | null> {
  const there = Prisma.sql`${inList(search, Prisma.sql`location = place`)} ${beyond(part)}`
  const rows = await db.$queryRaw<(Partial<Row> & { texts: number; total: number })[]>`
    WITH places AS MATERIALIZED (${matchingPlaces(search)}),
    texts AS MATERIALIZED (SELECT * FROM ${matchingTexts(search, Prisma.sql`NULL`)}),
    counted AS (
      SELECT (SELECT count(*) FROM texts)::int AS texts, least(${COUNTED + 1}::int, ${countAtPlaces(search)} + (
        SELECT count(*) FROM texts WHERE location IS NULL OR location NOT IN (SELECT place FROM places)))::int AS total),
    found AS (
      SELECT photo.id, photo.created_at FROM places CROSS JOIN LATERAL (
        SELECT id, created_at FROM photos WHERE ${there} ORDER BY ${order(part.sort)} LIMIT ${wanted}::int) AS photo
      UNION
      SELECT id, created_at FROM texts WHERE true ${beyond(part)}),
    shown AS (SELECT id, created_at FROM found ORDER BY ${order(part.sort)} LIMIT ${wanted}::int)
    SELECT id, created_at, texts, total FROM counted LEFT JOIN shown ON true ORDER BY ${order(part.sort)}`
  const [{ texts, total } = { texts: 0, total: 0 }] = rows
  if (texts > COUNTED) return null
  const found = rows.flatMap(({ id, created_at }) => (id && created_at ? toPosition({ id, created_at }) : []))
  return { found, total }
}

async function findFirst(db: Database, search: Search, part: Part, wanted: number): Promise<SearchResult> {
  const soon = await lookThrough(db, search, part, wanted, Math.max(LOOKED_AT_LEAST, wanted * LOOKED_AT))
  if (soon.found.length === wanted) return soon
  const lookedUp = isIndexed(search.filter.q) ? await lookUp(db, search, part, wanted) : null
  return lookedUp ?? lookThrough(db, search, part, wanted, ALL)
}

/** Part of a search's list. */
export async function searchPart(db: Database, search: Search, part: Part): Promise<SearchResult> {
  const { skip = 0, take } = part
  const result = await findFirst(db, search, part, skip + take)
  return { ...result, found: result.found.slice(skip) }
}

/** How many photos match, counted up to one more than `COUNTED`. */
export async function countMatches(db: Database, search: Search, scattered = false): Promise<number> {
  const indexed = isIndexed(search.filter.q)
  const most = Prisma.sql`${COUNTED + 1}::int`
  const elsewhere = Prisma.sql`(SELECT array_agg(place) FROM places)`
  const photos = next(search, inList(search), { sort: 'newest' }, indexed ? LOOKED_AT_TO_COUNT : ALL)
  const soon = Prisma.sql`SELECT 1 FROM (${photos}) AS next WHERE hit LIMIT ${most}`
  // Each way of counting is gone only when the cheaper ones before it did not say enough.
  const [row] = await db.$queryRaw<[{ count: number }]>`
    WITH places AS MATERIALIZED (${matchingPlaces(search)}),
    there AS MATERIALIZED (SELECT ${countAtPlaces(search)} AS count),
    soon AS (SELECT count(*) FROM (${indexed && scattered ? Prisma.sql`SELECT LIMIT 0` : soon}) AS hits)
    SELECT (CASE
      WHEN (SELECT count FROM there) >= ${most} THEN ${most}
      WHEN ${!indexed} OR (SELECT count FROM soon) >= ${most} THEN (SELECT count FROM soon)
      ELSE least(${most}, (SELECT count FROM there) + (SELECT count(*) FROM ${matchingTexts(search, elsewhere)}))
    END)::int AS count`
  return row.count
}
