import {
  type FocusEvent,
  type KeyboardEvent,
  type MouseEvent,
  type RefObject,
  useLayoutEffect,
  useRef,
  useState,
} from 'react'
import type { Photo } from '../../api/types.ts'
import type { PhotoSelection } from '../browser/selection.ts'
import { rowOf } from './grid-layout.ts'
import { indexAfterKey, type PhotoLayout } from './photo-layout.ts'
import type { GridRows } from './use-visible-rows.ts'

/** The selection of the grid's screen; `remove` asks for confirmation to delete the selected photos. */
export type GridSelection = PhotoSelection & { remove: () => void }

interface GridKeysOptions {
  grid: RefObject<HTMLElement | null>
  rows: GridRows<PhotoLayout>
  total: number
  photoAt: (index: number) => Photo | undefined
  selection?: GridSelection
  open: (photo: Photo) => void
  remove: (photo: Photo) => void
}

const CONTROLS = 'a, button, input, select, [role="menuitem"]'

/** The cell of an event; null for events of dialogs and menus, which React bubbles up from portals. */
function cellOf({ target, currentTarget }: { target: EventTarget; currentTarget: HTMLElement }): HTMLElement | null {
  if (!(target instanceof Element) || !currentTarget.contains(target)) return null
  return target.closest<HTMLElement>('[role="gridcell"]')
}

/**
 * The grid's single tab stop and its keys and clicks: arrows, Home, End and page keys move, Enter opens, Space selects,
 * Shift selects a range, Delete asks for confirmation to delete.
 */
export function useGridKeys(options: GridKeysOptions) {
  const { grid, rows, total, photoAt, selection } = options
  const [chosen, setChosen] = useState(0)
  const active = Math.min(chosen, Math.max(total - 1, 0))
  const focusWanted = useRef(false)

  // The same key may have rendered the cell.
  useLayoutEffect(() => {
    if (!focusWanted.current) return
    const cell = grid.current?.querySelector<HTMLElement>(`[data-index="${active}"]`)
    if (!cell) return
    focusWanted.current = false
    cell.focus({ preventScroll: true })
  })

  function goTo(index: number): void {
    focusWanted.current = true
    setChosen(index)
    rows.reveal(rowOf(rows.layout, index))
    if (index === active)
      grid.current?.querySelector<HTMLElement>(`[data-index="${index}"]`)?.focus({ preventScroll: true })
  }

  function toggle(photo: Photo | undefined, index: number, range: boolean): void {
    if (!selection || !photo) return
    if (range) selection.extendTo(index)
    else selection.toggle(photo.id, index)
  }

  function act(key: string, range: boolean): boolean {
    const photo = photoAt(active)
    if (key === ' ') toggle(photo, active, range)
    else if (key === 'Enter' && photo) options.open(photo)
    else if (key === 'Delete' && selection?.active) selection.remove()
    else if (key === 'Delete' && photo) options.remove(photo)
    else if (key === 'Escape' && selection?.active) selection.clear()
    else return false
    return true
  }

  function onKeyDown(event: KeyboardEvent<HTMLElement>): void {
    if (event.altKey || cellOf(event) !== event.target) return
    if (event.ctrlKey || event.metaKey) {
      if (event.key.toLowerCase() !== 'a' || !selection) return
      event.preventDefault()
      selection.all()
      return
    }
    const target = indexAfterKey(event.key, active, rows.layout, rows.perWindow)
    if (target === null) {
      if (act(event.key, event.shiftKey)) event.preventDefault()
      return
    }
    event.preventDefault()
    if (event.shiftKey) selection?.extendTo(target)
    else selection?.moveTo(target)
    goTo(target)
  }

  function onClick(event: MouseEvent<HTMLElement>): void {
    const cell = cellOf(event)
    if (!cell || (event.target as Element).closest(CONTROLS)) return
    const index = Number(cell.dataset.index)
    const photo = photoAt(index)
    setChosen(index)
    cell.focus({ preventScroll: true })
    const selects = selection?.active || event.shiftKey || event.ctrlKey || event.metaKey
    if (selection && selects) toggle(photo, index, event.shiftKey)
    else if (photo) options.open(photo)
  }

  /** Otherwise Shift and a click would select text. */
  function onMouseDown(event: MouseEvent<HTMLElement>): void {
    if (event.shiftKey && cellOf(event)) event.preventDefault()
  }

  function onFocus(event: FocusEvent<HTMLElement>): void {
    const index = Number(cellOf(event)?.dataset.index)
    if (!Number.isNaN(index)) setChosen(index)
  }

  return {
    /** The index of the one cell in the tab order. */
    active,
    setActive: setChosen,
    focusActive: () => goTo(active),
    handlers: { onKeyDown, onClick, onMouseDown, onFocus },
  }
}
