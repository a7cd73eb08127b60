import { queryOptions } from '@tanstack/react-query'
import { request } from '../lib/http.ts'
import { filterQueryOf, PHOTO_MAP, type PhotoList } from './photo-lists.ts'

/** A photo, or several at about the same place, on a tile of the map. */
export interface MapPoint {
  /** The mean place of the photos within the tile, 0 to 4095; y grows to the south. */
  x: number
  y: number
  count: number
  /** One of them. */
  photo: MapPhoto
}

export interface MapPhoto {
  id: number
  title: string
  thumbnailUrl: string | null
  smallUrl?: string | null
  thumbhash: string | null
  /** Degrees clockwise from north; null when it is not known. */
  yaw: number | null
}

/** The area of photos, in degrees; `east` may be greater than 180 where it crosses the date line. Null without a position. */
export interface MapExtent {
  west: number | null
  south: number | null
  east: number | null
  north: number | null
  /** The photos with a position, and those without. */
  count: number
  without: number
}

/** The extent of a list's photos. Live events keep it current. */
export const mapExtentQuery = (list: PhotoList) =>
  queryOptions({
    queryKey: [PHOTO_MAP, list, 'extent'],
    queryFn: ({ signal }) => request<MapExtent>(`/api/photos/map/extent?${filterQueryOf(list)}`, { signal }),
  })

/** The points of a tile. */
export const mapTileQuery = (list: PhotoList, z: number, x: number, y: number) =>
  queryOptions({
    queryKey: [PHOTO_MAP, list, z, x, y],
    queryFn: async ({ signal }) => {
      const path = `/api/photos/map/${z}/${x}/${y}?${filterQueryOf(list)}`
      return (await request<{ points: MapPoint[] }>(path, { signal })).points
    },
  })
