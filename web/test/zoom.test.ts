import { describe, expect, test } from 'vitest'
import { clampView, fillingView, fitInto, INITIAL_VIEW, maxScale, zoomAround } from '../src/photos/viewer/use-zoom.ts'

const BOX = { width: 800, height: 600 }
const PHOTO = { width: 8000, height: 4000 }
const FITTED = { width: 800, height: 400 }

describe('a picture in its box', () => {
  test('is shown whole, limited by the tighter side', () => {
    expect(fitInto(BOX, PHOTO)).toEqual(FITTED)
    expect(fitInto(BOX, { width: 300, height: 600 })).toEqual({ width: 300, height: 600 })
  })

  test('has a maximum of two screen pixels per pixel', () => {
    expect(maxScale(FITTED, PHOTO, 1)).toBe(20)
    expect(maxScale(FITTED, PHOTO, 2)).toBe(10)
  })

  test('can be enlarged at least twice if small, and at most 32 times if huge', () => {
    expect(maxScale(FITTED, { width: 300, height: 150 }, 2)).toBe(2)
    expect(maxScale(FITTED, { width: 60_000, height: 5_000 }, 1)).toBe(32)
  })
})

describe('zooming', () => {
  test('keeps the point under the pointer in place', () => {
    const at = { x: 100, y: -50 }
    const view = zoomAround(INITIAL_VIEW, 4, at)
    // The picture's own coordinates of the point: (at - offset) / scale.
    expect((at.x - view.x) / view.scale).toBe(100)
    expect((at.y - view.y) / view.scale).toBe(-50)
    expect(zoomAround(view, 1, at)).toEqual(INITIAL_VIEW)
  })

  test('stays between whole and the maximum scale', () => {
    expect(clampView({ scale: 0.2, x: 0, y: 0 }, BOX, FITTED, 20)).toEqual(INITIAL_VIEW)
    expect(clampView({ scale: 99, x: 0, y: 0 }, BOX, FITTED, 20).scale).toBe(20)
  })

  test('leaves no gap inside the box, and keeps a picture smaller than the box centred', () => {
    expect(clampView({ scale: 1, x: 50, y: 50 }, BOX, FITTED, 20)).toEqual(INITIAL_VIEW)
    expect(clampView({ scale: 1.5, x: 999, y: 999 }, BOX, FITTED, 20)).toEqual({ scale: 1.5, x: 200, y: 0 })
    expect(clampView({ scale: 2, x: -999, y: -999 }, BOX, FITTED, 20)).toEqual({ scale: 2, x: -400, y: -100 })
  })
})

test('a wide picture begins as high as its box, another one whole', () => {
  const box = { width: 400, height: 300 }
  expect(fillingView(box, fitInto(box, { width: 4000, height: 1000 }))).toEqual({ scale: 3, x: 0, y: 0 })
  expect(fillingView(box, fitInto(box, { width: 1000, height: 4000 }))).toEqual(INITIAL_VIEW)
})
