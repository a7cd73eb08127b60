import type { Database } from '../database.ts'
import { NO_FOLDER } from '../gallery/list-query.ts'
import type { Scope } from '../gallery/map-index.ts'

/*
 * `photo_cells` holds the number of a user's photos in each cell of the map at some levels, and the sum of their places, for
 * the whole gallery and for each folder.
 */

/** The levels that are counted: the map has 2^level cells in each direction. */
export const CELL_LEVELS = [6, 11, 16, 21] as const
export const FINEST_LEVEL = 21
const WHOLE_GALLERY = 0
const WITHOUT_FOLDER = -1
/** In one transaction, which holds the lock of the user's sums: about 0.1 s. */
const PHOTOS_PER_STEP = 10_000

/** Whose cells these are, as `photo_cells.scope` names it. */
export function cellScope({ folderId }: Scope): number {
  if (folderId === null) return WHOLE_GALLERY
  return folderId === NO_FOLDER ? WITHOUT_FOLDER : folderId
}

/** The coarsest counted level of which the cells of a level are made. */
export function countedLevel(level: number): number {
  return CELL_LEVELS.find((counted) => counted >= level) ?? FINEST_LEVEL
}

const counting = new Map<number, Promise<void>>()

/** Counts what is not counted yet of the user's photos. Concurrent calls share one count. */
export function countCells(db: Database, userId: number, photosPerStep = PHOTOS_PER_STEP): Promise<void> {
  const running = counting.get(userId)
  if (running) return running
  const count = countAll(db, userId, photosPerStep).finally(() => counting.delete(userId))
  counting.set(userId, count)
  return count
}

async function countAll(db: Database, userId: number, photosPerStep: number): Promise<void> {
  for (;;) {
    const [step] = await db.$queryRaw<[{ done: boolean }]>`
      SELECT count_next_cells(${userId}::int, ${photosPerStep}::int) AS done`
    if (step.done) return
  }
}
