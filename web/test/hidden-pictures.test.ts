import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { PlacedPicture, Point } from '../src/map/ground/draw-picture.ts'
import { withoutHidden } from '../src/map/ground/hidden-pictures.ts'

const SIZE = { width: 800, height: 400 }

interface Square extends PlacedPicture {
  name: string
}

/** A square around a point, turned by an angle. */
function square(name: string, x: number, y: number, side: number, { degrees = 0, isFading = false } = {}): Square {
  const corners = [225, 315, 45, 135].map((corner): Point => {
    const angle = ((corner + degrees) * Math.PI) / 180
    return { x: x + side * Math.SQRT1_2 * Math.cos(angle), y: y + side * Math.SQRT1_2 * Math.sin(angle) }
  })
  const fading = isFading ? { center: { x, y }, from: 0, to: side } : null
  const part = { left: 0, top: 0, right: 1, bottom: 1 }
  return { name, corners, fading, part, matrix: [[1, 0, 0], [0, 1, 0], [0, 0, 1]] } // biome-ignore format: one line
}

const namesOf = (pictures: Square[]) => pictures.map(({ name }) => name)

test('a picture below a larger one is not drawn, and one that looks out at its side is', () => {
  const pictures = [square('below', 400, 200, 100), square('beside', 520, 200, 100), square('above', 400, 200, 200)]
  expect(namesOf(withoutHidden(pictures, SIZE))).toEqual(['beside', 'above'])
})

test('a picture below several that cover it together is not drawn', () => {
  const above = [square('left', 350, 200, 200), square('right', 450, 200, 200)]
  expect(namesOf(withoutHidden([square('below', 400, 200, 150), ...above], SIZE))).toEqual(['left', 'right'])
})

test('a picture that fades hides nothing', () => {
  const pictures = [square('below', 400, 200, 100), square('above', 400, 200, 300, { isFading: true })]
  expect(namesOf(withoutHidden(pictures, SIZE))).toEqual(['below', 'above'])
})

test('a picture outside of the canvas is not drawn', () => {
  expect(withoutHidden([square('aside', -200, 200, 100)], SIZE)).toEqual([])
})

test('every point of the canvas keeps its uppermost picture, however the pictures lie', () => {
  const picture = fc.record({
    x: fc.integer({ min: -100, max: 900 }),
    y: fc.integer({ min: -100, max: 500 }),
    side: fc.integer({ min: 20, max: 600 }),
    degrees: fc.integer({ min: 0, max: 359 }),
  })
  const point = fc.record({ x: fc.integer({ min: 1, max: 799 }), y: fc.integer({ min: 1, max: 399 }) })
  fc.assert(
    fc.property(fc.array(picture, { maxLength: 30 }), point, (all, at) => {
      const pictures = all.map(({ x, y, side, degrees }, index) => square(String(index), x, y, side, { degrees }))
      const isOver = (one: (typeof all)[number]) => {
        const angle = (one.degrees * Math.PI) / 180
        const [right, down] = [at.x - one.x, at.y - one.y]
        const along = Math.abs(right * Math.cos(angle) + down * Math.sin(angle))
        const aside = Math.abs(down * Math.cos(angle) - right * Math.sin(angle))
        return Math.max(along, aside) < one.side / 2 - 1e-6
      }
      const uppermost = all.findLastIndex(isOver)
      return uppermost === -1 || namesOf(withoutHidden(pictures, SIZE)).includes(String(uppermost))
    }),
  )
})
