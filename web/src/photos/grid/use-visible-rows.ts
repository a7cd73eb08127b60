import { type RefObject, useEffect, useLayoutEffect, useMemo, useRef, useState } from 'react'
import { remember, remembered } from '../../lib/remember.ts'
import {
  heightOf,
  type Layout,
  MAX_ELEMENT_HEIGHT,
  type Range,
  rowOf,
  rowsAt,
  scrollFor,
  sectionBefore,
  shiftAfter,
  topOfRow,
} from './grid-layout.ts'

/** The top bar covers the top of the window. */
const TOP_BAR_HEIGHT = 72
/** The toolbar of select mode may cover the bottom. */
const BOTTOM_BAR_HEIGHT = 96

export type GridRows<L extends Layout> = ReturnType<typeof useVisibleRows<L>>

/**
 * The rows of a grid in or near the viewport. `layoutOf` returns the layout for the widths of the element and the
 * window: only these are measured, never rows. While it is the same function, it is called again only for other widths.
 * `container` is an element of the same width that is there before the grid: without it the grid's first rendering has
 * no rows, and the second one, when it is measured, cannot be interrupted.
 */
export function useVisibleRows<L extends Layout>(
  grid: RefObject<HTMLElement | null>,
  layoutOf: (width: number, viewportWidth: number) => L,
  container?: RefObject<HTMLElement | null>,
) {
  const [size, setSize] = useState(() => ({
    width: container?.current?.clientWidth ?? 0,
    viewport: { width: innerWidth, height: innerHeight },
  }))
  const layout = useMemo(() => layoutOf(size.width, size.viewport.width), [layoutOf, size])
  const full = heightOf(layout)
  const position = useRef({ top: 0, shift: 0 })
  const [view, setView] = useState<Range & { shift: number }>(() => {
    const top = -(container?.current?.getBoundingClientRect().top ?? 0)
    const rows = size.width > 0 ? rowsAt(layout, top, size.viewport.height) : { first: 0, last: -1 }
    return { ...rows, shift: 0 }
  })

  useLayoutEffect(() => {
    const element = grid.current
    if (!element) return
    const measure = () =>
      setSize((before) => {
        const now = { width: element.clientWidth, viewport: { width: innerWidth, height: innerHeight } }
        return JSON.stringify(now) === JSON.stringify(before) ? before : now
      })
    measure()
    const observer = new ResizeObserver(measure)
    observer.observe(element)
    addEventListener('resize', measure)
    return () => {
      observer.disconnect()
      removeEventListener('resize', measure)
    }
  }, [grid])

  const { columns, rows, rowHeight, sections } = layout
  const viewport = size.viewport.height
  const shown = useRef<Layout>(layout)
  // biome-ignore lint/correctness/useExhaustiveDependencies: these values are the layout, which may be a new object each time
  useLayoutEffect(() => {
    const element = grid.current
    if (!element || size.width === 0) return

    function update(): void {
      const top = -(element as HTMLElement).getBoundingClientRect().top
      const { top: before, shift: shiftBefore } = position.current
      const shift = shiftAfter({ top, before, viewport }, shiftBefore, full)
      position.current = { top, shift }
      const now = { ...rowsAt(layout, top + shift, viewport), shift }
      setView((view) => (view.first === now.first && view.last === now.last && view.shift === shift ? view : now))
    }

    keepScrollPosition(element, shown.current, layout, position.current)
    shown.current = layout
    update()
    addEventListener('scroll', update, { passive: true })
    return () => removeEventListener('scroll', update)
  }, [grid, size.width, columns, rows, rowHeight, sections, viewport])

  /** Scrolls so that pixel `y` of the whole list is `below` pixels under the top of the window. */
  function scrollToPixel(y: number, below: number): void {
    const element = grid.current
    if (!element) return
    const { top, shift } = scrollFor(Math.max(0, y - below), full, viewport)
    position.current = { top, shift }
    scrollBy({ top: top + element.getBoundingClientRect().top, behavior: 'instant' })
    setView({ ...rowsAt(layout, top + shift, viewport), shift })
  }

  /** Scrolls as little as necessary to show the whole row. */
  function reveal(row: number): void {
    const element = grid.current
    if (!element) return
    const y = topOfRow(layout, row)
    const inWindow = y - position.current.shift + element.getBoundingClientRect().top
    const room = viewport - TOP_BAR_HEIGHT - BOTTOM_BAR_HEIGHT
    if (inWindow < TOP_BAR_HEIGHT || rowHeight > room) scrollToPixel(y, TOP_BAR_HEIGHT)
    else if (inWindow + rowHeight > viewport - BOTTOM_BAR_HEIGHT)
      scrollToPixel(y, viewport - BOTTOM_BAR_HEIGHT - rowHeight)
  }

  useRestoredScroll(size.width > 0 && full > 0)
  return {
    first: Math.min(view.first, Math.max(rows - 1, 0)),
    last: Math.min(view.last, rows - 1),
    layout,
    /** Of the grid, in pixels. */
    height: Math.min(full, MAX_ELEMENT_HEIGHT),
    /** Of the whole list, which may be taller than browsers can show. */
    fullHeight: full,
    /** The pixel of the whole list that is at the top of what the top bar leaves of the window. */
    scrolled: () => position.current.top + position.current.shift + TOP_BAR_HEIGHT,
    /** Scrolls there. */
    scrollTo: (y: number) => scrollToPixel(y, TOP_BAR_HEIGHT),
    /** The first pixel of a row. */
    topOf: (row: number) => topOfRow(layout, row) - view.shift,
    /** Where a pixel of the whole list is in the grid. */
    placeOf: (y: number) => y - view.shift,
    reveal,
    /** The number of rows that fit into the window. */
    perWindow: Math.max(1, Math.floor((viewport - TOP_BAR_HEIGHT) / rowHeight)),
  }
}

