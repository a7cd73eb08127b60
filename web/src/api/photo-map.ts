import { queryOptions } from '@tanstack/react-query'
import { request } from '../lib/http.ts'
import type { paths as MediaPaths } from './generated/media.d.ts'
import { filterQueryOf, PHOTO_MAP, type PhotoList } from './photo-lists.ts'
import type { ResponseBody } from './types.ts'

/** A photo, or several at about the same place, on a tile of the map: x and y from 0 to 4095. */
export type MapPoint = ResponseBody<MediaPaths['/api/photos/map/{z}/{x}/{y}']['get']>['points'][number]
export type MapPhoto = MapPoint['photo']

/**
 * The area of a list's photos in degrees, null without a position, and the numbers of photos with and without one. `east` may be greater than
 * 180 where the area crosses the date line.
 */
export type MapExtent = ResponseBody<MediaPaths['/api/photos/map/extent']['get']>

/** The extent of a list's photos. Live events keep it current. */
export const mapExtentQuery = (list: PhotoList) =>
  queryOptions({
    queryKey: [PHOTO_MAP, list, 'extent'],
    queryFn: ({ signal }) => request<MapExtent>(`/api/photos/map/extent?${mapQueryOf(list)}`, { signal }),
  })

/** The points of a tile. */
export const mapTileQuery = (list: PhotoList, z: number, x: number, y: number) =>
  queryOptions({
    queryKey: [PHOTO_MAP, list, z, x, y],
    queryFn: async ({ signal }) => {
      const path = `/api/photos/map/${z}/${x}/${y}?${mapQueryOf(list)}`
      return (await request<{ points: MapPoint[] }>(path, { signal })).points
    },
  })

/** The filters of a list, which a map and files of positions have. They have no order. */
export function mapQueryOf(list: PhotoList): URLSearchParams {
  const query = filterQueryOf(list)
  query.delete('sort')
  return query
}
