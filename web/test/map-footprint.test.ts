import fc from 'fast-check'
import { expect, test } from 'vitest'
import { EARTH_RADIUS, type Position, project, unproject, wrap } from '../src/lib/geography.ts'
import {
  type CameraPhoto,
  cameraView,
  type Footprint,
  fieldOfView,
  groundFootprint,
  MAX_DISTANCE,
  type Pose,
} from '../src/map/camera-view.ts'

const degrees = (min: number, max: number) => fc.double({ min, max, noNaN: true })
const place = fc.record({ latitude: degrees(-84, 84), longitude: degrees(-180, 180) })
const view = fc.record({ horizontal: degrees(10, 110), vertical: degrees(10, 100) })
const height = degrees(1, 500)
const pose = fc
  .tuple(place, height, degrees(-180, 180), degrees(-90, 0), degrees(-180, 180))
  .map(([at, height, yaw, pitch, roll]): Pose => ({ ...at, height, yaw, pitch, roll }))

/** The way from one position to another in metres, the shorter one around the earth. */
function metresBetween(from: Position, to: Position): { east: number; north: number } {
  const radians = Math.PI / 180
  return {
    east: wrap(to.longitude - from.longitude) * radians * EARTH_RADIUS * Math.cos(from.latitude * radians),
    north: (to.latitude - from.latitude) * radians * EARTH_RADIUS,
  }
}

/** The outline in metres from below the camera, turned so that the heading is up. */
function shape({ outline }: Footprint, { yaw, ...at }: Pose): [across: number, along: number][] {
  const [sin, cos] = [Math.sin((yaw * Math.PI) / 180), Math.cos((yaw * Math.PI) / 180)]
  return outline.map((corner) => {
    const { east, north } = metresBetween(at, corner)
    return [east * cos - north * sin, east * sin + north * cos]
  })
}

const half = (angle: number) => Math.tan((angle / 2) * (Math.PI / 180))
const near = (value: number, expected: number, of: number) => Math.abs(value - expected) < 1e-6 * Math.max(1, of)

test('straight down the camera sees a rectangle around the place below it', () => {
  fc.assert(
    fc.property(place, degrees(1, 300), degrees(-180, 180), view, (at, height, yaw, view) => {
      const pose = { ...at, height, yaw, pitch: -90, roll: 0 }
      const footprint = groundFootprint(pose, view)
      if (!footprint) return false
      const [across, along] = [height * half(view.horizontal), height * half(view.vertical)]
      fc.pre(across < MAX_DISTANCE && along < MAX_DISTANCE)
      const expected = [[-across, along], [across, along], [across, -along], [-across, -along]] // biome-ignore format: one line
      return (
        !footprint.isCut &&
        shape(footprint, pose).every(([x, y], index) => {
          const [expectedX = 0, expectedY = 0] = expected[index] ?? []
          return near(x, expectedX, across) && near(y, expectedY, along)
        })
      )
    }),
  )
})

test('the ground is symmetric to the heading without a roll, and before the camera', () => {
  fc.assert(
    fc.property(pose, view, (any, view) => {
      const pose = { ...any, roll: 0 }
      const footprint = groundFootprint(pose, view)
      if (!footprint) return true
      const points = shape(footprint, pose)
      return points.every(([x, y]) =>
        points.some(([otherX, otherY]) => near(otherX, -x, MAX_DISTANCE) && near(otherY, y, MAX_DISTANCE)),
      )
    }),
  )
})

test('the ground grows in proportion to the height of the camera', () => {
  fc.assert(
    fc.property(pose, view, (any, view) => {
      const [low, high] = [
        { ...any, height: 10 },
        { ...any, height: 20 },
      ]
      const [small, large] = [groundFootprint(low, view), groundFootprint(high, view)]
      fc.pre(small !== null && large !== null && !small.isCut && !large.isCut)
      const doubled = shape(small as Footprint, low).map(([x, y]) => [2 * x, 2 * y])
      return shape(large as Footprint, high).every(([x, y], index) => {
        return near(x, doubled[index]?.[0] ?? 0, 1000) && near(y, doubled[index]?.[1] ?? 0, 1000)
      })
    }),
  )
})

