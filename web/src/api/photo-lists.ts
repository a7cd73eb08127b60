import { hashKey, type QueryClient, queryOptions } from '@tanstack/react-query'
import { api, apiPage, type Page } from './client.ts'
import type { Photo, PhotoFilter } from './types.ts'

/**
 * A list of the user's photos on the server. It is part of query keys, which match objects by the fields they share: so
 * every field is always present, null where it filters nothing. Only the pages in view of a list are read.
 */
export type PhotoList = GalleryList | FolderPhotoList

/** By upload or by the date that a photo was taken; photos without a date come last. */
export type PhotoSort = 'newest' | 'oldest' | 'taken-newest' | 'taken-oldest'

interface Listing {
  sort: PhotoSort
  q: string | null
  location: string | null
  /** Only photos since then, ISO 8601. */
  from: string | null
  /** Only photos within 'west,south,east,north', in degrees. */
  area: string | null
  /** Only photos within a circle: 'latitude,longitude,metres'. */
  near: string | null
  /** Only photos of the flight with this id. */
  flight: string | null
}

/** A list that is filtered by nothing. */
export const NO_FILTER = { q: null, location: null, from: null, area: null, near: null, flight: null } as const

/** All photos of the user, filtered and sorted. */
export interface GalleryList extends Listing {
  kind: 'gallery'
  /** Only photos of this folder, or of none. */
  folder: number | 'none' | null
}

/** The photos of one folder, filtered and sorted. */
export interface FolderPhotoList extends Listing {
  kind: 'folder'
  folderId: number
}

/** All photos of one folder. */
export const folderPhotoList = (folderId: number): FolderPhotoList => ({
  kind: 'folder',
  folderId,
  sort: 'newest',
  ...NO_FILTER,
})

/** Equal for equal lists. */
export function keyOfList(list: PhotoList): string {
  return hashKey([list])
}

/** A multiple of every number of columns. */
export const PHOTOS_PER_PAGE = 48
/** How far the server counts the matches with a page of a search: further would make the page slow. */
const SEARCH_PAGE_LIMIT = 200
/** How far it counts the photos with a page of another list that it has to count. */
const LIST_PAGE_LIMIT = 1000
/** How far it counts a longer list when it is asked for nothing else. Jumps into a search reach that far. */
export const COUNT_LIMIT = 10_000
/** A page out of view is dropped after this time; the first page, which has the total, is kept longer. */
const HIDDEN_PAGE_GC_MS = 30_000

export const PHOTO_PAGES = 'photos'
export const pageKey = (list: PhotoList, index: number) => [PHOTO_PAGES, list, index] as const
/** The index of a page without photos, whose total is the count of a longer list: kept current like the pages. */
export const COUNT_PAGE = -1

/** The filters of a list, its folder included, as the operations about all its photos take them. */
export function filterOf(list: PhotoList): PhotoFilter {
  const { q, location, from, area, near, flight } = list
  const folder = list.kind === 'folder' ? list.folderId : list.folder
  const filters = { q, location, from, area, near, flight, folder: folder === null ? null : String(folder) }
  return Object.fromEntries(Object.entries(filters).filter(([, value]) => Boolean(value)))
}

/** The total of a page is exact up to here; one more stands for more. */
export function countLimitOf(list: PhotoList, index: number): number {
  if (index === COUNT_PAGE) return COUNT_LIMIT
  if (list.q !== null) return SEARCH_PAGE_LIMIT
  const isInFolder = list.kind === 'folder' || list.folder !== null
  const isByPosition = list.area !== null || list.near !== null || list.flight !== null
  const isCounted = !isByPosition && list.from === null && (list.location === null || !isInFolder)
  return isCounted ? Number.POSITIVE_INFINITY : LIST_PAGE_LIMIT
}

interface Section {
  limit: number
  skip?: number
  /** How far the server counts the list. */
  countTo?: number
}

/** The parameters of the request for a section of a list. */
export function sectionQuery(list: PhotoList, { limit, skip = 0, countTo = countLimitOf(list, 0) }: Section) {
  const { folder, ...filter } = filterOf(list)
  return {
    sort: list.sort,
    ...filter,
    // That of a folder's list is in the path.
    ...(list.kind === 'gallery' && folder !== undefined && { folder }),
    limit,
    ...(skip > 0 && { skip }),
    ...(Number.isFinite(countTo) && { countTo }),
  }
}

/** Reads a section of a list; `next` is its address, if the page before it is known. */
export function readSection(
  list: PhotoList,
  { next, signal, ...section }: Section & { next?: string | null; signal?: AbortSignal },
): Promise<Page<Photo>> {
  const input = { query: sectionQuery(list, section), next, signal }
  if (list.kind === 'gallery') return apiPage('/api/photos', input)
  return apiPage('/api/folders/{id}/photos', { path: { id: list.folderId }, ...input })
}

/** The page after a cached one is read by that page's link; a page that the scroll bar jumped to by its offset. */
function linkOf(client: QueryClient, list: PhotoList, index: number): string | null {
  const before = client.getQueryState<Page<Photo>>(pageKey(list, index - 1))
  return before?.isInvalidated ? null : (before?.data?.next ?? null)
}

/** One page of a list, with the total of the list. Live events keep it current. */
export const photoPageQuery = (list: PhotoList, index: number) =>
  queryOptions({
    queryKey: pageKey(list, index),
    queryFn: ({ client, signal }) => {
      const next = linkOf(client, list, index)
      return readSection(list, { limit: PHOTOS_PER_PAGE, skip: index * PHOTOS_PER_PAGE, next, signal })
    },
    ...(index > 0 && { gcTime: HIDDEN_PAGE_GC_MS }),
  })

/** The count of a list whose first page says that it is longer than the page tells. */
export const photoCountQuery = (list: PhotoList) =>
  queryOptions({
    queryKey: pageKey(list, COUNT_PAGE),
    queryFn: async ({ signal }): Promise<Page<Photo>> => {
      const { total } = await readSection(list, { limit: 1, countTo: COUNT_LIMIT, signal })
      return { items: [], total, next: null }
    },
  })

/** A search has no months: the server does not count them. */
export const hasMonths = (list: PhotoList): boolean => list.q === null

export const PHOTO_MONTHS = 'photo-months'
/** The key of what the map reads of a list. */
export const PHOTO_MAP = 'photo-map'

/** The months of a list in its order. Months of upload are those of this browser's time zone. */
export const photoMonthsQuery = (list: PhotoList) =>
  queryOptions({
    queryKey: [PHOTO_MONTHS, list],
    queryFn: ({ signal }) => {
      const { timeZone } = Intl.DateTimeFormat().resolvedOptions()
      return api('get', '/api/photos/months', { query: { ...filterOf(list), sort: list.sort, timeZone }, signal })
    },
  })
