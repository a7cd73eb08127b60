import { describe, expect, test } from 'vitest'
import {
  isDng,
  needsOriginal,
  quickSource,
  sourcesForBox,
  sourcesForRow,
  sourcesForWidth,
  widthWithinBounds,
} from '../src/components/renditions.ts'

const box = { ratio: 3 / 2, widths: [{ when: '(min-width: 640px)', width: '50vw' }, { width: '100vw' }] }
const photo = (width: number | null, height: number | null) => ({
  width,
  height,
  smallUrl: '/s.webp' as string | null,
  thumbnailUrl: '/t.webp' as string | null,
  mediumUrl: '/m.webp' as string | null,
  previewUrl: '/p.webp' as string | null,
})

test.each([
  [6000, 4000, '/s.webp 320w, /t.webp 640w, /m.webp 1280w, /p.webp 2048w'],
  [3000, 4000, '/s.webp 320w, /t.webp 640w, /m.webp 1280w, /p.webp 1536w'], // The preview is limited by its height.
  [1000, 8000, '/s.webp 80w, /t.webp 160w, /m.webp 256w'], // So are all of a vertical panorama.
])('a photo of %i x %i that is shown whole has a choice of %s', (width, height, srcSet) => {
  expect(sourcesForWidth(700.4, photo(width, height))).toEqual({ src: '/t.webp', srcSet, sizes: '701px' })
})

test('renditions that a small photo does not have are no choice', () => {
  const small = { ...photo(800, 600), mediumUrl: null }
  expect(sourcesForWidth(640, small).srcSet).toBe('/s.webp 320w, /t.webp 640w, /p.webp 800w')
  expect(sourcesForBox(box, small).srcSet).toBe('/s.webp 320w, /t.webp 640w, /p.webp 800w')
})

test('no rendition is larger than the original', () => {
  expect(widthWithinBounds({ width: 640, height: 1280 }, 400, 300)).toBe(400)
})

test('there is no choice when all renditions are equal, only one exists, or the size is unknown', () => {
  expect(sourcesForBox(box, { ...photo(300, 200), smallUrl: null, mediumUrl: null })).toEqual({ src: '/t.webp' })
  expect(sourcesForBox(box, photo(null, null))).toEqual({ src: '/t.webp' })
  const one = { ...photo(6000, 4000), smallUrl: null, mediumUrl: null, previewUrl: null }
  expect(sourcesForBox(box, one)).toEqual({ src: '/t.webp' })
})

test('a card never loads the preview of a large photo, also while there is no medium rendition', () => {
  expect(sourcesForBox(box, photo(6000, 4000)).srcSet).toBe('/s.webp 320w, /t.webp 640w, /m.webp 1280w')
  const old = { ...photo(6000, 4000), smallUrl: null, mediumUrl: null }
  expect(sourcesForBox(box, old)).toEqual({ src: '/t.webp' })
})

test('a card may load the preview of a panorama, of which it shows only the middle', () => {
  expect(sourcesForBox(box, photo(9000, 3000)).srcSet).toContain('/p.webp 2048w')
  expect(sourcesForBox(box, photo(8000, 3000)).srcSet).not.toContain('/p.webp')
})

test('a raw photo has no picture even with an embedded preview', () => {
  const raw = { ...photo(6000, 4000), smallUrl: null, thumbnailUrl: null, mediumUrl: null }
  expect([sourcesForBox(box, raw), sourcesForWidth(640, raw)]).toEqual([{ src: null }, { src: null }])
  expect([isDng({ filename: 'ab12.dng' }), isDng({ filename: 'ab12.DNG' }), isDng({ filename: 'dng.jpg' })]).toEqual([
    true,
    true,
    false,
  ])
})

const DENSE = '(min-resolution: 1.5dppx)'

test('a picture is requested in the width of its box, with an eighth fewer pixels on dense screens', () => {
  const sizes = `(min-width: 640px) and ${DENSE} calc(0.88 * 50vw), (min-width: 640px) 50vw, ${DENSE} calc(0.88 * 100vw), 100vw`
  expect(sourcesForBox(box, photo(6000, 4000)).sizes).toBe(sizes)
  expect(sourcesForBox(box, photo(3000, 4000)).sizes).toBe(sizes)
})

test('a picture wider than its box is requested in its full width', () => {
  expect(sourcesForBox(box, photo(9000, 3000)).sizes).toContain(', (min-width: 640px) calc(2.00 * 50vw), ')
  expect(sourcesForBox(box, photo(9000, 3000)).sizes).toMatch(/dppx\) calc\(1\.76 \* 100vw\), calc\(2\.00 \* 100vw\)$/)
})

test('a picture of a row is requested in the width of the row', () => {
  expect(sourcesForRow(76, photo(6000, 4000)).sizes).toBe(`${DENSE} calc(0.88 * 76px), 76px`)
})

test('the largest rendition that the page shows already is there at once, otherwise the thumbnail', () => {
  const shown = (path: string, naturalWidth = 320) => ({
    complete: true,
    naturalWidth,
    currentSrc: `https://example.test${path}`,
  })
  const one = photo(6000, 4000)
  expect(quickSource(one, [shown('/other.webp'), shown('/s.webp'), shown('/m.webp')])).toBe('/m.webp')
  expect(quickSource(one, [shown('/m.webp', 0)])).toBe('/t.webp')
  expect(quickSource({ ...one, smallUrl: null, thumbnailUrl: null }, [])).toBe(null)
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
