import { cursorInvalid, Nullable } from '@skyfolio/kit'
import { type Static, Type } from 'typebox'
import type { Database } from '../database.ts'
import { type Photo, Prisma } from '../generated/client.ts'
import { eitherOf } from '../photos/locks.ts'
import { type PhotoResponse, toPhotoResponses } from '../photos/photo-response.ts'
import { isStorable } from './filter.ts'
import { countListed, findAllPositions, findPositions, narrow } from './list-positions.ts'
import {
  isByTaken,
  type ListQuery,
  listCondition,
  matchesNothing,
  orderBy,
  type Position,
  type PositionRow,
  positionColumns,
  type Sort,
  toPosition,
} from './list-query.ts'

const BATCH = 500

interface PageRequest {
  sort: Sort
  /** From the page before; null for the first page. */
  cursor: string | null
  /** Photos to skip before the first one. */
  skip: number
  limit: number
  /** How far a list is counted if no table holds its length. */
  countTo: number | undefined
  /** Each raw file of a pair follows its JPEG; pages and lists are as long as without. */
  withRaw: boolean
}

interface Page {
  photos: PhotoResponse[]
  /** Cursor of the next page; null on the last one. */
  next: string | null
  /** The length of the whole list, as `countListed` returns it. */
  total: number
}

/** Reads one page of a list. @throws AppError 400 for an invalid cursor */
export async function listPage(db: Database, list: ListQuery, page: PageRequest): Promise<Page> {
  const { sort, cursor, skip, limit, countTo, withRaw } = page
  const after = cursor === null ? null : decodeCursor(cursor, sort)
  const query = matchesNothing(list) ? list : await narrow(db, list)
  const result = await findPositions(db, query, { sort, after, skip, take: limit + 1 })
  const { positions } = result
  const shown = positions.slice(0, limit)
  const last = shown.at(-1)
  const [rows, total] = await Promise.all([readRows(db, shown, withRaw), countListed(db, query, countTo, result)])
  return {
    photos: await toPhotoResponses(db, rows),
    next: positions.length > limit && last ? encodeCursor(last) : null,
    total,
  }
}

/** Yields a whole list as the text of a JSON array, read in batches, so that memory does not grow with its length. */
export async function* streamPhotos(
  db: Database,
  query: ListQuery,
  { sort, withRaw }: Pick<PageRequest, 'sort' | 'withRaw'>,
): AsyncGenerator<string> {
  let separator = '['
  for await (const batch of findAllPositions(db, query, sort, BATCH)) {
    for (const photo of await toPhotoResponses(db, await readRows(db, batch, withRaw))) {
      yield separator + JSON.stringify(photo)
      separator = ','
    }
  }
  yield separator === '[' ? '[]' : ']'
}

/** Reads the photos of these positions, in their order. A photo that was deleted meanwhile is left out. */
async function readRows(db: Database, positions: Position[], withRaw: boolean): Promise<Photo[]> {
  const ids = positions.map(({ id }) => id)
  const rows = await db.photo.findMany({ where: withRaw ? eitherOf(ids) : { id: { in: ids } } })
  const byId = new Map(rows.map((row) => [row.id, row]))
  return positions.flatMap(({ id }) => {
    const photo = byId.get(id)
    if (!photo) return []
    const raw = withRaw && byId.get(photo.pairedWith ?? 0)
    return raw ? [photo, raw] : [photo]
  })
}

/** Reads photos by their ids. Ids that are not in the user's gallery are left out, raw files of pairs unless they are wanted. */
export async function listByIds(
  db: Database,
  userId: number,
  ids: number[],
  { sort, withRaw }: Pick<PageRequest, 'sort' | 'withRaw'>,
): Promise<PhotoResponse[]> {
  const positions = await db.$queryRaw<PositionRow[]>`
    SELECT ${positionColumns(sort)} FROM photos
    WHERE id = ANY (${ids}) AND user_id = ${userId}::int AND (purpose = 'gallery' OR purpose = 'raw' AND ${withRaw})
    ORDER BY ${orderBy(sort)}`
  return toPhotoResponses(db, await readRows(db, positions.map(toPosition), false))
}

