import { readFileSync } from 'node:fs'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import {
  defaultCrop,
  dpiOf,
  isLandscape,
  MAX_ZOOM,
  moveCrop,
  printSizeOf,
  turnCrop,
  zoomCrop,
  zoomOf,
} from '../src/features/print-wizard/crop.ts'

/** Also of the server's own test. */
const EXAMPLES = new URL('../../services/print-orders/test/fixtures/print-sizes.json', import.meta.url)
const examples: { productSize: string | null; resWidth?: string; resHeight?: string; ratio: number | null }[] =
  JSON.parse(readFileSync(EXAMPLES, 'utf8'))
const FOUR_BY_SIX = { short: 4, long: 6 }

describe('the size of a print', () => {
  test.each(examples)('has the proportions that the server prints: %j', ({ ratio, ...product }) => {
    const size = printSizeOf(product)
    if (ratio === null) expect(size).toBeNull()
    else expect((size?.long ?? 0) / (size?.short ?? 1)).toBeCloseTo(ratio, 2)
  })

  test('is in inches', () => {
    expect(printSizeOf({ productSize: '8.5x11 in' })).toEqual({ short: 8.5, long: 11 })
  })

  test('is computed from pixels when it has no name', () => {
    expect(printSizeOf({ productSize: null, resWidth: '1800', resHeight: '1200' })).toEqual(FOUR_BY_SIX)
  })

  test('is null when nothing tells it', () => {
    expect(printSizeOf({ productSize: 'Wallet' })).toBeNull()
  })
})

describe('the crop of a print', () => {
  test('is the largest part in the middle, with the print turned like the picture', () => {
    expect(defaultCrop({ width: 4000, height: 3000 }, FOUR_BY_SIX)).toEqual({
      x: 0,
      y: 0.0555556,
      width: 1,
      height: 0.8888889,
    })
    const portrait = defaultCrop({ width: 3000, height: 4000 }, FOUR_BY_SIX)
    expect(portrait).toMatchObject({ y: 0, height: 1, width: 0.8888889 })
  })

  test('turns by a quarter and back', () => {
    const picture = { width: 4000, height: 3000 }
    const turned = turnCrop(defaultCrop(picture, FOUR_BY_SIX), picture, FOUR_BY_SIX)
    expect(isLandscape(turned, picture)).toBe(false)
    expect(isLandscape(turnCrop(turned, picture, FOUR_BY_SIX), picture)).toBe(true)
  })

  test('has the resolution of the pixels that a print can use', () => {
    const source = { width: 1200, height: 800 }
    expect(dpiOf(defaultCrop(source, FOUR_BY_SIX), source, FOUR_BY_SIX)).toBe(200)
    expect(dpiOf(zoomCrop(defaultCrop(source, FOUR_BY_SIX), source, FOUR_BY_SIX, 2), source, FOUR_BY_SIX)).toBe(100)
  })

  const pictures = fc.record({
    width: fc.integer({ min: 300, max: 30_000 }),
    height: fc.integer({ min: 300, max: 30_000 }),
  })
  const sizes = fc.constantFrom(
    { short: 4, long: 6 },
    { short: 8, long: 8 },
    { short: 8.5, long: 11 },
    { short: 4, long: 12 },
  )
  const steps = fc.array(
    fc.oneof(
      fc.record({
        kind: fc.constant('move' as const),
        dx: fc.double({ min: -2, max: 2, noNaN: true }),
        dy: fc.double({ min: -2, max: 2, noNaN: true }),
      }),
      fc.record({ kind: fc.constant('zoom' as const), zoom: fc.double({ min: 0, max: 9, noNaN: true }) }),
      fc.record({ kind: fc.constant('turn' as const) }),
    ),
    { maxLength: 12 },
  )

  test('stays inside the picture and keeps the proportions of the print, whatever is done', () => {
    fc.assert(
      fc.property(pictures, sizes, steps, (picture, size, list) => {
        let crop = defaultCrop(picture, size)
        for (const step of list) {
          if (step.kind === 'move') crop = moveCrop(crop, step.dx, step.dy)
          else if (step.kind === 'zoom') crop = zoomCrop(crop, picture, size, step.zoom)
          else crop = turnCrop(crop, picture, size)
        }
        expect(Math.min(crop.x, crop.y)).toBeGreaterThanOrEqual(0)
        expect(crop.x + crop.width).toBeLessThanOrEqual(1)
        expect(crop.y + crop.height).toBeLessThanOrEqual(1)
        const [width, height] = [crop.width * picture.width, crop.height * picture.height]
        expect(Math.max(width, height) / Math.min(width, height)).toBeCloseTo(size.long / size.short, 2)
        expect(zoomOf(crop, picture, size)).toBeLessThanOrEqual(MAX_ZOOM + 0.01)
      }),
    )
  })
})
