import { useQueryClient } from '@tanstack/react-query'
import { useEffect, useEffectEvent, useRef, useState } from 'react'
import { subscribeHints } from '../../api/live-events.ts'
import { cachedPhotos, photoIdsBetween, photoQuery } from '../../api/photo-cache.ts'
import { keyOfList, type PhotoList } from '../../api/photo-lists.ts'
import type { Hint, Photo } from '../../api/types.ts'
import { toastFailure } from '../../components/ui/toast.tsx'
import { countOf } from '../../lib/format.ts'
import { isPairedRaw } from '../photo-facts.ts'

/** The selected photos of the gallery: these, or all matches of the filters except these. */
export type Selection = { kind: 'some' | 'all'; ids: ReadonlySet<number> }

export const NO_PHOTOS: Selection = { kind: 'some', ids: new Set() }
export const ALL_SELECTED: Selection = { kind: 'all', ids: new Set() }

export function isSelected({ kind, ids }: Selection, id: number): boolean {
  return ids.has(id) === (kind === 'some')
}

export function countSelected({ kind, ids }: Selection, total: number): number {
  return kind === 'some' ? ids.size : Math.max(0, total - ids.size)
}

/** '1,284 photos', or a lower bound of a list that was not counted to its end. */
export function describeCount(count: number, moreThan: number | null): string {
  return moreThan === null ? countOf(count, 'photo') : `more than ${countOf(moreThan, 'photo')}`
}

export function withPhotos(selection: Selection, photoIds: readonly number[], selected: boolean): Selection {
  const ids = new Set(selection.ids)
  for (const id of photoIds) {
    if (selected === (selection.kind === 'some')) ids.add(id)
    else ids.delete(id)
  }
  return { kind: selection.kind, ids }
}

export function withoutGone(selection: Selection, gone: readonly number[]): Selection {
  if (!gone.some((id) => selection.ids.has(id))) return selection
  const ids = new Set(selection.ids)
  for (const id of gone) ids.delete(id)
  return { kind: selection.kind, ids }
}

/** The key of changes of many photos. */
export const BULK_CHANGE = ['bulk-change']

export type PhotoSelection = ReturnType<typeof useSelection>

/**
 * The select mode of a list of `total` photos, or more than `moreThan`: the selection and the functions that change it. `hasLeft`: a
 * changed photo is in the list no longer.
 */
export function useSelection(
  list: PhotoList,
  total: number,
  moreThan: number | null,
  hasLeft: (photo: Photo) => boolean = isPairedRaw,
) {
  const client = useQueryClient()
  const [active, setActive] = useState(false)
  const [selection, setSelection] = useState(NO_PHOTOS)
  // The index at which a range starts, and the selection before it.
  const range = useRef({ anchor: 0, before: NO_PHOTOS })
  const latest = useRef(0)

  // 'All' means all of one list: in another list it would select photos that the user has not chosen.
  const key = keyOfList(list)
  const [selectedIn, setSelectedIn] = useState(key)
  if (selectedIn !== key) {
    setSelectedIn(key)
    if (selection.kind === 'all') setSelection(NO_PHOTOS)
  }

  const dropLeft = useEffectEvent(async ({ type, id }: Hint) => {
    if (type === 'photo.deleted') drop([id])
    // A change may have made a photo the raw file of a pair. Own changes of many photos end the selection.
    if (type !== 'photo.changed' || !selection.ids.has(id) || client.isMutating({ mutationKey: BULK_CHANGE }) > 0)
      return
    const photo = await client.fetchQuery({ ...photoQuery(id), staleTime: 0 })
    if (!photo || hasLeft(photo)) drop([id])
  })
  useEffect(() => {
    if (!active) return
    return subscribeHints((hint) => {
      dropLeft(hint).catch(() => {})
    })
  }, [active])

  function set(next: Selection): void {
    latest.current += 1 // Supersedes a range that is still being read.
    setActive(true)
    setSelection(next)
  }

  /** Forgets photos that are in the list no longer; whatever else was chosen meanwhile stays. */
  function drop(gone: readonly number[]): void {
    range.current = { ...range.current, before: withoutGone(range.current.before, gone) }
    setSelection((now) => withoutGone(now, gone))
  }

  /** Selects everything from the start of the range on. Ranges of thousands are read first; a later choice supersedes them. */
  async function extendTo(index: number): Promise<void> {
    const { anchor, before } = range.current
    latest.current += 1
    const own = latest.current
    setActive(true)
    try {
      const ids = await photoIdsBetween(client, list, Math.min(anchor, index), Math.max(anchor, index))
      if (own === latest.current) setSelection(withPhotos(before, ids, true))
    } catch (error) {
      toastFailure('Photos could not be selected', error)
    }
  }

  /** The selected photos whose pages are cached. */
  const known = (): Photo[] => cachedPhotos(client, list).filter(({ id }) => isSelected(selection, id))

  const count = countSelected(selection, total)
  return {
    active,
    selection,
    count,
    amount: describeCount(count, selection.kind === 'all' ? moreThan : null),
    has: (id: number) => isSelected(selection, id),
    known,
    /** Whether there are pairs among the selected photos, or may be. */
    hasPairs(): boolean {
      const photos = known()
      return photos.length < count || photos.some(({ raw }) => raw !== null)
    },
    start: () => setActive(true),
    /** Selects the photo or takes it out of the selection. */
    toggle(id: number, index: number): void {
      const next = withPhotos(selection, [id], !isSelected(selection, id))
      range.current = { anchor: index, before: next }
      set(next)
    },
    extendTo,
    /** The keyboard or the mouse has moved on: the next range starts here. */
    moveTo(index: number): void {
      range.current = { anchor: index, before: selection }
    },
    all(): void {
      range.current = { anchor: 0, before: ALL_SELECTED }
      set(ALL_SELECTED)
    },
    /** Also leaves select mode. */
    clear(): void {
      range.current = { anchor: range.current.anchor, before: NO_PHOTOS }
      set(NO_PHOTOS)
      setActive(false)
    },
    /** The ids of the selected photos. Those of a whole list are read. */
    async readIds(): Promise<number[]> {
      if (selection.kind === 'some') return [...selection.ids]
      const ids = await photoIdsBetween(client, list, 0, total - 1)
      return ids.filter((id) => isSelected(selection, id))
    },
    drop,
    /** Selects only these photos. */
    keep(ids: readonly number[]): void {
      set({ kind: 'some', ids: new Set(ids) })
    },
  }
}
