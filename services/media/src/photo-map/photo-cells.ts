import type { Database } from '../database.ts'
import { NO_FOLDER, type Scope } from '../gallery/list-query.ts'

/*
 * `photo_cells` holds the number of a user's photos in each cell of the map at some levels, and the sum of their places, for
 * the whole gallery and for each folder.
 */

/** The levels that are counted: the map has 2^level cells in each direction. */
export const CELL_LEVELS = [6, 11, 16, 21] as const
export const FINEST_LEVEL = 21
const WHOLE_GALLERY = 0
const WITHOUT_FOLDER = -1

/** Whose cells these are, as `photo_cells.scope` names it. */
export function cellScope({ folderId }: Scope): number {
  if (folderId === null) return WHOLE_GALLERY
  return folderId === NO_FOLDER ? WITHOUT_FOLDER : folderId
}

/** The coarsest counted level of which the cells of a level are made. */
export function countedLevel(level: number): number {
  return CELL_LEVELS.find((counted) => counted >= level) ?? FINEST_LEVEL
}

const starting = new Map<number, Promise<boolean>>()

/**
 * Counts the user's photos by cells, unless that was done before; concurrent calls share one count. False while the photos
 * are being changed: then nothing was counted.
 */
export function startPhotoCells(db: Database, userId: number): Promise<boolean> {
  const running = starting.get(userId)
  if (running) return running
  const start = startUncounted(db, userId).finally(() => starting.delete(userId))
  starting.set(userId, start)
  return start
}

async function startUncounted(db: Database, userId: number): Promise<boolean> {
  if (await isCounted(db, userId)) return true
  await db.$executeRaw`SELECT start_photo_cells(${userId}::int)`
  return isCounted(db, userId)
}

async function isCounted(db: Database, userId: number): Promise<boolean> {
  const usage = await db.userUsage.findUnique({ where: { userId }, select: { mapCounted: true } })
  return usage?.mapCounted ?? false
}
