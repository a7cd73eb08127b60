import { useQueryClient } from '@tanstack/react-query'
import { useEffect, useRef, useState } from 'react'
import { subscribeHints } from '../../api/live-events.ts'
import { photoIdsBetween } from '../../api/photo-cache.ts'
import { keyOfList, type PhotoList } from '../../api/photo-lists.ts'
import { toast } from '../../components/ui/toast.tsx'
import { errorMessage } from '../../lib/http.ts'
import {
  ALL_SELECTED,
  countSelected,
  describeCount,
  isSelected,
  NO_PHOTOS,
  type Selection,
  withoutDeleted,
  withPhotos,
} from './selection.ts'

interface Range {
  /** The index at which it starts. */
  anchor: number
  /** The selection before it. */
  before: Selection
}

/** The select mode of a list of `total` photos, or more than `moreThan`: the selection and the functions that change it. */
export function useSelection(list: PhotoList, total: number, moreThan: number | null) {
  const client = useQueryClient()
  const [active, setActive] = useState(false)
  const [selection, setSelection] = useState(NO_PHOTOS)
  const range = useRef<Range>({ anchor: 0, before: NO_PHOTOS })
  const latest = useRef(0)

  // 'All' means all of one list: in another list it would select photos that the user has not chosen.
  const key = keyOfList(list)
  const [selectedIn, setSelectedIn] = useState(key)
  if (selectedIn !== key) {
    setSelectedIn(key)
    if (selection.kind === 'all') setSelection(NO_PHOTOS)
  }

  useEffect(() => {
    if (!active) return
    return subscribeHints(({ type, id }) => {
      if (type === 'photo.deleted') setSelection((now) => withoutDeleted(now, [id]))
    })
  }, [active])

  function set(next: Selection): void {
    latest.current += 1 // Supersedes a range that is still being read.
    setActive(true)
    setSelection(next)
  }

  /** Ranges of thousands are read first; a later choice supersedes them. */
  async function extendTo(index: number): Promise<void> {
    const { anchor, before } = range.current
    latest.current += 1
    const own = latest.current
    setActive(true)
    try {
      const ids = await photoIdsBetween(client, list, Math.min(anchor, index), Math.max(anchor, index))
      if (own === latest.current) setSelection(withPhotos(before, ids, true))
    } catch (error) {
      toast({ title: 'Photos could not be selected', description: errorMessage(error), tone: 'danger' })
    }
  }

  const count = countSelected(selection, total)
  return {
    active,
    selection,
    count,
    /** The count in words. */
    amount: describeCount(count, selection.kind === 'all' ? moreThan : null),
    has: (id: number) => isSelected(selection, id),
    start: () => setActive(true),
    toggle(id: number, index: number): void {
      const next = withPhotos(selection, [id], !isSelected(selection, id))
      range.current = { anchor: index, before: next }
      set(next)
    },
    extendTo,
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
    /** Selects only these photos. */
    keep(ids: readonly number[]): void {
      set({ kind: 'some', ids: new Set(ids) })
    },
  }
}
