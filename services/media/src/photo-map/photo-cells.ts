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

/** Whose cells these are, as `photo_cells.scope` names it. */
export function cellScope({ folderId }: Scope): number {
  if (folderId === null) return WHOLE_GALLERY
  return folderId === NO_FOLDER ? WITHOUT_FOLDER : folderId
}

/** The coarsest counted level of which the cells of a level are made. */
export function countedLevel(level: number): number {
  return CELL_LEVELS.find((counted) => counted >= level) ?? FINEST_LEVEL
}
