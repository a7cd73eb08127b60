import { AppError, badRequest } from '@skyfolio/kit'
import type { Database, Transaction } from '../database.ts'
import { waitForAdding } from '../erasure/tombstone.ts'
import { publishChanged } from '../events.ts'
import { eitherOf, lockPhotos } from '../photos/locks.ts'
import { orderBy, positionColumns } from './list-query.ts'

/*
 * The owner's order of a folder's photos. A position is a number, so that a photo which moves gets one between those of its new
 * neighbours, and no other photo changes. New photos have none and are last.
 */

/** Photos of a folder that have positions, and so the most that one change writes. */
export const MAX_ARRANGED = 5000

/** A photo of a folder and its position; null: it has none, as all behind it. */
export interface Placed {
  id: number
  position: number | null
}

/**
 * Puts the user's photos of a folder in this order: these before another one (null: at the end), or, without `before`, as the whole
 * order, which photos that are not among them follow.
 * @throws AppError 400 for photos that are not in the folder, 409 when too many would have positions
 */
export async function arrangePhotos(
  db: Database,
  userId: number,
  folderId: number,
  ids: number[],
  before?: number | null,
): Promise<void> {
  await db.$transaction(async (tx) => {
    // No photo of the user is moved, arranged or added while this one waits, so that two changes are one after the other.
    await waitForAdding(tx, 'uploads', userId)
    const order = await readOrder(tx, userId, folderId)
    const known = new Set(order.map(({ id }) => id))
    const unknown = [...ids, ...(before ? [before] : [])].find((id) => !known.has(id))
    if (unknown !== undefined) throw badRequest(`Photo ${unknown} is not in this folder.`)
    const after = before === undefined ? orderOf(order, ids) : moveBefore(order, ids, before)
    const now = new Map(order.map(({ id, position }) => [id, position]))
    await savePositions(
      tx,
      userId,
      after.filter(({ id, position }) => now.get(id) !== position),
    )
  })
}

async function readOrder(tx: Transaction, userId: number, folderId: number): Promise<Placed[]> {
  return tx.$queryRaw<Placed[]>`
    SELECT id, own_position AS position FROM (
      SELECT ${positionColumns('own')}, own_position FROM photos
      WHERE purpose = 'gallery' AND folder_id = ${folderId}::int AND user_id = ${userId}::int) AS inside
    ORDER BY ${orderBy('own')}`
}

/** Writes the positions of photos, of a pair for both files. */
async function savePositions(tx: Transaction, userId: number, changed: Placed[]): Promise<void> {
  if (changed.length === 0) return
  const ids = changed.map(({ id }) => id)
  await lockPhotos(tx, ids, userId)
  await tx.$executeRaw`
    UPDATE photos SET own_position = new.position, revision = revision + 1
    FROM jsonb_to_recordset(${JSON.stringify(changed)}::jsonb) AS new (id int, position double precision)
    WHERE new.id = CASE photos.purpose WHEN 'raw' THEN photos.paired_with ELSE photos.id END
      AND (photos.id = ANY (${ids}) OR photos.paired_with = ANY (${ids}))`
  await publishChanged(tx, ...(await tx.photo.findMany({ where: eitherOf(ids), orderBy: { id: 'asc' } })))
}

/** The whole order: these photos, then the others of the folder, which have no position. */
function orderOf(order: Placed[], ids: number[]): Placed[] {
  const chosen = new Set(ids)
  const others = order.filter(({ id }) => !chosen.has(id)).map(({ id }) => ({ id, position: null }))
  return [...numbered(ids), ...others]
}

/**
 * The order after these photos have moved before another one of it (null: to the end). Only they get positions, unless photos
 * without one precede them, or no number is left between their neighbours: then others get new positions, too.
 */
export function moveBefore(order: Placed[], ids: number[], before: number | null): Placed[] {
  const moving = new Set(ids)
  const staying = order.filter(({ id }) => !moving.has(id))
  const target = before === null ? staying.length : staying.findIndex(({ id }) => id === before)
  const placed = staying.findIndex(({ position }) => position === null)
  const start = placed === -1 ? target : Math.min(placed, target)
  const head = staying.slice(0, start)
  const tail = staying.slice(target)
  const run = [...staying.slice(start, target).map(({ id }) => id), ...ids]
  const positions = between(head.at(-1)?.position ?? null, tail[0]?.position ?? null, run.length)
  if (positions)
    return checked([...head, ...run.map((id, index) => ({ id, position: positions[index] ?? null })), ...tail])
  const behind = tail.filter(({ position }) => position !== null)
  const renumbered = numbered([...head.map(({ id }) => id), ...run, ...behind.map(({ id }) => id)])
  return checked([...renumbered, ...tail.slice(behind.length)])
}

const numbered = (ids: number[]): Placed[] => ids.map((id, index) => ({ id, position: index + 1 }))

/** So many ascending numbers between two (null: no bound); null when there are not so many. */
function between(low: number | null, high: number | null, count: number): number[] | null {
  if (high === null) return Array.from({ length: count }, (_, index) => (low ?? 0) + index + 1)
  if (low === null) return Array.from({ length: count }, (_, index) => high - count + index)
  const step = (high - low) / (count + 1)
  const numbers = Array.from({ length: count }, (_, index) => low + step * (index + 1))
  const isAscending = [...numbers, high].every((number, index) => number > (numbers[index - 1] ?? low))
  return isAscending ? numbers : null
}

/** @throws AppError 409 */
function checked(order: Placed[]): Placed[] {
  if (order.filter(({ position }) => position !== null).length <= MAX_ARRANGED) return order
  const message = `Only the first ${MAX_ARRANGED.toLocaleString('en')} photos of a folder can be arranged.`
  throw new AppError(409, 'too_many_photos', message)
}
