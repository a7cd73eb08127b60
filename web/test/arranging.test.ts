import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import {
  arrangeLayout,
  byDateTaken,
  edgeScroll,
  gapAt,
  indexAfterArrow,
  indexInGap,
  moved,
} from '../src/features/folders/arranging.ts'
import { movedBefore } from '../src/features/folders/own-order.ts'
import { listOf, NO_FILTERS } from '../src/photos/browser/filters.ts'

test('a photo that is dropped into a gap is between the photos beside the gap', () => {
  const list = fc.integer({ min: 1, max: 12 }).map((length) => Array.from({ length }, (_, index) => index))
  fc.assert(
    fc.property(list, fc.nat(), fc.nat(), (photos, one, other) => {
      const [from, gap] = [one % photos.length, other % (photos.length + 1)]
      const [left, right] = [photos.slice(0, gap), photos.slice(gap)].map((side) => side.filter((id) => id !== from))
      expect(moved(photos, from, indexInGap(from, gap))).toEqual([...(left ?? []), from, ...(right ?? [])])
    }),
  )
})

test('moving a photo before the one that followed it takes a move back', () => {
  const photos = [1, 2, 3, 4].map((id) => ({ id }))
  for (const before of [1, 3, 4, null]) expect(movedBefore(movedBefore(photos, 2, before), 2, 3)).toEqual(photos)
  expect(movedBefore(movedBefore(photos, 4, 1), 4, null)).toEqual(photos)
})

describe('the gap at a point', () => {
  const layout = arrangeLayout(328, 8)
  const { cellWidth, rowHeight } = layout
  test.each([
    ['the left half of a photo is before it', 1.4, 0.5, { index: 1, row: 0, column: 1 }],
    ['the right half is after it', 1.6, 0.5, { index: 2, row: 0, column: 2 }],
    ['the end of a row is shown there', 2.9, 0.5, { index: 3, row: 0, column: 3 }],
    ['the start of the next row has the same index', 0.1, 1.5, { index: 3, row: 1, column: 0 }],
    ['behind the last photo is the end', 2.9, 2.5, { index: 8, row: 2, column: 2 }],
    ['below the grid is its last row', 0.2, 9, { index: 6, row: 2, column: 0 }],
    ['above and left of it is the start', -3, -3, { index: 0, row: 0, column: 0 }],
  ])('%s', (_, x, y, gap) => {
    expect(layout.columns).toBe(3)
    expect(gapAt(layout, 8, x * cellWidth, y * rowHeight)).toEqual(gap)
  })
})

test('arrow keys move by one photo or row and stop at the ends', () => {
  const after = (key: string, index: number) => indexAfterArrow(key, index, 8, 3)
  expect(['ArrowLeft', 'ArrowRight', 'ArrowUp', 'ArrowDown', 'Home', 'End', 'a'].map((key) => after(key, 4))).toEqual([
    ...[3, 5, 1, 7, 0, 7],
    null,
  ])
  expect(after('ArrowUp', 1)).toBe(0)
})

test('only near its edges a list scrolls, faster further out', () => {
  const box = { top: 100, bottom: 700 }
  expect(edgeScroll(400, box)).toBe(0)
  expect(edgeScroll(101, box)).toBeLessThan(edgeScroll(160, box))
  expect(edgeScroll(900, box)).toBe(24)
})

test('photos without a date come last by date taken', () => {
  const photos = [
    { id: 1, dateTaken: null, createdAt: '' },
    { id: 2, dateTaken: '2026-05-04T12:00:01+02:00', createdAt: '' },
    { id: 3, dateTaken: '2026-05-04T12:00:00.5', createdAt: '' },
  ]
  expect(byDateTaken(photos).map(({ id }) => id)).toEqual([3, 2, 1])
})

test('only the photos of a folder are listed in their own order', () => {
  const filters = { ...NO_FILTERS, sort: 'own' as const }
  expect(listOf(filters, 7).sort).toBe('own')
  expect(listOf({ ...filters, folder: '7' }).sort).toBe('own')
  expect(listOf({ ...filters, folder: 'none' }).sort).toBe('newest')
  expect(listOf(filters).sort).toBe('newest')
})
