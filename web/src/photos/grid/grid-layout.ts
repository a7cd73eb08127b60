/** The layout of a long grid. All rows have the same height, so that any cell is located without measuring. */
export interface Layout {
  columns: number
  rows: number
  /** Pixels, including the gap below. */
  rowHeight: number
}

/** First and last row, both included. */
export interface Rows {
  first: number
  last: number
}

/** Slightly less than the tallest element that every browser can show (Firefox has the lowest limit). */
export const MAX_ELEMENT_HEIGHT = 15_000_000
const GAP = 20
const GAP_BELOW = 28
/** The lines under a card's picture. */
const CAPTION_HEIGHT = 88
const COMPACT_ROW_HEIGHT = 84

/** 1, 2, 3 or 4 by the width of the window, like the grid's classes. */
export function columnsOf(viewportWidth: number): number {
  if (viewportWidth >= 1280) return 4
  if (viewportWidth >= 1024) return 3
  return viewportWidth >= 640 ? 2 : 1
}

/** The layout of `total` cards on a grid that is `width` pixels wide; `compact` shows rows instead of cards. */
export function layoutOf(width: number, viewportWidth: number, total: number, compact: boolean): Layout {
  if (compact) return { columns: 1, rows: total, rowHeight: COMPACT_ROW_HEIGHT }
  const columns = columnsOf(viewportWidth)
  const picture = ((width - GAP * (columns - 1)) / columns) * (2 / 3)
  return { columns, rows: Math.ceil(total / columns), rowHeight: Math.round(picture + CAPTION_HEIGHT + GAP_BELOW) }
}

/** The visible rows of a window of `height` pixels from `top` on, and half a window above and below. */
export function rowsAt({ rows, rowHeight }: Layout, top: number, height: number): Rows {
  const margin = height / 2
  const first = Math.floor((top - margin) / rowHeight)
  const last = Math.floor((top + height + margin) / rowHeight)
  const within = (row: number) => Math.min(Math.max(row, 0), Math.max(rows - 1, 0))
  return { first: within(first), last: within(last) }
}

/**
 * The rows with cards after one more row is filled: from the middle of the requested rows outwards, as far as their
 * photos are loaded. The same object if there is nothing to fill.
 */
export function fillNext(filled: Rows, requested: Rows, isRead: (row: number) => boolean): Rows {
  const first = Math.max(filled.first, requested.first)
  const last = Math.min(filled.last, requested.last)
  if (first > last) {
    if (requested.first > requested.last) return filled
    const middle = Math.floor((requested.first + requested.last) / 2)
    const start = [middle, requested.first, requested.last].find(isRead)
    return start === undefined ? filled : { first: start, last: start }
  }
  if (last < requested.last && isRead(last + 1)) return { first, last: last + 1 }
  if (first > requested.first && isRead(first - 1)) return { first: first - 1, last }
  return first === filled.first && last === filled.last ? filled : { first, last }
}

interface Scroll {
  /** The scroll position, now and before, in pixels. */
  top: number
  before: number
  /** Height of the viewport. */
  viewport: number
}

/**
 * The number of pixels by which rows are moved up in a grid that is taller than browsers can show. Small steps keep the
 * shift, so that scrolling stays native; a jump of the scroll bar goes to the corresponding part of the list.
 */
export function shiftAfter({ top, before, viewport }: Scroll, shift: number, height: number): number {
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

/** The index that a key leads to from `index`; null for other keys. Arrows stop at the ends of the list. */
export function indexAfterKey(key: string, index: number, total: number, columns: number, page: number): number | null {
  const steps: Record<string, number> = {
    ArrowLeft: -1,
    ArrowRight: 1,
    ArrowUp: -columns,
    ArrowDown: columns,
    PageUp: -columns * page,
    PageDown: columns * page,
    Home: -total,
    End: total,
  }
  const step = steps[key]
  if (step === undefined || total === 0) return null
  const target = index + step
  // Up and down keep the column; the last row may be short.
  if ((key === 'ArrowUp' && target < 0) || (key === 'ArrowDown' && isBelow(target, total, columns))) return index
  return Math.min(Math.max(target, 0), total - 1)
}

function isBelow(target: number, total: number, columns: number): boolean {
  return Math.floor(target / columns) > Math.floor((total - 1) / columns)
}
