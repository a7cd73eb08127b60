import { infiniteQueryOptions, queryOptions } from '@tanstack/react-query'
import { hasStatus } from '../lib/http.ts'
import { api, apiResponse, FIRST_PAGE, type Page, pageOf } from './client.ts'
import { readFirst } from './photo-lists.ts'
import type { BulkResult, Flight, Photo, PhotoFilter } from './types.ts'

const FLIGHTS_PER_PAGE = 48
/** Photos are grouped some seconds after they have changed: until then the flights are read again. */
const PENDING_POLL_MS = 3_000

export interface FlightPage extends Page<Flight> {
  /** Photos are still to be grouped. */
  isPending: boolean
}

/** The user's flights, newest first. */
export const flightsQuery = infiniteQueryOptions({
  queryKey: ['flights'],
  queryFn: async ({ signal, pageParam }): Promise<FlightPage> => {
    const input = { query: { limit: FLIGHTS_PER_PAGE }, next: pageParam, signal }
    const { body, headers } = await apiResponse('get', '/api/flights', input)
    return { ...pageOf(body, headers), isPending: isPending(headers) }
  },
  initialPageParam: FIRST_PAGE,
  getNextPageParam: ({ next }) => next,
  refetchInterval: ({ state }) => (state.data?.pages[0]?.isPending ? PENDING_POLL_MS : false),
})

/** One flight with its track, by its id or a former one. */
export const flightQuery = (id: number) =>
  queryOptions({
    queryKey: ['flight', id],
    queryFn: async ({ signal }) => {
      const { body, headers } = await apiResponse('get', '/api/flights/{id}', { path: { id }, signal })
      return { flight: body, isPending: isPending(headers) }
    },
    refetchInterval: ({ state }) => {
      if (hasStatus(state.error, 404)) return false
      return state.data?.isPending ? PENDING_POLL_MS : false
    },
  })

function isPending(headers: Headers): boolean {
  return headers.get('x-flights-pending') === 'true'
}

/** The photos of a flight, and those of its days without a position, which are in no flight: of each the first 2,500. */
export async function readPhotosAround({ id, startedAt, endedAt }: Flight): Promise<Photo[]> {
  const days = { takenFrom: startedAt.slice(0, 10), takenTo: endedAt.slice(0, 10) }
  return [...(await readFlightPhotos(id)), ...(await readPhotos({ ...days, position: 'none' }))]
}

/** The first 2,500 photos of a flight. */
export function readFlightPhotos(id: number, signal?: AbortSignal): Promise<Photo[]> {
  return readPhotos({ flight: String(id) }, signal)
}

function readPhotos(filter: PhotoFilter, signal?: AbortSignal): Promise<Photo[]> {
  return readFirst({ folderId: null, sort: 'taken-oldest', filter }, signal)
}

/** The number of photos of a flight that are in no folder. */
export async function countWithoutFolder(flightId: number): Promise<number> {
  const filter = { flight: String(flightId), folder: 'none' }
  const { count } = await api('post', '/api/photos/count', { body: { filter } })
  return count
}

/** Moves all photos of a flight into a folder. The result of a large flight may name photos for which there was no time. */
export function moveFlight(flightId: number, folderId: number): Promise<BulkResult> {
  const filter = { flight: String(flightId) }
  return api('post', '/api/photos/bulk', { body: { filter, action: 'move', folderId } })
}

/** The formats of tracks as files, as users know them. */
export const TRACK_FORMATS = [
  { format: 'gpx', label: 'GPX', hint: 'Navigation devices and most maps' },
  { format: 'kml', label: 'KML', hint: 'Google Earth' },
  { format: 'geojson', label: 'GeoJSON', hint: 'Geographic information systems' },
] as const

/** The address of a file with the positions of the photos that match. Without a name the server chooses one. */
export function trackPath(
  format: (typeof TRACK_FORMATS)[number]['format'],
  filter: PhotoFilter,
  name: string | null,
): string {
  return `/api/photos/track?${new URLSearchParams({ format, ...filter, ...(name !== null && { name }) })}`
}
