import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { NotPrintableError, type PrintTarget, planPrint, toStoredRegion } from '../src/renditions/print-plan.ts'

const pixels = fc.integer({ min: 300, max: 20_000 })
const upright = fc.record({ width: pixels, height: pixels })
const sides = fc
  .tuple(fc.integer({ min: 300, max: 10_000 }), fc.integer({ min: 300, max: 10_000 }))
  .map(([a, b]) => ({ shortSide: Math.min(a, b), longSide: Math.max(a, b) }))
const fraction = fc.double({ min: 0, max: 1, noNaN: true })
/** Parts of any size, up to rounding errors at the edge. */
const crop = fc
  .tuple(fraction, fraction, fraction, fraction)
  .filter(([left, right, top, bottom]) => left !== right && top !== bottom)
  .map(([a, b, c, d]) => ({
    x: Math.min(a, b),
    y: Math.min(c, d),
    width: Math.abs(a - b),
    height: Math.abs(c - d),
  }))
const print = fc.record({ crop: fc.option(crop), sides }).map((one): PrintTarget & { kind: 'print' } => ({
  kind: 'print',
  crop: one.crop,
  ...one.sides,
}))

/** The plan; null where the part is too small. */
function planOrNull(size: { width: number; height: number }, target: PrintTarget) {
  try {
    return planPrint(size, target)
  } catch (error) {
    if (error instanceof NotPrintableError) return null
    throw error
  }
}

describe('a print', () => {
  test('is always within the picture, in whole pixels', () => {
    fc.assert(
      fc.property(upright, print, (size, target) => {
        const plan = planOrNull(size, target)
        if (!plan) return
        const { left, top, width, height } = plan.region
        expect([left, top, width, height].every(Number.isInteger)).toBe(true)
        expect(Math.min(left, top)).toBeGreaterThanOrEqual(0)
        expect(Math.min(width, height)).toBeGreaterThan(0)
        expect(left + width).toBeLessThanOrEqual(size.width)
        expect(top + height).toBeLessThanOrEqual(size.height)
      }),
    )
  })

  test('has exactly the aspect ratio of its size, within a pixel', () => {
    fc.assert(
      fc.property(upright, print, (size, target) => {
        const plan = planOrNull(size, target)
        if (!plan) return
        for (const { width, height } of [plan.region, plan.output]) {
          const isLandscape = width > height
          const ratio = isLandscape ? target.longSide / target.shortSide : target.shortSide / target.longSide
          const difference = Math.min(Math.abs(width - height * ratio), Math.abs(height - width / ratio))
          expect(difference).toBeLessThanOrEqual(1)
        }
      }),
    )
  })

  test('is never enlarged, and never has more pixels than its size', () => {
    fc.assert(
      fc.property(upright, print, (size, target) => {
        const plan = planOrNull(size, target)
        if (!plan) return
        const { region, output } = plan
        expect(output.width).toBeLessThanOrEqual(region.width)
        expect(output.height).toBeLessThanOrEqual(region.height)
        expect(Math.min(output.width, output.height)).toBeLessThanOrEqual(target.shortSide)
        expect(Math.max(output.width, output.height)).toBeLessThanOrEqual(target.longSide + 1)
      }),
    )
  })

  test('is within the chosen part, within a pixel', () => {
    fc.assert(
      fc.property(upright, crop, sides, (size, part, one) => {
        const plan = planOrNull(size, { kind: 'print', crop: part, ...one })
        if (!plan) return
        const { left, top, width, height } = plan.region
        expect(left).toBeGreaterThanOrEqual(part.x * size.width - 1)
        expect(top).toBeGreaterThanOrEqual(part.y * size.height - 1)
        expect(left + width).toBeLessThanOrEqual((part.x + part.width) * size.width + 1)
        expect(top + height).toBeLessThanOrEqual((part.y + part.height) * size.height + 1)
      }),
    )
  })

  test('uses the whole width or the whole height of the photo without a crop', () => {
    fc.assert(
      fc.property(upright, sides, (size, one) => {
        const plan = planOrNull(size, { kind: 'print', crop: null, ...one })
        if (!plan) return
        const { region } = plan
        expect(region.width === size.width || region.height === size.height).toBe(true)
        expect(Math.abs(region.left - (size.width - region.width - region.left))).toBeLessThanOrEqual(1)
        expect(Math.abs(region.top - (size.height - region.height - region.top))).toBeLessThanOrEqual(1)
      }),
    )
  })
})

test('turns a print as the chosen part is turned', () => {
  const size = { width: 6000, height: 4000 }
  const print4x6 = { kind: 'print', shortSide: 1200, longSide: 1800 } as const
  expect(planPrint(size, { ...print4x6, crop: null })).toEqual({
    region: { left: 0, top: 0, width: 6000, height: 4000 },
    output: { width: 1800, height: 1200 },
  })
  const upright = { x: 0.1, y: 0, width: 4 / 9, height: 1 }
  expect(planPrint(size, { ...print4x6, crop: upright })).toEqual({
    region: { left: 600, top: 0, width: 2667, height: 4000 },
    output: { width: 1200, height: 1800 },
  })
})

test('keeps the pixels of a small photo', () => {
  const plan = planPrint({ width: 900, height: 600 }, { kind: 'print', crop: null, shortSide: 1200, longSide: 1800 })
  expect(plan.output).toEqual({ width: 900, height: 600 })
})

test('rejects a part of a few pixels', () => {
  const crop = { x: 0.5, y: 0.5, width: 0.01, height: 0.01 }
  const target: PrintTarget = { kind: 'print', crop, shortSide: 1200, longSide: 1800 }
  expect(() => planPrint({ width: 1000, height: 1000 }, target)).toThrow('too small')
})

test('reduces a proof to its longest side, and enlarges nothing', () => {
  expect(planPrint({ width: 4000, height: 1000 }, { kind: 'whole', maxSide: 2048 }).output).toEqual({
    width: 2048,
    height: 512,
  })
  expect(planPrint({ width: 400, height: 300 }, { kind: 'whole', maxSide: 2048 }).output).toEqual({
    width: 400,
    height: 300,
  })
})

test('a region in the stored image has the size of the upright one, turned where the orientation says so', () => {
  fc.assert(
    fc.property(upright, fc.integer({ min: 1, max: 8 }), crop, (size, orientation, part) => {
      const plan = planOrNull(size, { kind: 'print', crop: part, shortSide: 1000, longSide: 1000 })
      if (!plan) return
      const { left, top, width, height } = toStoredRegion(plan.region, size, orientation)
      const stored = orientation > 4 ? { width: size.height, height: size.width } : size
      expect([width, height].sort()).toEqual([plan.region.width, plan.region.height].sort())
      expect(left >= 0 && top >= 0 && left + width <= stored.width && top + height <= stored.height).toBe(true)
    }),
  )
})
