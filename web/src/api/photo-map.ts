import { type QueryClient, queryOptions } from '@tanstack/react-query'
import { type Area, formatArea } from '../lib/geography.ts'
import { type Answer, api } from './client.ts'
import { filterOf, keyOfList, PHOTO_MAP, type PhotoList, readFirst } from './photo-lists.ts'

/** A photo, or several at about the same place, on a tile of the map: x and y from 0 to 4095. */
export type MapPoint = Answer<'get', '/api/photos/map/{z}/{x}/{y}'>['points'][number]
export type MapPhoto = MapPoint['photo']

/**
 * The area of a list's photos in degrees, null without a position, and the numbers of photos with and without one. `east` may be greater than
 * 180 where the area crosses the date line.
 */
export type MapExtent = Answer<'get', '/api/photos/map/extent'>

/** The extent of a list's photos. Live events keep it current. */
export const mapExtentQuery = (list: PhotoList) =>
  queryOptions({
    queryKey: [PHOTO_MAP, keyOfList(list), 'extent'],
    queryFn: ({ signal }) => api('get', '/api/photos/map/extent', { query: filterOf(list), signal }),
  })

/** The points of a tile. */
export const mapTileQuery = (list: PhotoList, z: number, x: number, y: number) =>
  queryOptions({
    queryKey: [PHOTO_MAP, keyOfList(list), z, x, y],
    queryFn: async ({ signal }) => {
      const input = { path: { z, x, y }, query: filterOf(list), signal }
      return (await api('get', '/api/photos/map/{z}/{x}/{y}', input)).points
    },
  })

/** Areas out of the window. */
const GROUND_GC_MS = 30_000

/**
 * The photos of a list that were taken in an area, with their metadata: the newest of many. Those of a list that has an area are the
 * same for all areas. Each answer is kept for a while, until photos change.
 */
export const readGround = (client: QueryClient, list: PhotoList) => ({
  read(around: Area) {
    const filter = { area: formatArea(around), ...filterOf(list) }
    return client.fetchQuery({
      queryKey: [PHOTO_MAP, keyOfList(list), 'ground', filter.area],
      queryFn: ({ signal }) => readFirst({ folderId: null, sort: 'taken-newest', filter }, signal),
      staleTime: Number.POSITIVE_INFINITY,
      gcTime: GROUND_GC_MS,
    })
  },
})

/** A photo with the one with a position that was taken last before it. */
export type PlacedBefore = Answer<'post', '/api/photos/placed-before'>[number]

/** The server's limit of ids in one request. */
export const MAX_PLACED_BEFORE = 500

/** For each of these photos the one with a position that was taken last before it, if that was within some minutes. */
export const placedBeforeQuery = (ids: readonly number[]) =>
  queryOptions({
    queryKey: [PHOTO_MAP, 'placed-before', ids.join()],
    queryFn: ({ signal }) => api('post', '/api/photos/placed-before', { body: { ids: [...ids] }, signal }),
  })
