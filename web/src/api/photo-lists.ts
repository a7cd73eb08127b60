import { hashKey, type QueryClient, queryOptions } from '@tanstack/react-query'
import { api, apiPage, type Page } from './client.ts'
import type { Photo, PhotoFilter } from './types.ts'

/** By upload or by the date that a photo was taken; photos without a date come last. */
export type PhotoSort = 'newest' | 'oldest' | 'taken-newest' | 'taken-oldest'
/** Only the photos of a folder are also in their owner's order. */
export type ListSort = PhotoSort | 'own'

/** A list of the user's photos on the server. Only its pages in view are read. */
export interface PhotoList {
  /** The list of a folder, whoever owns it; null: all photos of the user. */
  folderId: number | null
  sort: ListSort
  /** The filters in use, as the server takes them. */
  filter: PhotoFilter
}

/** All photos of one folder. */
export const folderPhotoList = (folderId: number): PhotoList => ({ folderId, sort: 'newest', filter: {} })

/** Equal for equal lists. Query keys have it, not the list: they would match every list with more filters, too. */
export function keyOfList(list: PhotoList): string {
  return hashKey([list])
}

/** The list of a key. */
export function listOfKey(key: string): PhotoList {
  const [list] = JSON.parse(key)
  return list
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
export const pageKey = (list: PhotoList, index: number) => [PHOTO_PAGES, keyOfList(list), index] as const
/** The index of a page without photos, whose total is the count of a longer list: kept current like the pages. */
export const COUNT_PAGE = -1

/** The filters of a list, its folder included, as the operations about all its photos take them. */
export function filterOf({ folderId, filter }: PhotoList): PhotoFilter {
  return folderId === null ? filter : { ...filter, folder: String(folderId) }
}

/** The total of a page is exact up to here; one more stands for more. */
export function countLimitOf({ folderId, filter }: PhotoList, index: number): number {
  if (index === COUNT_PAGE) return COUNT_LIMIT
  const { q, location, camera, folder, ...others } = filter
  if (q !== undefined) return SEARCH_PAGE_LIMIT
  const used = [folderId ?? folder, location, camera].filter((value) => value !== undefined)
  const isCounted = Object.keys(others).length === 0 && used.length <= 1
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
  const paging = { limit, ...(skip > 0 && { skip }), ...(Number.isFinite(countTo) && { countTo }) }
  return { sort: list.sort, ...list.filter, ...paging }
}

/** Reads a section of a list; `next` is its address, if the page before it is known. */
export function readSection(
  list: PhotoList,
  { next, signal, ...section }: Section & { next?: string | null; signal?: AbortSignal },
): Promise<Page<Photo>> {
  const input = { query: sectionQuery(list, section), next, signal }
  if (list.folderId === null) return apiPage('/api/photos', input)
  return apiPage('/api/folders/{id}/photos', { path: { id: list.folderId }, ...input })
}

/** So many photos `readFirst` reads at most. */
export const MOST_READ = 2500
/** The server's limit of photos in one page. */
const PHOTOS_AT_ONCE = 500

/** The first photos of a list with all that they have, in pages: its total may not be exact, but a page that is not full is the last. */
export async function readFirst(list: PhotoList, signal?: AbortSignal): Promise<Photo[]> {
  const photos: Photo[] = []
  for (let read = 0; read < MOST_READ && photos.length === read; read += PHOTOS_AT_ONCE) {
    photos.push(...(await readSection(list, { limit: PHOTOS_AT_ONCE, skip: read, signal })).items)
  }
  return photos
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

export const PHOTO_INDEX = 'photo-index'

/** Where a list has a photo that is on none of its cached pages, or would have it: one that was renamed may match a search no longer. */
export const photoIndexQuery = (list: PhotoList, id: number) =>
  queryOptions({
    queryKey: [PHOTO_INDEX, keyOfList(list), id],
    queryFn: ({ signal }) =>
      api('get', '/api/photos/{id}/index', { path: { id }, query: { ...filterOf(list), sort: list.sort }, signal }),
    staleTime: 0,
  })

export const PHOTO_MONTHS = 'photo-months'
/** The key of what the map reads of a list. */
export const PHOTO_MAP = 'photo-map'

/** The months of a list in its order. Months of upload are those of this browser's time zone. */
export const photoMonthsQuery = (list: PhotoList) =>
  queryOptions({
    queryKey: [PHOTO_MONTHS, keyOfList(list)],
    queryFn: ({ signal }) => {
      const { timeZone } = Intl.DateTimeFormat().resolvedOptions()
      return api('get', '/api/photos/months', { query: { ...filterOf(list), sort: list.sort, timeZone }, signal })
    },
  })
