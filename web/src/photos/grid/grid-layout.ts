/**
 * The layout of a long grid. All rows have the same height, and all headers, so that any cell is located without
 * measuring.
 */
export interface Layout {
  columns: number
  rows: number
  /** Pixels, including the gap below. */
  rowHeight: number
  /** Absent: the rows follow each other from the top. */
  sections?: readonly Section[]
}

/** Photos below one header. Each section begins a new row. */
export interface Section {
  /** Like 2026-11; null: without a date. */
  month: string | null
  /** The index of its first photo, and the number of its photos. */
  index: number
  count: number
  row: number
  /** The first pixel and the height of its header; without one the height is 0. */
  top: number
  header: number
}

/** The first and the last row, or photo, both included. */
export interface Range {
  first: number
  last: number
}

/** Slightly less than the tallest element that every browser can show (Firefox has the lowest limit). */
export const MAX_ELEMENT_HEIGHT = 15_000_000

/** The last section that begins at or before a value, by one of its numbers. */
export function sectionBefore(
  sections: readonly Section[],
  by: 'index' | 'row' | 'top',
  value: number,
): Section | undefined {
  let [low, high] = [0, sections.length - 1]
  while (low < high) {
    const middle = Math.ceil((low + high) / 2)
    if ((sections[middle]?.[by] ?? 0) <= value) low = middle
    else high = middle - 1
  }
  return sections[low]
}

/** The height of all rows and headers, in pixels. */
export function heightOf(layout: Layout): number {
  return layout.rows === 0 ? 0 : topOfRow(layout, layout.rows - 1) + layout.rowHeight
}

export function topOfRow({ rowHeight, sections }: Layout, row: number): number {
  const section = sections && sectionBefore(sections, 'row', row)
  return section ? section.top + section.header + (row - section.row) * rowHeight : row * rowHeight
}

/** The row at a pixel; at a header the one below. May be beyond the ends. */
function rowAt({ rowHeight, sections }: Layout, y: number): number {
  const section = sections && sectionBefore(sections, 'top', y)
  if (!section) return Math.floor(y / rowHeight)
  return section.row + Math.max(Math.floor((y - section.top - section.header) / rowHeight), y < 0 ? -1 : 0)
}

export function rowOf({ columns, sections }: Layout, index: number): number {
  const section = sections && sectionBefore(sections, 'index', index)
  return section ? section.row + Math.floor((index - section.index) / columns) : Math.floor(index / columns)
}

/** The visible rows of a window of `height` pixels from `top` on, and half a window above and below. */
export function rowsAt(layout: Layout, top: number, height: number): Range {
  const margin = height / 2
  const within = (row: number) => Math.min(Math.max(row, 0), Math.max(layout.rows - 1, 0))
  return { first: within(rowAt(layout, top - margin)), last: within(rowAt(layout, top + height + margin)) }
}

/**
 * The number of pixels by which rows are moved up in a grid that is taller than browsers can show, at a scroll position of `top`,
 * `before` a moment ago. Small steps keep the shift, so that scrolling stays native; a jump of the scroll bar goes to the
 * corresponding part of the list.
 */
export function shiftAfter(
  scroll: Record<'top' | 'before' | 'viewport', number>,
  shift: number,
  height: number,
): number {
  const { top, before, viewport } = scroll
  if (height <= MAX_ELEMENT_HEIGHT) return 0
  const end = MAX_ELEMENT_HEIGHT - viewport
  const jumped = Math.abs(top - before) > 2 * viewport
  if (!jumped && top > 0 && top < end) return shift
  return Math.round((height - MAX_ELEMENT_HEIGHT) * Math.min(Math.max(top / end, 0), 1))
}

/** The scroll position and shift that put pixel `y` of the whole list at the top. */
export function scrollFor(y: number, height: number, viewport: number): { top: number; shift: number } {
  if (height <= MAX_ELEMENT_HEIGHT) return { top: y, shift: 0 }
  const top = Math.round((y / (height - viewport)) * (MAX_ELEMENT_HEIGHT - viewport))
  return { top, shift: y - top }
}
