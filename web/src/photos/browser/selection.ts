import { countOf } from '../../lib/format.ts'

/** The selected photos of the gallery: these, or all matches of the filters except these. */
export type Selection = { kind: 'some' | 'all'; ids: ReadonlySet<number> }

export const NO_PHOTOS: Selection = { kind: 'some', ids: new Set() }
export const ALL_SELECTED: Selection = { kind: 'all', ids: new Set() }

export function isSelected({ kind, ids }: Selection, id: number): boolean {
  return ids.has(id) === (kind === 'some')
}

/** The number of selected photos in a list of `total`. */
export function countSelected({ kind, ids }: Selection, total: number): number {
  return kind === 'some' ? ids.size : Math.max(0, total - ids.size)
}

/** '1,284 photos', or a lower bound of a list that was not counted to its end. */
export function describeCount(count: number, moreThan: number | null): string {
  return moreThan === null ? countOf(count, 'photo') : `more than ${countOf(moreThan, 'photo')}`
}

/** The selection with these photos added or removed. */
export function withPhotos(selection: Selection, photoIds: readonly number[], selected: boolean): Selection {
  const ids = new Set(selection.ids)
  for (const id of photoIds) {
    if (selected === (selection.kind === 'some')) ids.add(id)
    else ids.delete(id)
  }
  return { kind: selection.kind, ids }
}

/** The selection after these photos were deleted. */
export function withoutDeleted(selection: Selection, deleted: readonly number[]): Selection {
  if (!deleted.some((id) => selection.ids.has(id))) return selection
  const ids = new Set(selection.ids)
  for (const id of deleted) ids.delete(id)
  return { kind: selection.kind, ids }
}
