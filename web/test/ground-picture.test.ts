import fc from 'fast-check'
import { expect, test } from 'vitest'
import { EARTH_RADIUS, type Position } from '../src/lib/geography.ts'
import { type CameraPhoto, cameraView } from '../src/map/camera-view.ts'
import {
  cornersWithin,
  drawingOrder,
  type GroundPicture,
  groundCorners,
  groundPicture,
  positionIn,
} from '../src/map/ground/ground-picture.ts'

interface Camera {
  height?: number
  yaw?: number
  pitch?: number
  roll?: number
  turned?: boolean
  size?: [width: number, height: number]
}

/** Its picture is 81.8 degrees wide: 1.731 times as wide as the camera is high. */
function photo({ height = 40, yaw = 0, pitch = -90, roll = 0, turned = false, size = [4000, 2250] }: Camera = {}) {
  const drone = { RelativeAltitude: height, GimbalPitchDegree: pitch, GimbalRollDegree: roll }
  return {
    ...{ latitude: '46', longitude: '-92', width: size[0], height: size[1] },
    metadata: { Model: 'FC300S', FocalLength: 3.61, heading: yaw, turned, drone },
  } satisfies CameraPhoto
}

function pictureOf(camera: Camera): GroundPicture {
  const picture = groundPicture(photo(camera))
  if ('reason' in picture) throw new Error(picture.reason)
  return picture
}

/** From the place below the camera. */
function metresTo({ latitude, longitude }: Position): [east: number, north: number] {
  const metres = (Math.PI / 180) * EARTH_RADIUS
  return [(longitude + 92) * metres * Math.cos((46 * Math.PI) / 180), (latitude - 46) * metres]
}

const rounded = (values: number[]) => values.map((value) => Math.round(value * 10) / 10 + 0)

test('a picture that was taken straight down lies around the place below the camera, its top towards the heading', () => {
  expect(
    groundCorners(pictureOf({ yaw: 0 }))
      .map(metresTo)
      .map(rounded),
  ).toEqual([
    [-34.6, 19.5],
    [34.6, 19.5],
    [34.6, -19.5],
    [-34.6, -19.5],
  ])
  expect(
    groundCorners(pictureOf({ yaw: 90 }))
      .map(metresTo)
      .map(rounded),
  ).toEqual([
    [19.5, 34.6],
    [19.5, -34.6],
    [-19.5, -34.6],
    [-19.5, 34.6],
  ])
})

test('the middle of an oblique picture is as far ahead as the camera looked', () => {
  const picture = pictureOf({ yaw: 90, pitch: -45 })
  expect(rounded(metresTo(positionIn(picture, [0.5, 0.5])))).toEqual([40, 0])
  expect(picture.tilt).toBe(45)
})

test('a picture that was turned by half lies the other way round, an oblique one too', () => {
  for (const pitch of [-90, -60]) {
    const [straight, turned] = [pictureOf({ yaw: 30, pitch }), pictureOf({ yaw: 30, pitch, turned: true })]
    const [place, opposite] = [positionIn(straight, [0.2, 0.9]), positionIn(turned, [0.8, 0.1])]
    expect(rounded(metresTo(opposite))).toEqual(rounded(metresTo(place)))
  }
})

test('the corners are those of the outline wherever nothing is cut off', () => {
  const camera = fc.record({
    height: fc.double({ min: 5, max: 100, noNaN: true }),
    yaw: fc.double({ min: -180, max: 180, noNaN: true }),
    pitch: fc.double({ min: -90, max: -70, noNaN: true }),
    roll: fc.double({ min: -20, max: 20, noNaN: true }),
    turned: fc.boolean(),
  })
  fc.assert(
    fc.property(camera, (camera) => {
      const picture = pictureOf(camera)
      fc.pre(picture.far.cut === 0)
      const outline = cameraView(photo(camera)).footprint?.outline.map(metresTo).map(rounded) ?? []
      const corners = groundCorners(picture).map(metresTo).map(rounded)
      return corners.every(([x = 0, y = 0]) => outline.some(([a = 0, b = 0]) => Math.hypot(a - x, b - y) < 0.3))
    }),
  )
})

test.each([
  ['top', { pitch: -20 }],
  ['bottom', { pitch: -20, turned: true }],
  ['left', { pitch: -20, roll: 90 }],
  ['right', { pitch: -20, roll: -90 }],
] as const)('far ground is cut off at the %s, where the picture looks farthest', (side, camera) => {
  const picture = pictureOf(camera)
  expect(picture.far.side).toBe(side)
  expect(picture.far.cut).toBeGreaterThan(0.1)
  const ways = groundCorners(picture).map((corner) => Math.hypot(...metresTo(corner)))
  expect(Math.max(...ways)).toBeCloseTo(240, 0)
})

test('every corner that is left is on the ground and not too far away, however the camera was held', () => {
  const camera = fc.record({
    height: fc.double({ min: 1, max: 500, noNaN: true }),
    yaw: fc.double({ min: -180, max: 180, noNaN: true }),
    pitch: fc.double({ min: -90, max: 0, noNaN: true }),
    roll: fc.double({ min: -180, max: 180, noNaN: true }),
    turned: fc.boolean(),
  })
  fc.assert(
    fc.property(camera, (camera) => {
      const picture = groundPicture(photo(camera))
      if ('reason' in picture) return true
      const limit = Math.max(2 * camera.height, Math.min(1000, 6 * camera.height)) * 1.001
      return cornersWithin(picture.far).every(([x, y]) => {
        const [w0, w1, w2] = picture.matrix[2]
        return w0 * x + w1 * y + w2 > 0 && Math.hypot(...metresTo(positionIn(picture, [x, y]))) <= limit
      })
    }),
  )
})

test.each<[reason: string, photo: CameraPhoto]>([
  ['The camera looked too far ahead', photo({ pitch: -14 })],
  ['The picture was turned after it was taken', photo({ turned: true, size: [2250, 4000] })],
  ['No heading in this photo', { ...photo(), metadata: { ...photo().metadata, heading: undefined } }],
  ['No height above take-off in this photo', { ...photo(), metadata: { ...photo().metadata, drone: {} } }],
  ['No position in this photo', { ...photo(), latitude: null }],
])('a photo does not lie on the ground, and the reason is said: %s', (reason, photo) => {
  expect(groundPicture(photo)).toEqual({ reason })
})

test('newer pictures lie over older ones, and those that look straight down over oblique ones', () => {
  const pictures = [
    { id: 1, tilt: 0, takenAt: '2026-06-01T10:00:00' },
    { id: 2, tilt: 60, takenAt: '2026-06-01T12:00:00' },
    { id: 3, tilt: 8, takenAt: '2026-06-01T11:00:00' },
    { id: 4, tilt: 0, takenAt: null },
    { id: 5, tilt: 40, takenAt: '2026-06-01T09:00:00' },
  ]
  expect(pictures.sort(drawingOrder).map(({ id }) => id)).toEqual([2, 5, 4, 1, 3])
})
