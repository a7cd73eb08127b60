import type { Database } from '../database.ts'
import { Prisma } from '../generated/client.ts'
import { matchesNothing } from './filter.ts'
import { beyond, COUNTED, inList, none, order, type Part, type Position, type Search, type Sort } from './list-sql.ts'
import { countMatches, type SearchResult, searchPart } from './search.ts'

async function readPart(db: Database, search: Search, part: Part): Promise<Position[]> {
  const { sort, skip = 0, take } = part
  const rows = await db.$queryRaw<{ id: number; created_at: Date }[]>`
    SELECT id, created_at FROM photos WHERE ${inList(search)} ${beyond(part)}
    ORDER BY ${order(sort)} OFFSET ${skip}::int LIMIT ${take}::int`
  return rows.map(({ id, created_at }) => ({ id, createdAt: created_at }))
}

/** Leaves out many photos, counting from the nearer end of a list whose length is known. */
async function readFar(db: Database, search: Search, { sort, skip = 0, take }: Part): Promise<Position[]> {
  const total = await countPlaces(db, search)
  if (skip < total / 2) return readPart(db, search, { sort, skip, take })
  const behind = Math.max(0, total - skip - take)
  const turned = { sort: sort === 'newest' ? 'oldest' : 'newest', skip: behind } as const
  return (await readPart(db, search, { ...turned, take: Math.max(0, total - skip - behind) })).reverse()
}

/** Whether `photo_places` knows how long the list is. */
function isCounted({ scope, filter }: Search): boolean {
  return filter.q === null && filter.since === null && scope.folderId === null
}

/** Fewer are left out as quickly without asking for the length. */
const FAR = 1000

/** Part of a list: the positions of at most `take` photos, in order. */
export async function findPart(db: Database, search: Search, part: Part): Promise<SearchResult> {
  if (matchesNothing(search.filter)) return { found: [], total: 0 }
  if (search.filter.q !== null) return searchPart(db, search, part)
  const far = isCounted(search) && !part.after && (part.skip ?? 0) > FAR
  return { found: await (far ? readFar(db, search, part) : readPart(db, search, part)), total: null }
}

/** All photos of a list in batches, each of `size` but for the last one. What comes to the end meanwhile is found too. */
export async function* findAll(db: Database, search: Search, sort: Sort, size: number): AsyncGenerator<Position[]> {
  let after: Position | null = null
  for (;;) {
    const { found }: SearchResult = await findPart(db, search, { sort, after, take: size })
    if (found.length > 0) yield found
    if (found.length < size) return
    after = found.at(-1) ?? null
  }
}

async function countPlaces(db: Database, { scope, filter: { location } }: Search): Promise<number> {
  const at = location === null ? none : Prisma.sql`AND location = ${location}`
  const [row] = await db.$queryRaw<[{ count: number }]>`
    SELECT coalesce(sum(count), 0)::int AS count FROM photo_places WHERE user_id = ${scope.userId}::int ${at}`
  return row.count
}

async function countRows(db: Database, search: Search, most: number | null): Promise<number> {
  const [row] = await db.$queryRaw<[{ count: number }]>`
    SELECT count(*)::int AS count FROM (SELECT 1 FROM photos WHERE ${inList(search)} LIMIT ${most}::int) AS counted`
  return row.count
}

/**
 * How many photos a list has on all its pages: exact for the whole gallery, one location of it, and a whole folder;
 * otherwise exact up to `COUNTED`, and one more than that means that there are more. What part of the list told helps.
 */
export async function countFound(
  db: Database,
  search: Search,
  { scattered }: Partial<SearchResult> = {},
): Promise<number> {
  const { q, location, since } = search.filter
  if (matchesNothing(search.filter)) return 0
  if (q !== null) return countMatches(db, search, scattered)
  if (isCounted(search)) return countPlaces(db, search)
  return countRows(db, search, since === null && location === null ? null : COUNTED + 1)
}
