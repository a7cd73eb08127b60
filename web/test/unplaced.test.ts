import { expect, test } from 'vitest'
import { describeBefore } from '../src/photos/browser/unplaced-panel.tsx'
import { indexAfter, layoutStrip } from '../src/photos/browser/unplaced-strip.tsx'

const MANY = 100_000
const BESIDE = { width: 320, height: 400 }
const BELOW = { width: 360, height: 108 }

test('renders few of very many photos, wherever the strip is scrolled', () => {
  for (const box of [BESIDE, BELOW]) {
    const { length } = layoutStrip({ ...box, scrolled: 0 }, MANY)
    for (const scrolled of [0, 12_345, length]) {
      const { first, last } = layoutStrip({ ...box, scrolled }, MANY)
      expect(last - first).toBeLessThan(24)
      expect(first).toBeGreaterThanOrEqual(0)
      expect(last).toBeLessThan(MANY)
    }
  }
  expect(layoutStrip({ ...BESIDE, scrolled: 0 }, 2)).toMatchObject({ first: 0, last: 1 })
})

test('shows the photos in columns beside the map, and in one row below it', () => {
  const beside = layoutStrip({ ...BESIDE, scrolled: 0 }, MANY)
  expect([beside.isRow, beside.columns]).toEqual([false, 3])
  expect(beside.placeOf(4)).toMatchObject({ left: 4 + beside.tileWidth + 8, top: 100 })
  const below = layoutStrip({ ...BELOW, scrolled: 0 }, MANY)
  expect([below.isRow, below.placeOf(4)]).toEqual([true, { left: 4 + 4 * 104, top: 4 }])
})

test.each([
  ['ArrowRight', 5, 6, 6],
  ['ArrowDown', 5, 8, 6],
  ['ArrowUp', 1, 0, 0],
  ['PageDown', 0, 12, 3],
  ['Home', 50, 0, 0],
  ['End', 50, 99, 99],
  ['x', 50, null, null],
])('%s goes from photo %i to %o, in one row to %o', (key, from, beside, below) => {
  expect(indexAfter(key, from, 100, layoutStrip({ ...BESIDE, scrolled: 0 }, 100))).toBe(beside)
  expect(indexAfter(key, from, 100, layoutStrip({ ...BELOW, scrolled: 0 }, 100))).toBe(below)
})

test('scrolls as little as necessary to show the photo that a key goes to', () => {
  const strip = layoutStrip({ ...BESIDE, scrolled: 1000 }, 100)
  expect(strip.scrolledTo(33)).toBe(1000)
  expect(strip.scrolledTo(0)).toBe(0)
  expect(strip.scrolledTo(99)).toBe(4 + 33 * 96 + 88 + 4 - 400)
})

test('names the photo before one photo, and counts those of several', () => {
  const before = (seconds: number, title = 'DJI_0042') => ({
    id: 1,
    before: { id: 2, title, latitude: '1', longitude: '2', seconds },
  })
  expect(describeBefore([before(180)], 1)).toBe('DJI_0042, 3 minutes earlier')
  expect(describeBefore([before(1, '')], 1)).toBe('Untitled photo, 1 second earlier')
  expect(describeBefore([before(0)], 1)).toBe('DJI_0042, taken in the same second')
  expect(describeBefore([before(180)], 1200)).toBe('Found for 1 of 1,200 photos')
})
