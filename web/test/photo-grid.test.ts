import { expect, test } from 'vitest'
import {
  columnsOf,
  fillNext,
  indexAfterKey,
  layoutOf,
  MAX_ELEMENT_HEIGHT,
  type Rows,
  rowsAt,
  scrollFor,
  shiftAfter,
} from '../src/photos/grid/grid-layout.ts'

test('the number of columns depends on the width of the window', () => {
  expect([390, 639, 640, 1023, 1024, 1279, 1280, 2560].map(columnsOf)).toEqual([1, 1, 2, 2, 3, 3, 4, 4])
})

test('a compact list has one column and low rows', () => {
  expect(layoutOf(1264, 1440, 100_000, true)).toMatchObject({ columns: 1, rows: 100_000 })
  expect(layoutOf(1264, 1440, 100_001, false)).toMatchObject({ columns: 4, rows: 25_001 })
})

test('only rows near the window are rendered, at any position', () => {
  const layout = layoutOf(1264, 1440, 100_000, false)
  for (const top of [-400, 0, 4_000_000, layout.rows * layout.rowHeight - 900]) {
    const { first, last } = rowsAt(layout, top, 900)
    expect(last - first).toBeLessThan(9)
    expect(first).toBeGreaterThanOrEqual(0)
    expect(last).toBeLessThan(layout.rows)
  }
  expect(rowsAt(layout, layout.rows * layout.rowHeight - 900, 900).last).toBe(layout.rows - 1)
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
  const go = (key: string, index: number) => indexAfterKey(key, index, 10, 4, 3)
  expect([go('ArrowRight', 3), go('ArrowLeft', 4), go('ArrowDown', 1), go('ArrowUp', 5)]).toEqual([4, 3, 5, 1])
  expect([go('ArrowLeft', 0), go('ArrowRight', 9), go('ArrowUp', 2), go('ArrowDown', 8)]).toEqual([0, 9, 2, 8])
  expect([go('Home', 7), go('End', 0), go('PageUp', 9), go('PageDown', 1)]).toEqual([0, 9, 0, 9])
  expect([go('a', 3), indexAfterKey('End', 0, 0, 4, 3)]).toEqual([null, null])
})

test('the down key above a short last row goes to its last photo', () => {
  expect(indexAfterKey('ArrowDown', 7, 10, 4, 3)).toBe(9)
})

test('rows are filled one at a time, from the middle of the visible ones, as far as photos are loaded', () => {
  const fillAll = (from: Rows, requested: Rows, isRead = (_row: number) => true) => {
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
