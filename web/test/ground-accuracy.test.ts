import { expect, test } from 'vitest'
import { EARTH_RADIUS, type Position } from '../src/lib/geography.ts'
import type { CameraPhoto } from '../src/map/camera-view.ts'
import { groundPicture, positionIn } from '../src/map/ground/ground-picture.ts'

/*
 * What the files of a flight at 40 m tell: the Brighton Beach data set by Piero Toffanin, a DJI Phantom 3 over Duluth, Minnesota.
 * Photos 24 to 29, the middle one of three rows, were turned by half after the flight.
 */
const PHOTOS: Record<number, [latitude: number, longitude: number, height: number, yaw: number, pitch: number]> = {
  18: [46.8426071, -91.9945599, 39.8, 45, -89.9],
  19: [46.8426907, -91.9944273, 40.1, 42.8, -89.9],
  21: [46.8428651, -91.9941766, 40.1, 45, -90],
  24: [46.8428646, -91.9936967, 39.9, -140, -89.9],
  27: [46.8426054, -91.9940828, 40, -131.3, -89.9],
  28: [46.8425213, -91.9942096, 40.1, -133.5, -89.9],
  29: [46.8424339, -91.9943334, 40.1, -131.4, -89.9],
  30: [46.8422816, -91.9940842, 40.1, 44.2, -89.9],
  31: [46.8423715, -91.9939536, 40.2, 41.4, -89.9],
  34: [46.8426293, -91.9935787, 40, 44.7, -89.9],
  35: [46.8427166, -91.9934553, 40, 45.3, -89.9],
}

function photo(number: number): CameraPhoto {
  const [latitude, longitude, height, heading, pitch] = PHOTOS[number] ?? [0, 0, 0, 0, 0]
  const drone = { RelativeAltitude: height, GimbalPitchDegree: pitch, GimbalRollDegree: 0 }
  const turned = number >= 24 && number <= 29
  const camera = { Model: 'FC300S', FocalLength: 3.61, FocalLengthIn35mmFormat: 20 }
  const size = { width: 4000, height: 2250 }
  return {
    latitude: String(latitude),
    longitude: String(longitude),
    ...size,
    metadata: { ...camera, heading, turned, drone },
  }
}

/** An object in two photos, chosen by eye: its pixels of 4,000 x 2,250. */
type Pair = [object: string, one: number, x: number, y: number, other: number, otherX: number, otherY: number]

const PAIRS: Pair[] = [
  ['a patch of tar where cracks cross in the road', 18, 3181, 1102, 29, 1442, 916],
  ['a larger patch of tar in the road', 19, 3178, 936, 28, 1465, 601],
  ['the tip of a lawn at a fork of the road', 21, 3604, 222, 34, 528, 896],
  ['a dark spot on the asphalt beside a puddle', 24, 2592, 1610, 35, 1282, 1621],
  ['the gravel between two parked cars', 27, 3724, 859, 31, 2468, 563],
  ['a rock on the beach', 28, 3766, 1905, 30, 2485, 1398],
  ['broken asphalt at the edge of the road', 29, 3253, 1484, 30, 1903, 1720],
  ['a flat rock in the lawn', 29, 2515, 1722, 30, 1084, 1912],
]

function place(number: number, x: number, y: number): Position {
  const picture = groundPicture(photo(number))
  if ('reason' in picture) throw new Error(picture.reason)
  return positionIn(picture, [x / 4000, y / 2250])
}

function metresBetween(one: Position, other: Position): number {
  const metres = (Math.PI / 180) * EARTH_RADIUS
  const north = (other.latitude - one.latitude) * metres
  const east = (other.longitude - one.longitude) * metres * Math.cos((one.latitude * Math.PI) / 180)
  return Math.hypot(north, east)
}

test.each(PAIRS)('two photos put %s at the same place, to within 15 m', (_object, one, x, y, other, otherX, otherY) => {
  expect(metresBetween(place(one, x, y), place(other, otherX, otherY))).toBeLessThan(15)
})

test('on the average they differ by less than a tenth of the height', () => {
  const all = PAIRS.map(([, one, x, y, other, otherX, otherY]) =>
    metresBetween(place(one, x, y), place(other, otherX, otherY)),
  )
  expect(all.reduce((sum, metres) => sum + metres) / all.length).toBeLessThan(4)
})
