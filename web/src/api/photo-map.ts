import { queryOptions } from '@tanstack/react-query'
import { type Answer, api } from './client.ts'
import { filterOf, keyOfList, PHOTO_MAP, type PhotoList } from './photo-lists.ts'

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
