import { badRequest } from '@skyfolio/kit'
import { Prisma } from '../generated/client.ts'
import type { Box } from './web-mercator.ts'

/** A rectangle in degrees. With `west > east` it crosses the date line. */
export type Area = Box

/** A circle. */
export interface Near {
  latitude: number
  longitude: number
  metres: number
}

const EARTH_RADIUS_METRES = 6_371_008.8
const METRES_PER_DEGREE = (EARTH_RADIUS_METRES * Math.PI) / 180
/** Half the circumference: everywhere. */
const MAX_METRES = 20_100_000
const NUMBER = /^-?\d{1,9}(\.\d{1,15})?$/

/** Parses `west,south,east,north`. @throws AppError 400 */
export function readArea(text: string): Area {
  const [west = Number.NaN, south = Number.NaN, east = Number.NaN, north = Number.NaN] = readNumbers(text, 4)
  const isValid = Math.max(-west, west, -east, east) <= 180 && south >= -90 && south <= north && north <= 90
  if (!isValid) throw badRequest('The area is not valid.')
  return { west, south, east, north }
}

/** Parses `latitude,longitude,metres`. @throws AppError 400 */
export function readNear(text: string): Near {
  const [latitude = Number.NaN, longitude = Number.NaN, metres = Number.NaN] = readNumbers(text, 3)
  const isValid = Math.abs(latitude) <= 90 && Math.abs(longitude) <= 180 && metres > 0 && metres <= MAX_METRES
  if (!isValid) throw badRequest('The place and its surroundings are not valid.')
  return { latitude, longitude, metres }
}

function readNumbers(text: string, count: number): number[] {
  const parts = text.split(',')
  return parts.length === count && parts.every((part) => NUMBER.test(part)) ? parts.map(Number) : []
}

/** The area as rectangles that do not cross the date line. */
export function boxesOf({ west, south, east, north }: Area): Box[] {
  if (west <= east) return [{ west, south, east, north }]
  return [
    { west, south, east: 180, north },
    { west: -180, south, east, north },
  ]
}

/** The area around a circle. */
export function areaAround({ latitude, longitude, metres }: Near): Area {
  const angle = metres / EARTH_RADIUS_METRES
  // A little more, so that rounding excludes nothing.
  const height = (metres / METRES_PER_DEGREE) * 1.000001 + 1e-6
  const [south, north] = [Math.max(-90, latitude - height), Math.min(90, latitude + height)]
  // The circle touches the meridians where they are closest together; one with a pole in it touches all of them.
  const sine = Math.sin(angle) / Math.cos((latitude * Math.PI) / 180)
  if (north === 90 || south === -90 || angle >= Math.PI / 2 || sine >= 1) return { west: -180, south, east: 180, north }
  const width = ((Math.asin(sine) * 180) / Math.PI) * 1.000001 + 1e-6
  if (width >= 180) return { west: -180, south, east: 180, north }
  return { west: normalized(longitude - width), south, east: normalized(longitude + width), north }
}

function normalized(longitude: number): number {
  return longitude < -180 ? longitude + 360 : longitude > 180 ? longitude - 360 : longitude
}

/** The condition that a photo is in the area. */
export function inArea({ west, south, east, north }: Area): Prisma.Sql {
  const within = Prisma.sql`latitude BETWEEN ${south}::numeric AND ${north}::numeric`
  if (west <= east) return Prisma.sql`${within} AND longitude BETWEEN ${west}::numeric AND ${east}::numeric`
  return Prisma.sql`${within} AND (longitude >= ${west}::numeric OR longitude <= ${east}::numeric)`
}

/** The condition that a photo is in the circle, by the distance on a sphere. */
export function isNear(near: Near): Prisma.Sql {
  const { latitude, longitude, metres } = near
  return Prisma.sql`${inArea(areaAround(near))} AND ${2 * EARTH_RADIUS_METRES}::float8 * asin(least(1, sqrt(
    sin(radians(latitude::float8 - ${latitude}::float8) / 2) ^ 2
    + cos(radians(${latitude}::float8)) * cos(radians(latitude::float8))
      * sin(radians(longitude::float8 - ${longitude}::float8) / 2) ^ 2))) <= ${metres}::float8`
}
