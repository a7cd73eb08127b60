import fc from 'fast-check'
import { expect, test } from 'vitest'
import { areaAround, boxesOf, type Near, readArea, readNear } from '../src/gallery/area.ts'
import {
  type Box,
  coverBoxes,
  latitudeOf,
  longitudeOf,
  MAP_BITS,
  tileRange,
  worldX,
  worldY,
} from '../src/gallery/web-mercator.ts'

const LAST = 2 ** MAP_BITS - 1
const degrees = (limit: number) =>
  fc.oneof(
    fc.double({ min: -limit, max: limit, noNaN: true }),
    fc.constantFrom(-limit, limit, 0, limit - 1e-7, -limit + 1e-7, 1e-7),
  )
const position = fc.record({ latitude: degrees(90), longitude: degrees(180) })

/** The key of a position, as SQL's `map_key`. */
function keyOf({ latitude, longitude }: { latitude: number; longitude: number }): number {
  const [x, y] = [worldX(longitude), worldY(latitude)].map((place) => Math.min(LAST, Math.max(0, Math.floor(place))))
  return tileRange({ z: MAP_BITS, x: x ?? 0, y: y ?? 0 }).low
}

const contains = (ranges: { low: number; high: number }[], key: number) =>
  ranges.some(({ low, high }) => low <= key && key <= high)

test('a place of the map is the position that it was made of', () => {
  fc.assert(
    fc.property(position, ({ latitude, longitude }) => {
      expect(longitudeOf(worldX(longitude))).toBeCloseTo(longitude, 9)
      expect(latitudeOf(worldY(latitude))).toBeCloseTo(Math.min(85.0511287798, Math.max(-85.0511287798, latitude)), 7)
    }),
  )
  expect([worldX(-180), worldX(0), worldX(180), worldY(0)]).toEqual([0, 2 ** 25, 2 ** 26, 2 ** 25])
  expect(worldY(90)).toBeCloseTo(0, 0)
  expect(worldY(-90)).toBeCloseTo(2 ** 26, 0)
})

test('a tile has the keys of its four parts one after another', () => {
  const zoomed = fc.integer({ min: 0, max: 21 }).chain((z) => {
    const place = fc.integer({ min: 0, max: 2 ** z - 1 })
    return fc.record({ z: fc.constant(z), x: place, y: place })
  })
  fc.assert(
    fc.property(zoomed, ({ z, x, y }) => {
      const range = tileRange({ z, x, y })
      const parts = [0, 1].flatMap((down) =>
        [0, 1].map((right) => tileRange({ z: z + 1, x: 2 * x + right, y: 2 * y + down })),
      )
      expect([parts[0]?.low, parts[3]?.high]).toEqual([range.low, range.high])
      for (const index of [1, 2, 3]) expect(parts[index]?.low).toBe((parts[index - 1]?.high ?? 0) + 1)
    }),
  )
  expect(tileRange({ z: 0, x: 0, y: 0 })).toEqual({ low: 0, high: 2 ** 52 - 1 })
})

const area = fc
  .record({ west: degrees(180), east: degrees(180), one: degrees(90), other: degrees(90) })
  .map(({ west, east, one, other }) => ({ west, east, south: Math.min(one, other), north: Math.max(one, other) }))

const isInBox = ({ west, south, east, north }: Box, latitude: number, longitude: number) =>
  latitude >= south && latitude <= north && longitude >= west && longitude <= east

test('few ranges cover an area, wherever it is', () => {
  const share = fc.double({ min: 0, max: 1, noNaN: true })
  fc.assert(
    fc.property(area, share, share, (area, right, up) => {
      const boxes = boxesOf(area)
      const ranges = coverBoxes(boxes)
      expect(ranges.length).toBeLessThanOrEqual(100)
      for (const { west, south, east, north } of boxes) {
        const key = keyOf({ latitude: south + up * (north - south), longitude: west + right * (east - west) })
        expect(contains(ranges, key)).toBe(true)
      }
    }),
  )
})

test('the ranges of a small area have little around it', () => {
  const side = 0.01
  fc.assert(
    fc.property(
      fc.double({ min: -170, max: 170, noNaN: true }),
      fc.double({ min: -60, max: 60, noNaN: true }),
      (west, south) => {
        const box = { west, south, east: west + side, north: south + side }
        const keys = coverBoxes([box]).reduce((sum, { low, high }) => sum + high - low + 1, 0)
        const covered = (worldX(box.east) - worldX(west)) * (worldY(south) - worldY(box.north))
        expect(keys).toBeLessThan(2.5 * covered)
      },
    ),
  )
})

/** Metres on a sphere. */
function distance(one: Near, other: { latitude: number; longitude: number }): number {
  const radians = (value: number) => (value * Math.PI) / 180
  const half = (angle: number) => Math.sin(radians(angle) / 2) ** 2
  const cosines = Math.cos(radians(one.latitude)) * Math.cos(radians(other.latitude))
  const chord = half(other.latitude - one.latitude) + cosines * half(other.longitude - one.longitude)
  return 2 * 6_371_008.8 * Math.asin(Math.min(1, Math.sqrt(chord)))
}

test('the area around a circle has everything in the circle, at poles and date line too', () => {
  const metres = fc.oneof(fc.double({ min: 1, max: 5000, noNaN: true }), fc.double({ min: 1, max: 2e7, noNaN: true }))
  const bearing = fc.double({ min: 0, max: 2 * Math.PI, noNaN: true })
  fc.assert(
    fc.property(position, metres, bearing, ({ latitude, longitude }, metres, bearing) => {
      const near = { latitude, longitude, metres }
      // A position on the circle, a little inside of it.
      const angle = (metres * 0.999) / 6_371_008.8
      const [lat, lon] = [(latitude * Math.PI) / 180, (longitude * Math.PI) / 180]
      const sine = Math.sin(lat) * Math.cos(angle) + Math.cos(lat) * Math.sin(angle) * Math.cos(bearing)
      const reached = Math.asin(Math.min(1, Math.max(-1, sine)))
      const turned = Math.atan2(
        Math.sin(bearing) * Math.sin(angle) * Math.cos(lat),
        Math.cos(angle) - Math.sin(lat) * Math.sin(reached),
      )
      const there = {
        latitude: (reached * 180) / Math.PI,
        longitude: ((((((lon + turned) * 180) / Math.PI + 540) % 360) + 360) % 360) - 180,
      }
      fc.pre(distance(near, there) <= metres)
      expect(boxesOf(areaAround(near)).some((box) => isInBox(box, there.latitude, there.longitude))).toBe(true)
    }),
    { numRuns: 1000 },
  )
})

test.each([
  '',
  '1,2,3',
  '1,2,3,4,5',
  'x,2,3,4',
  '10,5,20,4',
  '-181,0,1,1',
  '0,0,181,1',
  '0,-91,1,1',
  '0,0,1,91',
  '1e1,0,20,1',
  ' 1,2,3,4',
  'NaN,0,1,1',
])('%j is no area', (text) => {
  expect(() => readArea(text)).toThrow('The area is not valid.')
})

test.each(['', '1,2', '91,0,5', '0,181,5', '0,0,0', '0,0,-5', '0,0,99999999', '0,0,1e3'])('%j is no circle', (text) => {
  expect(() => readNear(text)).toThrow('not valid')
})

test('reads an area, also across the date line, and a circle', () => {
  expect(readArea('170.5,-10,-170,10.25')).toEqual({ west: 170.5, south: -10, east: -170, north: 10.25 })
  expect(readNear('48.1,-11.5,2500')).toEqual({ latitude: 48.1, longitude: -11.5, metres: 2500 })
})
