import { badRequest } from '@skyfolio/kit'
import type { Database } from '../database.ts'
import type { Photo } from '../generated/client.ts'
import { type PhotoJson, photoJson } from '../photos/photo.ts'
import { foldersOf } from '../projection/folders.ts'
import { countFound, findAll, findPart } from './find.ts'
import type { Position, Search, Sort } from './list-sql.ts'

const BATCH = 500
/** Years that both JavaScript and PostgreSQL have. */
const FIRST_YEAR = 1
const LAST_YEAR = 9999
const LAST_ID = 2 ** 31 - 1

/** The position as text for a link; it stays good when the photo is deleted. */
export function encodeCursor({ createdAt, id }: Position): string {
  return Buffer.from(`${createdAt.toISOString()} ${id}`).toString('base64url')
}

/** @throws AppError 400 for a text that is no cursor */
export function decodeCursor(cursor: string): Position {
  const [date = '', number = ''] = Buffer.from(cursor, 'base64url').toString().split(' ')
  const createdAt = new Date(date)
  const year = createdAt.getUTCFullYear()
  const id = Number(number)
  if (!(year >= FIRST_YEAR && year <= LAST_YEAR) || !/^\d{1,10}$/.test(number) || id > LAST_ID) {
    throw badRequest('The cursor is not valid.')
  }
  return { createdAt, id }
}

/** The photos of these positions in their order; one that was deleted meanwhile is left out. */
async function readRows(db: Database, positions: Position[]): Promise<Photo[]> {
  const rows = await db.photo.findMany({ where: { id: { in: positions.map(({ id }) => id) } } })
  const byId = new Map(rows.map((row) => [row.id, row]))
  return positions.flatMap(({ id }) => byId.get(id) ?? [])
}

/** The photos as JSON, each with the flag that holds in its folder. */
export async function toJson(db: Database, photos: Photo[]): Promise<PhotoJson[]> {
  const folders = await foldersOf(db, photos)
  return photos.map((photo) => photoJson(photo, folders.get(photo.folderId ?? 0) ?? null))
}

export interface Page {
  photos: PhotoJson[]
  /** Cursor of the next page; null on the last one. */
  next: string | null
  /** As `countFound` says it. */
  total: number
}

export interface PageWanted {
  sort: Sort
  /** Of the page before; null from the beginning. */
  cursor: string | null
  /** Photos to leave out before the first one. */
  skip: number
  limit: number
}

/** One page of at most `limit` photos. @throws AppError 400 for a text that is no cursor */
export async function listPage(db: Database, search: Search, wanted: PageWanted): Promise<Page> {
  const { sort, cursor, skip, limit } = wanted
  const after = cursor === null ? null : decodeCursor(cursor)
  const part = await findPart(db, search, { sort, after, skip, take: limit + 1 })
  const { found, total } = part
  const shown = found.slice(0, limit)
  const last = shown.at(-1)
  const [rows, counted] = await Promise.all([readRows(db, shown), total ?? countFound(db, search, part)])
  return {
    photos: await toJson(db, rows),
    next: found.length > limit && last ? encodeCursor(last) : null,
    total: counted,
  }
}

/** All photos as the text of a JSON array, read in batches, so that memory does not grow with their number. */
export async function* streamAll(db: Database, search: Search, sort: Sort): AsyncGenerator<string> {
  let separator = '['
  for await (const batch of findAll(db, search, sort, BATCH)) {
    for (const photo of await toJson(db, await readRows(db, batch))) {
      yield separator + JSON.stringify(photo)
      separator = ','
    }
  }
  yield separator === '[' ? '[]' : ']'
}

/** Those of the photos that are in the user's gallery, whatever else is asked for. */
export async function listNamed(db: Database, userId: number, ids: number[], sort: Sort): Promise<PhotoJson[]> {
  const direction = sort === 'newest' ? 'desc' : 'asc'
  const photos = await db.photo.findMany({
    where: { id: { in: ids }, userId, purpose: 'gallery' },
    orderBy: [{ createdAt: direction }, { id: direction }],
  })
  return toJson(db, photos)
}

export interface PlaceCount {
  city: string | null
  state: string | null
  count: number
}

/** The places where the user has photos, in the order of their names. */
export async function listPlaces(db: Database, userId: number): Promise<PlaceCount[]> {
  return db.$queryRaw`
    SELECT nullif(city, '') AS city, nullif(state, '') AS state, count FROM photo_places
    WHERE user_id = ${userId}::int AND location IS NOT NULL ORDER BY location COLLATE "und-x-icu", city`
}

/** How far the processing of those of the photos is that are the user's. */
export async function readStatus(
  db: Database,
  userId: number,
  ids: number[],
): Promise<Pick<PhotoJson, 'id' | 'status' | 'statusMessage'>[]> {
  const photos = await db.photo.findMany({
    where: { id: { in: ids }, userId, purpose: 'gallery' },
    select: { id: true, status: true, statusMessage: true },
    orderBy: { id: 'asc' },
  })
  return photos.map((photo) => ({ ...photo, status: photo.status as PhotoJson['status'] }))
}
