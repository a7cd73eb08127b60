import type { Coordinates } from '../lib/coordinates.ts'
import { api } from './client.ts'
import type { GeocodedPlace } from './types.ts'

/** The server answers within 10 s. */
const TIMEOUT_MS = 20_000

/** The position of a ZIP code, a city or a state. */
export function geocode(query: string): Promise<GeocodedPlace> {
  return api('post', '/api/geocode', { body: { query }, signal: AbortSignal.timeout(TIMEOUT_MS) })
}

/** The place at a position. */
export function reverseGeocode({ latitude, longitude }: Coordinates): Promise<GeocodedPlace> {
  const body = { query: `${latitude}, ${longitude}`, reverse: true }
  return api('post', '/api/geocode', { body, signal: AbortSignal.timeout(TIMEOUT_MS) })
}