test('no ground is farther than the limit, and what is cut off is said', () => {
  fc.assert(
    fc.property(pose, view, (pose, view) => {
      const footprint = groundFootprint(pose, view)
      if (!footprint) return true
      const within = shape(footprint, pose).every(
        ([x, y]) => Math.abs(x) <= MAX_DISTANCE * 1.000001 && Math.abs(y) <= MAX_DISTANCE * 1.000001,
      )
      return within && footprint.outline.length >= 3 && (footprint.isCut || footprint.outline.length === 4)
    }),
  )
  const level = { latitude: 46, longitude: -92, height: 100, yaw: 0, pitch: 0, roll: 0 }
  const footprint = groundFootprint(level, { horizontal: 80, vertical: 60 })
  expect(footprint?.isCut).toBe(true)
  expect(shape(footprint as Footprint, level).every(([, along]) => along > 100)).toBe(true)
})

test('there is no ground above the horizon, at the height of take-off or below, and off the map', () => {
  fc.assert(
    fc.property(pose, view, degrees(0.001, 90), degrees(-1000, 0), (pose, view, up, below) => {
      return (
        groundFootprint({ ...pose, pitch: up }, view) === null &&
        groundFootprint({ ...pose, height: below }, view) === null &&
        groundFootprint({ ...pose, latitude: 90 }, view) === null
      )
    }),
  )
  expect(
    groundFootprint(
      { latitude: 0, longitude: 0, height: Number.NaN, yaw: 0, pitch: -90, roll: 0 },
      { horizontal: 80, vertical: 60 },
    ),
  ).toBeNull()
})

test('places are on the world map and come back from it; those beyond its edges are at the edge', () => {
  fc.assert(
    fc.property(place, (at) => {
      const back = unproject(project(at))
      return near(back.latitude, at.latitude, 100) && near(back.longitude, at.longitude, 100)
    }),
  )
  expect(project({ latitude: 90, longitude: 0 }).y).toBeCloseTo(0)
  expect(project({ latitude: -90, longitude: 180 }).y).toBeCloseTo(1)
  expect(project({ latitude: -90, longitude: 180 }).x).toBe(1)
  expect(project({ latitude: 0, longitude: 0 }).x).toBe(0.5)
  expect([wrap(180), wrap(-180), wrap(181), wrap(-541), wrap(360)]).toEqual([180, -180, -179, 179, 0])
})

test('the field of view is known for known cameras only', () => {
  const picture = { Model: 'FC6310', FocalLength: 8.8, width: 5472, height: 3648 }
  const wide = fieldOfView(picture)
  // The data sheet: 84° diagonally.
  const diagonal = 2 * Math.atan(Math.hypot(half(wide?.horizontal ?? 0), half(wide?.vertical ?? 0))) * (180 / Math.PI)
  expect(diagonal).toBeCloseTo(84, 0)
  expect(fieldOfView({ ...picture, height: 3078 })?.horizontal).toBeCloseTo(wide?.horizontal ?? 0)
  expect(fieldOfView({ ...picture, width: 4864 })?.vertical).toBeCloseTo(wide?.vertical ?? 0)
  expect(fieldOfView({ ...picture, width: 3648, height: 5472 })).toEqual({
    horizontal: wide?.vertical,
    vertical: wide?.horizontal,
  })
  expect(fieldOfView({ ...picture, Model: 'Canon EOS 40D' })).toBeNull()
  expect(fieldOfView({ ...picture, FocalLength: undefined })).toBeNull()
  expect(fieldOfView({ ...picture, width: 20_000 })).toBeNull()
})

