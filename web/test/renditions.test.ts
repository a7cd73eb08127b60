import { describe, expect, test } from 'vitest'
import { isDng, needsOriginal, sourcesForBox, sourcesForWidth, widthWithinBounds } from '../src/photos/renditions.ts'

const box = { ratio: 3 / 2, widths: [{ when: '(min-width: 640px)', width: '50vw' }, { width: '100vw' }] }
const photo = (width: number | null, height: number | null) => ({
  width,
  height,
  thumbnailUrl: '/t.webp',
  previewUrl: '/p.webp',
})

test.each([
  [6000, 4000, 640, 2048],
  [3000, 4000, 640, 1536], // The preview is limited by its height.
  [1000, 8000, 160, 256], // So is the thumbnail of a vertical panorama.
  [800, 600, 640, 800],
])('a photo of %i x %i has renditions of %i and %i pixels in width', (width, height, thumbnail, preview) => {
  expect(sourcesForBox(box, photo(width, height)).srcSet).toBe(`/t.webp ${thumbnail}w, /p.webp ${preview}w`)
})

test('no rendition is larger than the original', () => {
  expect(widthWithinBounds({ width: 640, height: 1280 }, 400, 300)).toBe(400)
})

test('there is no choice when both renditions are equal, one is missing or the size is unknown', () => {
  expect(sourcesForBox(box, photo(600, 400))).toEqual({ src: '/t.webp' })
  expect(sourcesForBox(box, photo(null, null))).toEqual({ src: '/t.webp' })
  expect(sourcesForBox(box, { ...photo(6000, 4000), previewUrl: null })).toEqual({ src: '/t.webp' })
})

test('a raw photo has no picture even with an embedded preview', () => {
  expect(sourcesForBox(box, { ...photo(6000, 4000), thumbnailUrl: null })).toEqual({ src: null })
  expect([isDng({ filename: 'ab12.dng' }), isDng({ filename: 'ab12.DNG' }), isDng({ filename: 'dng.jpg' })]).toEqual([
    true,
    true,
    false,
  ])
})

test('a picture wider than its box is requested in its full width', () => {
  expect(sourcesForBox(box, photo(6000, 4000)).sizes).toBe('(min-width: 640px) 50vw, 100vw')
  expect(sourcesForBox(box, photo(3000, 4000)).sizes).toBe('(min-width: 640px) 50vw, 100vw')
  expect(sourcesForBox(box, photo(9000, 3000)).sizes).toBe('(min-width: 640px) calc(2.00 * 50vw), calc(2.00 * 100vw)')
})

test('a picture of a known width is requested in this width', () => {
  expect(sourcesForWidth(640.4, photo(6000, 4000)).sizes).toBe('641px')
})

describe('the original is loaded', () => {
  const jpeg = { filename: 'ab12.jpg', width: 6000, height: 4000 }

  test('only when more pixels are visible than the preview has', () => {
    expect(needsOriginal(2048, jpeg)).toBe(false)
    expect(needsOriginal(2049, jpeg)).toBe(true)
    expect(needsOriginal(9000, { ...jpeg, width: 1600, height: 1200 })).toBe(false)
  })

  test('never when browsers cannot display it, its size is unknown, or it is too large to decode', () => {
    expect(needsOriginal(9000, { ...jpeg, filename: 'ab12.tif' })).toBe(false)
    expect(needsOriginal(9000, { ...jpeg, filename: 'ab12.dng' })).toBe(false)
    expect(needsOriginal(9000, { ...jpeg, width: null })).toBe(false)
    expect(needsOriginal(9000, { ...jpeg, width: 20_000, height: 10_000 })).toBe(false)
  })
})
