import { expect, test } from 'vitest'
import {
  heightOf,
  MAX_ELEMENT_HEIGHT,
  type Range,
  rowOf,
  rowsAt,
  scrollFor,
  shiftAfter,
  topOfRow,
} from '../src/photos/grid/grid-layout.ts'
import {
  columnsOf,
  fillNext,
  HEADER_HEIGHT,
  indexAfterKey,
  layoutOf,
  type PhotoView,
  photosOfRow,
} from '../src/photos/grid/photo-layout.ts'
import { sectionAfterKey, yearMarks } from '../src/photos/grid/timeline.tsx'

const all = (total: number, view: PhotoView = 'grid') => ({ total, view, months: null })
const MONTHS = [
  { month: '2026-11', count: 5 },
  { month: '2026-10', count: 1 },
  { month: null, count: 4 },
]
/** 10 photos in three sections of 2, 1 and 1 rows. */
const BY_MONTH = layoutOf(1264, 1440, { total: 10, view: 'grid', months: MONTHS })

test('the number of columns depends on the width of the window: 1 to 4, and more on wide screens', () => {
  const widths = [390, 639, 640, 1023, 1024, 1279, 1280, 1440, 1599, 1600, 1920, 2560]
  expect(widths.map((width) => columnsOf(width, width - 80))).toEqual([1, 1, 2, 2, 3, 3, 4, 4, 4, 5, 6, 8])
  // A narrow page in a wide window.
  expect(columnsOf(1920, 1124)).toBe(4)
})

test('a list has one column and low rows, small pictures have many columns', () => {
  expect(layoutOf(1264, 1440, all(100_000, 'list'))).toMatchObject({ columns: 1, rows: 100_000 })
  expect(layoutOf(1264, 1440, all(100_001))).toMatchObject({ columns: 4, rows: 25_001 })
  expect(layoutOf(1264, 1440, all(100_000, 'dense')).columns).toBe(8)
  expect(layoutOf(358, 390, all(100, 'dense')).columns).toBe(3)
})

test('only rows near the window are rendered, at any position', () => {
  const months = Array.from({ length: 300 }, (_, index) => ({ month: `${2000 + Math.floor(index / 12)}`, count: 333 }))
  for (const layout of [layoutOf(1264, 1440, all(100_000)), layoutOf(1264, 1440, { ...all(100_000), months })]) {
    const height = heightOf(layout)
    for (const top of [-400, 0, 4_000_000, height - 900]) {
      const { first, last } = rowsAt(layout, top, 900)
      expect(last - first).toBeLessThan(9)
      expect(first).toBeGreaterThanOrEqual(0)
      expect(last).toBeLessThan(layout.rows)
    }
    expect(rowsAt(layout, height - 900, 900).last).toBe(layout.rows - 1)
  }
})

test('each month begins a new row below its header', () => {
  const { rowHeight, sections, rows } = BY_MONTH
  expect(rows).toBe(4)
  expect(sections.map(({ row, index, count }) => [row, index, count])).toEqual([
    [0, 0, 5],
    [2, 5, 1],
    [3, 6, 4],
  ])
  expect([0, 1, 2, 3].map((row) => topOfRow(BY_MONTH, row))).toEqual([
    HEADER_HEIGHT,
    HEADER_HEIGHT + rowHeight,
    2 * HEADER_HEIGHT + 2 * rowHeight,
    3 * HEADER_HEIGHT + 3 * rowHeight,
  ])
  expect(heightOf(BY_MONTH)).toBe(3 * HEADER_HEIGHT + 4 * rowHeight)
  expect([0, 1, 2, 3].map((row) => photosOfRow(BY_MONTH, row))).toEqual([
    { first: 0, count: 4 },
    { first: 4, count: 1 },
    { first: 5, count: 1 },
    { first: 6, count: 4 },
  ])
  expect([0, 3, 4, 5, 6, 9].map((index) => rowOf(BY_MONTH, index))).toEqual([0, 0, 1, 2, 3, 3])
})

test('every pixel of a list by month is in the row that is placed there', () => {
  for (let row = 0; row < BY_MONTH.rows; row += 1) {
    const top = topOfRow(BY_MONTH, row)
    for (const y of [top, top + BY_MONTH.rowHeight - 1])
      expect(rowsAt(BY_MONTH, y, 0)).toEqual({ first: row, last: row })
  }
  // Of a header it is the row below.
  expect(rowsAt(BY_MONTH, topOfRow(BY_MONTH, 2) - 1, 0)).toEqual({ first: 2, last: 2 })
})

test('months that were counted a moment earlier or later than the list still hold each photo once', () => {
  const photosOf = (total: number) => layoutOf(1264, 1440, { total, view: 'grid', months: MONTHS }).sections
  expect(photosOf(12).map(({ count }) => count)).toEqual([5, 1, 6])
  expect(photosOf(6).map(({ count }) => count)).toEqual([5, 1])
  expect(photosOf(3).map(({ count }) => count)).toEqual([3])
})

test('arrows go across months and keep the column where the row has it', () => {
  const go = (key: string, index: number) => indexAfterKey(key, index, BY_MONTH, 2)
  expect([go('ArrowRight', 4), go('ArrowLeft', 5), go('ArrowDown', 3), go('ArrowDown', 5), go('ArrowUp', 9)]).toEqual([
    5, 4, 4, 6, 5,
  ])
  expect([go('PageDown', 1), go('PageUp', 9), go('End', 0), go('Home', 9)]).toEqual([5, 4, 9, 0])
})