test.each([
  ['of 4:3', { width: 4000, height: 3000 }, [71.6, 56.8]],
  ['that is upright', { width: 3000, height: 4000 }, [56.8, 71.6]],
  ['of 16:9', { width: 3840, height: 2160 }, [76.3, 47.7]],
  ['of an unknown focal length, with a longer lens', { FocalLengthIn35mmFormat: 70 }, [27.8, 21]],
  ['with a digital zoom', { DigitalZoomRatio: 2 }, [39.6, 30.3]],
  ['with a zoom of 0, which is none', { DigitalZoomRatio: 0 }, [71.6, 56.8]],
  ['of a known camera without a focal length', { Model: 'FC3411' }, [71.6, 56.8]],
])('a picture %s has the field of view of its 35 mm equivalent', (_what, more, [horizontal = 0, vertical = 0]) => {
  const view = fieldOfView({ FocalLengthIn35mmFormat: 24, width: 4000, height: 3000, ...more })
  expect(view?.horizontal).toBeCloseTo(horizontal, 0)
  expect(view?.vertical).toBeCloseTo(vertical, 0)
})

test('a wide picture of a known camera has the width of its sensor, not that of a wide 35 mm frame', () => {
  const picture = { FocalLengthIn35mmFormat: 20, width: 4000, height: 2250 }
  const known = fieldOfView({ ...picture, Model: 'FC300S', FocalLength: 3.61 })
  expect(known?.horizontal).toBeCloseTo(81.8, 0)
  expect(fieldOfView({ ...picture, height: 3000 })?.horizontal).toBeCloseTo(known?.horizontal ?? 0, 0)
  expect(fieldOfView(picture)?.horizontal).toBeCloseTo(86.6, 0)
})

test('a digital zoom halves the width of the field of view of a known camera', () => {
  const camera = { Model: 'FC3411', FocalLength: 8.4, width: 4000, height: 3000 }
  const [whole, zoomed] = [fieldOfView(camera), fieldOfView({ ...camera, DigitalZoomRatio: 2 })]
  expect(half(zoomed?.horizontal ?? 0)).toBeCloseTo(half(whole?.horizontal ?? 0) / 2)
  expect(half(zoomed?.vertical ?? 0)).toBeCloseTo(half(whole?.vertical ?? 0) / 2)
})

test('a view says what is missing', () => {
  const drone = { RelativeAltitude: 40, GimbalPitchDegree: -90, GimbalRollDegree: 0 }
  const photo = (some: object, of: Partial<CameraPhoto> = {}): CameraPhoto => ({
    latitude: '46.8',
    longitude: '-91.9',
    width: 4000,
    height: 3000,
    ...of,
    metadata: { Model: 'FC330', FocalLength: 3.61, heading: 45, drone: { ...drone, ...some } },
  })
  expect(cameraView(photo({}))).toMatchObject({ heading: 45, reason: null, footprint: { isCut: false } })
  const reasonOf = (some: object, of?: Partial<CameraPhoto>) => cameraView(photo(some, of)).reason
  expect(reasonOf({}, { latitude: null })).toBe('No position in this photo')
  expect(reasonOf({ RelativeAltitude: undefined })).toBe('No height above take-off in this photo')
  expect(reasonOf({ RelativeAltitude: -2 })).toMatch('at or below the height of take-off')
  expect(reasonOf({ GimbalPitchDegree: undefined })).toBe('No camera angle in this photo')
  expect(reasonOf({ GimbalPitchDegree: 12 })).toBe('The camera looked above the horizon')
  expect(reasonOf({}, { projection: 'sphere' })).toBe('This picture shows all directions')
  expect(cameraView(photo({}, { projection: 'sphere' })).heading).toBe(null)
  expect(reasonOf({}, { projection: 'wide' })).toMatch(/^A panorama/)
  expect(reasonOf({}, { width: null })).toBe('The field of view of this camera is not known')
  expect(cameraView({ ...photo({}), metadata: null })).toMatchObject({
    heading: null,
    reason: 'No heading in this photo',
  })
})
