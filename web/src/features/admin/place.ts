import { geocode, type Position } from '../../api/print-orders.ts'

const COORDINATES = /^(-?\d{1,2}(?:\.\d+)?)\s*[,\s]\s*(-?\d{1,3}(?:\.\d+)?)$/

/** Coordinates in a text such as '46.84, -91.99'; null for other texts. */
export function parseCoordinates(text: string): Position | null {
  const [, latitude, longitude] = COORDINATES.exec(text.trim()) ?? []
  if (latitude === undefined || longitude === undefined) return null
  return Math.abs(Number(latitude)) <= 90 && Math.abs(Number(longitude)) <= 180 ? { latitude, longitude } : null
}

/** The position of coordinates, a ZIP code, a city or a state. */
export async function findPosition(place: string): Promise<Position> {
  const coordinates = parseCoordinates(place)
  if (coordinates) return coordinates
  const { latitude, longitude } = await geocode(place)
  return { latitude, longitude }
}
