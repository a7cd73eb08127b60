/** Where the cells of a long grid stand. All rows are equally high, so that any place is found without measuring. */
export interface Layout {
  columns: number
  rows: number
  /** Pixels, the gap below included. */
  rowHeight: number
}

/** First and last row, both included. */
export interface Rows {
  first: number
  last: number
}

/** The tallest element that every browser can show is a little above this many pixels (Firefox). */
export const MAX_ELEMENT_HEIGHT = 15_000_000
const GAP = 20
const GAP_BELOW = 28
/** The lines under a card's picture. */
const CAPTION_HEIGHT = 88
const COMPACT_ROW_HEIGHT = 84

/** 1, 2, 3 or 4 by the width of the window: as the classes of the grid have it. */
export function columnsOf(viewportWidth: number): number {
  if (viewportWidth >= 1280) return 4
  if (viewportWidth >= 1024) return 3
  return viewportWidth >= 640 ? 2 : 1
}

/** The layout of `total` cards on a grid that is `width` pixels wide; `compact` is a list of lines. */
export function layoutOf(width: number, viewportWidth: number, total: number, compact: boolean): Layout {
  if (compact) return { columns: 1, rows: total, rowHeight: COMPACT_ROW_HEIGHT }
  const columns = columnsOf(viewportWidth)
  const picture = ((width - GAP * (columns - 1)) / columns) * (2 / 3)
  return { columns, rows: Math.ceil(total / columns), rowHeight: Math.round(picture + CAPTION_HEIGHT + GAP_BELOW) }
}

/** The rows that `height` pixels from `top` on show, and those half as far again above and below. */
export function rowsAt({ rows, rowHeight }: Layout, top: number, height: number): Rows {
  const margin = height / 2
  const first = Math.floor((top - margin) / rowHeight)
  const last = Math.floor((top + height + margin) / rowHeight)
  const within = (row: number) => Math.min(Math.max(row, 0), Math.max(rows - 1, 0))
  return { first: within(first), last: within(last) }
}

/**
 * The rows with cards after one more row has got them: from the middle of the wanted rows outwards, as far as their
 * photos have been read. The same object when nothing is to be done.
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
  /** How far the grid is scrolled, now and before, in pixels. */
  top: number
  before: number
  /** Height of the window. */
  viewport: number
}

/**
 * By how many pixels the rows are moved up in a grid that would be taller than a browser can show. Small steps leave the
 * shift as it is, so that scrolling is the browser's own; a jump of the scroll bar goes to the same part of the list.
 */
export function shiftAfter({ top, before, viewport }: Scroll, shift: number, height: number): number {
  if (height <= MAX_ELEMENT_HEIGHT) return 0
  const end = MAX_ELEMENT_HEIGHT - viewport
  const jumped = Math.abs(top - before) > 2 * viewport
  if (!jumped && top > 0 && top < end) return shift
  return Math.round((height - MAX_ELEMENT_HEIGHT) * Math.min(Math.max(top / end, 0), 1))
}

/** Where to scroll so that the pixel `y` of the whole list stands at the top, and the shift that goes with it. */
export function scrollFor(y: number, height: number, viewport: number): { top: number; shift: number } {
  if (height <= MAX_ELEMENT_HEIGHT) return { top: y, shift: 0 }
  const top = Math.round((y / (height - viewport)) * (MAX_ELEMENT_HEIGHT - viewport))
  return { top, shift: y - top }
}

/** The place that a key leads to from `place`; null for other keys. Arrows stop at the ends of the list. */
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