/**
 * After a change of the layout (the window was resized or turned, another view chosen) the same photos stay in view.
 */
function keepScrollPosition(element: HTMLElement, before: Layout, now: Layout, at: { top: number; shift: number }) {
  if (before.columns === now.columns && before.rowHeight === now.rowHeight) return
  if (before.rowHeight <= 0 || at.top <= 0 || before.rows === 0) return
  const { first } = rowsAt(before, at.top + at.shift, 0)
  const y = topOfRow(now, rowOf(now, firstPhotoOf(before, first)))
  const target = scrollFor(y, heightOf(now), innerHeight)
  scrollBy({ top: target.top + element.getBoundingClientRect().top, behavior: 'instant' })
}

function firstPhotoOf({ columns, sections }: Layout, row: number): number {
  const section = sections && sectionBefore(sections, 'row', row)
  return section ? section.index + (row - section.row) * columns : row * columns
}

/** A storage key for this history entry. The first entry of a document has no key of its own. */
function historyEntryKey(): string {
  return `scroll:${(history.state as { key?: string } | null)?.key ?? location.pathname}`
}

/** Whether this document has shown a grid before. */
let hadGrid = false

/** True when the document was opened by navigation, not by a reload. */
function isNewVisit(): boolean {
  const [navigation] = performance.getEntriesByType('navigation') as PerformanceNavigationTiming[]
  return navigation?.type === 'navigate'
}

/**
 * Restores the scroll position of this history entry once the grid has its height: after a reload or a visit to another
 * screen the browser tries too early.
 */
function useRestoredScroll(ready: boolean): void {
  const restored = useRef(false)
  useLayoutEffect(() => {
    if (!ready || restored.current) return
    restored.current = true
    const isFirst = !hadGrid
    hadGrid = true
    // A followed link starts at the top, also in a tab that has shown this page before.
    if (isFirst && isNewVisit() && !(history.state as { key?: string } | null)?.key) return
    const saved = Number(remembered(historyEntryKey(), 'sessionStorage'))
    if (saved > 0 && Math.abs(scrollY - saved) > 1) scrollTo({ top: saved, behavior: 'instant' })
  }, [ready])
  useEffect(() => {
    if (!ready) return
    // When the screen is unmounted, the history is already at the next entry and the page at its top.
    const positionNow = () => ({ key: historyEntryKey(), top: scrollY })
    let left = positionNow()
    const note = () => {
      left = positionNow()
    }
    const save = () => remember(left.key, String(Math.round(left.top)), 'sessionStorage')
    const leave = () => {
      note()
      save()
    }
    addEventListener('scroll', note, { passive: true })
    addEventListener('pagehide', leave)
    return () => {
      removeEventListener('scroll', note)
      removeEventListener('pagehide', leave)
      save()
    }
  }, [ready])
}

/** The number of the list item that contains an element, from its `data-index`; null outside of items. */
export function indexOfItem(target: Element): number | null {
  const item = target.closest<HTMLElement>('[data-index]')
  return item ? Number(item.dataset.index) : null
}

/** The items of the visible rows, and the focused one: it stays rendered when it is scrolled out of view. */
export function indexesToShow(first: number, last: number, focused: number | null): number[] {
  const indexes = Array.from({ length: Math.max(0, last - first + 1) }, (_, index) => first + index)
  if (focused === null || last < first || (focused >= first && focused <= last)) return indexes
  return focused < first ? [focused, ...indexes] : [...indexes, focused]
}
