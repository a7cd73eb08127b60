import { badRequest } from '@skyfolio/kit'
import type { Database } from './database.ts'
import { foldersOf } from './folders.ts'
import type { Photo, Prisma } from './generated/client.ts'
import { type PhotoJson, photoJson } from './photo.ts'

export type Sort = 'newest' | 'oldest'

/** Which photos: all of a user or some of them, or those in a folder. */
export type Scope = { userId: number; id?: { in: number[] } } | { folderId: number }

/** After which photo a page begins. */
interface Position {
  createdAt: Date
  id: number
}

const BATCH = 500

/** The position as text for a link; it stays good when the photo is deleted. */
export function encodeCursor({ createdAt, id }: Position): string {
  return Buffer.from(`${createdAt.toISOString()} ${id}`).toString('base64url')
}

/** @throws AppError 400 for a text that is no cursor */
export function decodeCursor(cursor: string): Position {
  const [date = '', number = ''] = Buffer.from(cursor, 'base64url').toString().split(' ')
  const createdAt = new Date(date)
  const id = Number(number)
  if (Number.isNaN(createdAt.getTime()) || !Number.isInteger(id)) throw badRequest('The cursor is not valid.')
  return { createdAt, id }
}

/** The outer condition alone bounds the index scan; the inner one settles equal times. */
function beyond(after: Position, sort: Sort): Prisma.PhotoWhereInput {
  const { createdAt, id } = after
  if (sort === 'newest')
    return { createdAt: { lte: createdAt }, OR: [{ createdAt: { lt: createdAt } }, { id: { lt: id } }] }
  return { createdAt: { gte: createdAt }, OR: [{ createdAt: { gt: createdAt } }, { id: { gt: id } }] }
}

async function readPage(
  db: Database,
  scope: Scope,
  sort: Sort,
  after: Position | null,
  take: number,
): Promise<Photo[]> {
  const direction = sort === 'newest' ? 'desc' : 'asc'
  return db.photo.findMany({
    where: { ...scope, ...(after && beyond(after, sort)) },
    orderBy: [{ createdAt: direction }, { id: direction }],
    take,
  })
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
}

/** One page of at most `limit` photos. */
export async function listPage(
  db: Database,
  scope: Scope,
  sort: Sort,
  cursor: string | null,
  limit: number,
): Promise<Page> {
  const after = cursor === null ? null : decodeCursor(cursor)
  const rows = await readPage(db, scope, sort, after, limit + 1)
  const shown = rows.slice(0, limit)
  const last = shown.at(-1)
  return { photos: await toJson(db, shown), next: rows.length > limit && last ? encodeCursor(last) : null }
}

/** All photos as the text of a JSON array, read in batches, so that memory does not grow with their number. */
export async function* streamAll(db: Database, scope: Scope, sort: Sort): AsyncGenerator<string> {
  let after: Position | null = null
  let separator = '['
  for (;;) {
    const rows: Photo[] = await readPage(db, scope, sort, after, BATCH)
    for (const photo of await toJson(db, rows)) {
      yield separator + JSON.stringify(photo)
      separator = ','
    }
    if (rows.length < BATCH) break
    after = rows.at(-1) ?? null
  }
  yield separator === '[' ? '[]' : ']'
}

/** How many photos there are in all pages. */
export function countPhotos(db: Database, scope: Scope): Promise<number> {
  return db.photo.count({ where: scope })
}

/** How far the processing of those of the photos is that are the user's. */
export async function readStatus(
  db: Database,
  userId: number,
  ids: number[],
): Promise<Pick<PhotoJson, 'id' | 'status' | 'statusMessage'>[]> {
  const photos = await db.photo.findMany({
    where: { id: { in: ids }, userId },
    select: { id: true, status: true, statusMessage: true },
    orderBy: { id: 'asc' },
  })
  return photos.map((photo) => ({ ...photo, status: photo.status as PhotoJson['status'] }))
}