export const PlaceCount = Type.Object({
  city: Nullable(Type.String()),
  state: Nullable(Type.String()),
  count: Type.Integer(),
})

/** Lists the places of a gallery or folder with the number of photos at each, ordered by name. */
export async function listPlaces(db: Database, query: ListQuery): Promise<Static<typeof PlaceCount>[]> {
  if (matchesNothing(query)) return []
  const { userId, folderId } = query.scope
  const places =
    folderId === null
      ? Prisma.sql`photo_places WHERE user_id = ${userId}::int`
      : Prisma.sql`(SELECT city, state, location, count(*)::int AS count FROM photos WHERE ${listCondition(query, 'newest')}
          GROUP BY city, state, location) AS places WHERE true`
  return db.$queryRaw`
    SELECT nullif(city, '') AS city, nullif(state, '') AS state, count FROM ${places}
      AND location IS NOT NULL ORDER BY location COLLATE "und-x-icu", city`
}

export const CameraCount = Type.Object({ model: Type.String(), count: Type.Integer() })

/** Lists the camera models of a gallery or folder with the number of photos of each, ordered by name. */
export async function listCameras(db: Database, query: ListQuery): Promise<Static<typeof CameraCount>[]> {
  if (matchesNothing(query)) return []
  const { userId, folderId } = query.scope
  const cameras =
    folderId === null
      ? Prisma.sql`photo_cameras WHERE user_id = ${userId}::int`
      : Prisma.sql`(SELECT camera, count(*)::int AS count FROM photos WHERE ${listCondition(query, 'newest')}
          AND camera IS NOT NULL GROUP BY camera) AS cameras`
  return db.$queryRaw`SELECT camera AS model, count FROM ${cameras} ORDER BY camera COLLATE "und-x-icu"`
}

/** Reads the processing status of photos. Ids that are not the user's are left out. */
export async function listStatus(
  db: Database,
  userId: number,
  ids: number[],
): Promise<Pick<PhotoResponse, 'id' | 'status' | 'statusMessage'>[]> {
  const photos = await db.photo.findMany({
    where: { id: { in: ids }, userId, purpose: { not: 'metadata' } },
    select: { id: true, status: true, statusMessage: true },
    orderBy: { id: 'asc' },
  })
  return photos.map((photo) => ({ ...photo, status: photo.status as PhotoResponse['status'] }))
}

const LAST_ID = 2 ** 31 - 1

/** The sort key of a photo without a date, in either order. */
const TAKEN = /^(|~|\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d)$/

/** Encodes a position for a link. The cursor stays valid when the photo is deleted. */
function encodeCursor({ createdAt, id, key }: Position): string {
  const parts = key === undefined ? [createdAt.toISOString(), id] : [createdAt.toISOString(), id, key]
  return Buffer.from(parts.join(' ')).toString('base64url')
}

/** @throws AppError 400 for an invalid cursor, or one of a list in another order */
function decodeCursor(cursor: string, sort: Sort): Position {
  const [date = '', number = '', key] = Buffer.from(cursor, 'base64url').toString().split(' ')
  const createdAt = new Date(date)
  const id = Number(number)
  const isValid = isStorable(createdAt) && /^\d{1,10}$/.test(number) && id <= LAST_ID
  if (!isValid || !isKeyOf(sort, key)) throw cursorInvalid()
  return { createdAt, id, ...(key !== undefined && { key }) }
}

function isKeyOf(sort: Sort, key: string | undefined): boolean {
  if (sort === 'own') return isPosition(key ?? '')
  return isByTaken(sort) ? TAKEN.test(key ?? 'none') : key === undefined
}

/** Whether a text is a position in an owner's order as `toPosition` writes it: so it is a number that PostgreSQL has, too. */
function isPosition(key: string): boolean {
  const position = Number(key)
  return !Number.isNaN(position) && String(position) === key
}
