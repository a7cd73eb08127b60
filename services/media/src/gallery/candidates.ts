import type { Database } from '../database.ts'
import { areaAround, boxesOf } from './area.ts'
import { type ListQuery, positionCondition } from './list-query.ts'
import { countInRanges } from './map-index.ts'
import { coverBoxes, type KeyRange } from './web-mercator.ts'

/*
 * Photos in an area are found by the index of the map when they are few, wherever in the list they are. When they are many,
 * a scan of the list soon finds some, and its other conditions have an index. The planner never chooses between the two.
 */

/** With more photos in its area, a list is scanned. */
const MAX_CANDIDATES = 3000

/** The query with its candidates, if its filter by position leaves few. */
export async function narrow(db: Database, query: ListQuery): Promise<ListQuery> {
  const ranges = rangesOf(query)
  return ranges && !query.candidates ? narrowTo(db, query, ranges) : query
}

/** The query with these candidates, if few photos of its scope and area are in these ranges of the map. */
export async function narrowTo(db: Database, query: ListQuery, ranges: KeyRange[]): Promise<ListQuery> {
  const count = await countInRanges(db, query.scope, ranges, positionCondition(query), MAX_CANDIDATES + 1)
  return count > MAX_CANDIDATES ? query : { ...query, candidates: ranges }
}

/** Ranges of the map with all photos of a list that is filtered by position, and some others. */
export function rangesOf({ filter: { area, near } }: ListQuery): KeyRange[] | null {
  const bounds = near ? areaAround(near) : area
  return bounds && coverBoxes(boxesOf(bounds))
}