test('the timeline shows the years for which there is room', () => {
  const months = ['2026-11', '2026-10', '2025-12', '2025-11', '2010-01', null].map((month) => ({ month, count: 400 }))
  const layout = layoutOf(1264, 1440, { total: 2400, view: 'grid', months })
  expect(yearMarks(layout.sections, heightOf(layout), 600)).toEqual([
    { year: '2026', top: 0 },
    { year: '2025', top: 200 },
    { year: '2010', top: 400 },
  ])
  expect(yearMarks(layout.sections, heightOf(layout), 50)).toEqual([{ year: '2026', top: 0 }])
})

test('keys move on the timeline by month and year', () => {
  const months = ['2026-11', '2026-10', '2025-12', '2025-11', null].map((month) => ({ month, count: 1 }))
  const { sections } = layoutOf(1264, 1440, { total: 5, view: 'grid', months })
  const go = (key: string, index: number) => sectionAfterKey(key, index, sections)
  expect([go('ArrowDown', 0), go('ArrowUp', 0), go('ArrowDown', 4), go('ArrowUp', 2)]).toEqual([1, 0, 4, 1])
  expect([go('PageDown', 0), go('PageDown', 3), go('PageUp', 3), go('PageUp', 0)]).toEqual([2, 4, 1, 0])
  expect([go('Home', 3), go('End', 0), go('a', 0)]).toEqual([0, 4, null])
})

test('a list taller than browsers can show is reachable to its last pixel', () => {
  const height = 40_000_000
  const viewport = 800
  const end = MAX_ELEMENT_HEIGHT - viewport
  expect(shiftAfter({ top: end, before: 0, viewport }, 0, height) + end).toBe(height - viewport)
  expect(shiftAfter({ top: 0, before: end, viewport }, 25_000_000, height)).toBe(0)
})

test('in such a list small steps scroll natively, and a jump goes to the corresponding part', () => {
  const height = 40_000_000
  const viewport = 800
  const middle = (MAX_ELEMENT_HEIGHT - viewport) / 2
  const shift = shiftAfter({ top: middle, before: 0, viewport }, 0, height)
  expect((middle + shift) / (height - viewport)).toBeCloseTo(0.5, 3)
  expect(shiftAfter({ top: middle + 300, before: middle, viewport }, shift, height)).toBe(shift)
  const there = scrollFor(31_234_567, height, viewport)
  expect(there.top + there.shift).toBe(31_234_567)
  expect(there.top).toBeLessThanOrEqual(MAX_ELEMENT_HEIGHT - viewport)
})

test('a list of ordinary height scrolls natively', () => {
  expect(shiftAfter({ top: 5000, before: 0, viewport: 800 }, 0, MAX_ELEMENT_HEIGHT)).toBe(0)
  expect(scrollFor(1234, 100_000, 800)).toEqual({ top: 1234, shift: 0 })
})

test('arrows go from photo to photo and stop at the ends', () => {
  const layout = layoutOf(1264, 1440, all(10))
  const go = (key: string, index: number) => indexAfterKey(key, index, layout, 3)
  expect([go('ArrowRight', 3), go('ArrowLeft', 4), go('ArrowDown', 1), go('ArrowUp', 5)]).toEqual([4, 3, 5, 1])
  expect([go('ArrowLeft', 0), go('ArrowRight', 9), go('ArrowUp', 2), go('ArrowDown', 8)]).toEqual([0, 9, 2, 8])
  expect([go('Home', 7), go('End', 0), go('PageUp', 9), go('PageDown', 1)]).toEqual([0, 9, 1, 9])
  expect([go('a', 3), indexAfterKey('End', 0, layoutOf(1264, 1440, all(0)), 3)]).toEqual([null, null])
})

test('the down key above a short last row goes to its last photo', () => {
  expect(indexAfterKey('ArrowDown', 7, layoutOf(1264, 1440, all(10)), 3)).toBe(9)
})

test('rows are filled one at a time, from the middle of the visible ones, as far as photos are loaded', () => {
  const fillAll = (from: Range, requested: Range, isRead = (_row: number) => true) => {
    const steps = [from]
    for (
      let next = fillNext(from, requested, isRead);
      next !== steps.at(-1);
      next = fillNext(next, requested, isRead)
    ) {
      steps.push(next)
    }
    return steps.slice(1).map(({ first, last }) => [first, last])
  }
  const nothing = { first: 0, last: -1 }
  expect(fillAll(nothing, nothing)).toEqual([])
  expect(fillAll(nothing, { first: 10, last: 12 }).map(String)).toEqual(['11,11', '11,12', '10,12'])
  // After scrolling on, rows out of view are dropped and new ones follow. After a jump everything starts again.
  expect(fillAll({ first: 10, last: 12 }, { first: 12, last: 13 }).map(String)).toEqual(['12,13'])
  expect(fillAll({ first: 10, last: 12 }, { first: 11, last: 12 }).map(String)).toEqual(['11,12'])
  expect(fillAll({ first: 10, last: 12 }, { first: 50, last: 51 }).map(String)).toEqual(['50,50', '50,51'])
  expect(fillAll(nothing, { first: 0, last: 4 }, (row) => row < 2).map(String)).toEqual(['0,0', '0,1'])
  expect(fillAll(nothing, { first: 0, last: 4 }, () => false)).toEqual([])
})
