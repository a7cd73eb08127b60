import { type Area, offset, type Position } from './mercator.ts'

/** A place and the ground around it. */
export interface Circle extends Position {
  /** The radius in metres. */
  metres: number
}

/** A decimetre, about. */
const DECIMALS = 6
const MAX_METRES = 100_000
const NUMBER = /^-?\d{1,6}(\.\d{1,15})?$/

/** The numbers of a text like '1.5,2'; null when there are others than `count`. */
function parseNumbers(text: string | null, count: number): number[] | null {
  const parts = (text ?? '').split(',')
  return parts.length === count && parts.every((part) => NUMBER.test(part)) ? parts.map(Number) : null
}

const isLatitude = (value: number) => Math.abs(value) <= 90
const isLongitude = (value: number) => Math.abs(value) <= 180

/** Reads 'west,south,east,north'; null when it is no area. */
export function parseArea(text: string | null): Area | null {
  const numbers = parseNumbers(text, 4)
  if (!numbers) return null
  const [west = 0, south = 0, east = 0, north = 0] = numbers
  const isArea = isLongitude(west) && isLongitude(east) && isLatitude(south) && isLatitude(north) && south <= north
  return isArea ? { west, south, east, north } : null
}

/** The area as the URL and the server have it, rounded outwards; empty without one. */
export function formatArea(area: Area | null): string {
  if (!area) return ''
  const factor = 10 ** DECIMALS
  // A decimal number may be a trace above or below itself.
  const down = (value: number) => Math.floor(value * factor + 1e-6) / factor
  const up = (value: number) => Math.ceil(value * factor - 1e-6) / factor
  return [down(area.west), down(area.south), up(area.east), up(area.north)].join()
}

/** Reads 'latitude,longitude,metres'; null when it is no circle. */
export function parseCircle(text: string | null): Circle | null {
  const numbers = parseNumbers(text, 3)
  if (!numbers) return null
  const [latitude = 0, longitude = 0, metres = 0] = numbers
  const isCircle = isLatitude(latitude) && isLongitude(longitude) && metres > 0 && metres <= MAX_METRES
  return isCircle ? { latitude, longitude, metres } : null
}

/** The circle as the URL and the server have it; empty without one. */
export function formatCircle(circle: Circle | null): string {
  if (!circle) return ''
  return [circle.latitude, circle.longitude]
    .map((value) => Number(value.toFixed(DECIMALS)))
    .concat(circle.metres)
    .join()
}

/** The area of a circle. */
export function areaAround(circle: Circle): Area {
  const [southWest, northEast] = [-circle.metres, circle.metres].map((metres) => offset(circle, metres, metres))
  return {
    west: southWest?.longitude ?? 0,
    south: southWest?.latitude ?? 0,
    east: northEast?.longitude ?? 0,
    north: northEast?.latitude ?? 0,
  }
}
