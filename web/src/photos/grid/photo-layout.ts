import type { Box } from '../../components/renditions.ts'
import { type Layout, type Range, rowOf, type Section, sectionBefore } from './grid-layout.ts'

/** A month of a list and the number of its photos. */
export type MonthCount = Pick<Section, 'month' | 'count'>

/** `grid`: cards; `dense`: small pictures; `list`: rows. */
export type PhotoView = 'grid' | 'dense' | 'list'

const GAP = 20
const GAP_BELOW = 28
const DENSE_GAP = 8
/** The lines under a card's picture. */
const CAPTION_HEIGHT = 88
const COMPACT_ROW_HEIGHT = 84
export const HEADER_HEIGHT = 44
/** From here on there are more than four columns, if there is room for cards of this width. */
const WIDE_VIEWPORT = 1600
const MIN_CARD_WIDTH = 260
const DENSE_CARD_WIDTH = 150
const MIN_DENSE_COLUMNS = 3

/** 1, 2, 3 or 4 by the width of the window, and more on wide screens, like the grid's classes. */
export function columnsOf(viewportWidth: number, width: number): number {
  if (viewportWidth >= WIDE_VIEWPORT) return Math.max(4, Math.floor((width + GAP) / (MIN_CARD_WIDTH + GAP)))
  if (viewportWidth >= 1280) return 4
  if (viewportWidth >= 1024) return 3
  return viewportWidth >= 640 ? 2 : 1
}

interface Content {
  total: number
  view: PhotoView
  /** In the order of the list; null: the list has no headers. */
  months: readonly MonthCount[] | null
}

export interface PhotoLayout extends Layout {
  sections: readonly Section[]
  /** Between two cards, in pixels. */
  gap: number
  box: Box
}

/** The layout of photos on a grid that is `width` pixels wide. */
export function layoutOf(width: number, viewportWidth: number, { total, view, months }: Content): PhotoLayout {
  const gap = view === 'dense' ? DENSE_GAP : GAP
  const columns = {
    grid: columnsOf(viewportWidth, width),
    dense: Math.max(MIN_DENSE_COLUMNS, Math.floor((width + DENSE_GAP) / (DENSE_CARD_WIDTH + DENSE_GAP))),
    list: 1,
  }[view]
  const cardWidth = Math.max(0, (width - gap * (columns - 1)) / columns)
  const picture = cardWidth * (2 / 3)
  const rowHeight = {
    grid: Math.round(picture + CAPTION_HEIGHT + GAP_BELOW),
    dense: Math.round(picture) + DENSE_GAP,
    list: COMPACT_ROW_HEIGHT,
  }[view]
  const sections = sectionsOf(total, months, columns, rowHeight)
  const last = sections.at(-1)
  const rows = last ? last.row + Math.ceil(last.count / columns) : 0
  const box = { ratio: 3 / 2, widths: [{ width: `${Math.ceil(cardWidth)}px` }] }
  return { columns, rows, rowHeight, sections, gap, box }
}

/**
 * The sections of a list of `total` photos. Its months may have been counted a moment earlier or later: the last one has
 * the difference.
 */
function sectionsOf(total: number, months: Content['months'], columns: number, rowHeight: number): Section[] {
  if (!months || months.length === 0) return [{ month: null, index: 0, count: total, row: 0, top: 0, header: 0 }]
  const sections: Section[] = []
  let [index, row, top] = [0, 0, 0]
  for (const [at, { month, count: counted }] of months.entries()) {
    const left = total - index
    if (left <= 0) break
    const count = at === months.length - 1 ? left : Math.min(counted, left)
    sections.push({ month, index, count, row, top, header: HEADER_HEIGHT })
    const rows = Math.ceil(count / columns)
    index += count
    row += rows
    top += HEADER_HEIGHT + rows * rowHeight
  }
  return sections
}

/** The index of a row's first photo and the number of its photos. */
export function photosOfRow({ columns, sections }: PhotoLayout, row: number): { first: number; count: number } {
  const section = sectionBefore(sections, 'row', row)
  if (!section) return { first: 0, count: 0 }
  const before = (row - section.row) * columns
  return { first: section.index + before, count: Math.max(0, Math.min(columns, section.count - before)) }
}

/**
 * The rows with cards after one more row is filled: from the middle of the requested rows outwards, as far as their
 * photos are loaded. The same object if there is nothing to fill.
 */
export function fillNext(filled: Range, requested: Range, isRead: (row: number) => boolean): Range {
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

/**
 * The index that a key leads to from `index`; null for other keys. Arrows stop at the ends of the list. Up and down keep
 * the column; a row may be short.
 */
export function indexAfterKey(key: string, index: number, layout: PhotoLayout, page: number): number | null {
  const last = layout.sections.at(-1)
  const total = last ? last.index + last.count : 0
  const rows: Record<string, number> = { ArrowUp: -1, ArrowDown: 1, PageUp: -page, PageDown: page }
  const photos: Record<string, number> = { ArrowLeft: -1, ArrowRight: 1, Home: -total, End: total }
  if (total === 0) return null
  const step = photos[key]
  if (step !== undefined) return Math.min(Math.max(index + step, 0), total - 1)
  const down = rows[key]
  if (down === undefined) return null
  const row = rowOf(layout, index)
  const target = photosOfRow(layout, Math.min(Math.max(row + down, 0), layout.rows - 1))
  const column = index - photosOfRow(layout, row).first
  return target.first + Math.min(column, target.count - 1)
}
