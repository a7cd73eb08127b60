import { hashKey, type QueryClient, queryOptions } from '@tanstack/react-query'
import { createBatchLoader } from '../lib/batch-loader.ts'
import { type Page, request, requestPage } from '../lib/http.ts'
import type { Photo, PhotoMonths } from './types.ts'

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
const COUNT_LIMIT = 10_000
/** The server's limit of ids in one request. */
const IDS_PER_REQUEST = 100
/** The server's limit of photos on one page. */
const MAX_PAGE_LENGTH = 500
/** A page out of view is dropped after this time; the first page, which has the total, is kept longer. */
const HIDDEN_PAGE_GC_MS = 30_000
/** The gateway waits longer for a service than a user does before 'Service unavailable' is shown. */
const PHOTO_TIMEOUT_MS = 10_000

export const PHOTO_PAGES = 'photos'
const pageKey = (list: PhotoList, index: number) => [PHOTO_PAGES, list, index] as const
/** The index of a page without photos, whose total is the count of a longer list: kept current like the pages. */
const COUNT_PAGE = -1

/** The address of a section of a list. */
export function pathOf(list: PhotoList, limit: number, skip: number, countTo = countLimitOf(list, 0)): string {
  const paging = `limit=${limit}${skip > 0 ? `&skip=${skip}` : ''}`
  const path = list.kind === 'folder' ? `/api/folders/${list.folderId}/photos` : '/api/photos'
  return `${path}?${queryOf(list)}&${paging}${Number.isFinite(countTo) ? `&countTo=${countTo}` : ''}`
}

/** Order and filters of a list as parameters of its address. */
function queryOf(list: PhotoList): URLSearchParams {
  const { sort, q, location, from, area, near, flight } = list
  const folder = list.kind === 'gallery' && list.folder !== null ? String(list.folder) : null
  const filters = { q, location, from, area, near, flight, folder }
  const used = Object.entries(filters).filter((filter): filter is [string, string] => Boolean(filter[1]))
  return new URLSearchParams([['sort', sort], ...used])
}

/** The filters of a list, its folder included, as parameters of the addresses that tell about all its photos. */
export function filterQueryOf(list: PhotoList): URLSearchParams {
  const query = queryOf(list)
  if (list.kind === 'folder') query.set('folder', String(list.folderId))
  return query
}

/** The total of a page is exact up to here; one more stands for more. */
function countLimitOf(list: PhotoList, index: number): number {
  if (index === COUNT_PAGE) return COUNT_LIMIT
  if (list.q !== null) return SEARCH_PAGE_LIMIT
  const isInFolder = list.kind === 'folder' || list.folder !== null
  const isByPosition = list.area !== null || list.near !== null || list.flight !== null
  const isCounted = !isByPosition && list.from === null && (list.location === null || !isInFolder)
  return isCounted ? Number.POSITIVE_INFINITY : LIST_PAGE_LIMIT
}

/** The page after a cached one is read by that page's link; a page that the scroll bar jumped to by its offset. */
function pagePath(client: QueryClient, list: PhotoList, index: number): string {
  const before = client.getQueryState<Page<Photo>>(pageKey(list, index - 1))
  if (before?.data?.next && !before.isInvalidated) return before.data.next
  return pathOf(list, PHOTOS_PER_PAGE, index * PHOTOS_PER_PAGE)
}

/** One page of a list, with the total of the list. Live events keep it current. */
export const photoPageQuery = (list: PhotoList, index: number) =>
  queryOptions({
    queryKey: pageKey(list, index),
    queryFn: ({ client, signal }) => requestPage<Photo>(pagePath(client, list, index), { signal }),
    ...(index > 0 && { gcTime: HIDDEN_PAGE_GC_MS }),
  })

/** The count of a list whose first page says that it is longer than the page tells. */
export const photoCountQuery = (list: PhotoList) =>
  queryOptions({
    queryKey: pageKey(list, COUNT_PAGE),
    queryFn: async ({ signal }): Promise<Page<Photo>> => {
      const { total } = await requestPage<Photo>(pathOf(list, 1, 0, COUNT_LIMIT), { signal })
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
      const query = filterQueryOf(list)
      query.set('timeZone', Intl.DateTimeFormat().resolvedOptions().timeZone)
      return request<PhotoMonths>(`/api/photos/months?${query}`, { signal })
    },
  })

/** Lists of orders need many single photos at once. */
const loadPhoto = createBatchLoader(
  (ids) => request<Photo[]>(`/api/photos?ids=${ids}`, { signal: AbortSignal.timeout(PHOTO_TIMEOUT_MS) }),
  { size: IDS_PER_REQUEST, idOf: ({ id }) => id },
)

/** One photo of the user by its id; null when there is none. */
export const photoQuery = (id: number) => queryOptions({ queryKey: ['photo', id], queryFn: () => loadPhoto(id) })

/** The photo at an index of the list, if its page is cached. */
export function photoAt(client: QueryClient, list: PhotoList, index: number): Photo | undefined {
  if (index < 0) return undefined
  const page = client.getQueryData<Page<Photo>>(pageKey(list, Math.floor(index / PHOTOS_PER_PAGE)))
  return page?.items[index % PHOTOS_PER_PAGE]
}

/** The index of a photo in the list; -1 when no cached page has it. */
export function indexOfPhoto(client: QueryClient, list: PhotoList, id: number): number {
  for (const [key, page] of client.getQueriesData<Page<Photo>>({ queryKey: [PHOTO_PAGES, list] })) {
    const within = page?.items.findIndex((photo) => photo.id === id) ?? -1
    if (within >= 0) return Number(key[2]) * PHOTOS_PER_PAGE + within
  }
  return -1
}

/** The length of a list. `moreThan`: it is longer than this, and the end is not known yet. */
export interface ListLength {
  total: number
  moreThan: number | null
}

/**
 * The length of a list, undefined before it is known. The server counts the matches of a search or a date filter only up
 * to a limit. The end of a longer list is known once its last page was read; until then there is always one more page.
 */
export function lengthOfList(client: QueryClient, list: PhotoList): ListLength | undefined {
  const first = client.getQueryData<Page<Photo>>(pageKey(list, 0))?.total
  if (first === undefined) return undefined
  if (first <= countLimitOf(list, 0)) return { total: first, moreThan: null }
  const counted = client.getQueryData<Page<Photo>>(pageKey(list, COUNT_PAGE))?.total
  if (counted !== undefined && counted <= COUNT_LIMIT) return { total: counted, moreThan: null }
  let [index, end] = [0, null as number | null]
  for (const [key, page] of client.getQueriesData<Page<Photo>>({ queryKey: [PHOTO_PAGES, list] })) {
    const at = Number(key[2])
    if (!page || at < index) continue
    index = at
    end = page.next === null ? at * PHOTOS_PER_PAGE + page.items.length : null
  }
  if (end !== null) return { total: end, moreThan: null }
  const total = Math.max(counted ?? first, (index + 2) * PHOTOS_PER_PAGE)
  return { total, moreThan: countLimitOf(list, counted === undefined ? 0 : COUNT_PAGE) }
}

/** Whether the list is longer than its first page tells. */
export function isCountNeeded(list: PhotoList, firstPage: Page<Photo> | undefined): boolean {
  return firstPage !== undefined && firstPage.total > countLimitOf(list, 0)
}

/** The ids of the photos from one index to another, both included. Requests what is not cached. */
export async function photoIdsBetween(
  client: QueryClient,
  list: PhotoList,
  from: number,
  to: number,
): Promise<number[]> {
  const ids: number[] = []
  for (let index = from; index <= to; ) {
    const photo = photoAt(client, list, index)
    if (photo) {
      ids.push(photo.id)
      index += 1
      continue
    }
    const limit = Math.min(MAX_PAGE_LENGTH, to - index + 1)
    const photos = await request<Photo[]>(pathOf(list, limit, index))
    if (photos.length === 0) break
    for (const { id } of photos) ids.push(id)
    index += photos.length
  }
  return ids
}

/** True for a photo that may be in the list; whether it passes a filter only the server knows. */
function mayBeIn(list: PhotoList, photo: Photo): boolean {
  const folder = list.kind === 'folder' ? list.folderId : list.folder
  return folder === null || photo.folderId === (folder === 'none' ? null : folder)
}

/**
 * The pages of one list after some of its photos were read again: `fresh` replaces the cached photos, and photos after a
 * missing one move up. An index whose photo is on no cached page stays empty.
 */
export function updatePages(
  pages: ReadonlyMap<number, Page<Photo>>,
  ids: readonly number[],
  fresh: readonly Photo[],
): Map<number, Page<Photo>> {
  const requested = new Set(ids)
  const freshById = new Map(fresh.map((photo) => [photo.id, photo]))
  const moved = new Map<number, (Photo | undefined)[]>()
  let removed = 0
  for (const [index, page] of [...pages].sort(([a], [b]) => a - b)) {
    for (const [within, photo] of page.items.entries()) {
      // A page that was shortened before has empty items.
      const now = photo && requested.has(photo.id) ? freshById.get(photo.id) : photo
      if (photo && !now) removed += 1
      if (!now) continue
      const listIndex = index * PHOTOS_PER_PAGE + within - removed
      const target = Math.floor(listIndex / PHOTOS_PER_PAGE)
      const items = moved.get(target) ?? []
      items[listIndex % PHOTOS_PER_PAGE] = now
      moved.set(target, items)
    }
  }
  return new Map(
    [...pages].map(([index, page]) => {
      const items = (moved.get(index) ?? []) as Photo[]
      const same = items.length === page.items.length && items.every((photo, within) => photo === page.items[within])
      return [index, same && removed === 0 ? page : { ...page, items, total: Math.max(0, page.total - removed) }]
    }),
  )
}

interface CachedList {
  list: PhotoList
  pages: Map<number, Page<Photo>>
}

/** The cached lists. Drops pages that are invalidated and not in view: they are read when they are needed. */
function cachedLists(client: QueryClient): Iterable<CachedList> {
  const lists = new Map<string, CachedList>()
  for (const query of client.getQueryCache().findAll({ queryKey: [PHOTO_PAGES] })) {
    const [, list, index] = query.queryKey as ReturnType<typeof pageKey>
    if (query.state.isInvalidated && !query.isActive()) client.removeQueries({ queryKey: query.queryKey, exact: true })
    else if (query.state.data) {
      const key = keyOfList(list)
      const cached = lists.get(key) ?? { list, pages: new Map() }
      cached.pages.set(index, query.state.data as Page<Photo>)
      lists.set(key, cached)
    }
  }
  return lists.values()
}

/** The photos of a whole folder after some were read again. New ones are appended: the rankings sort by themselves. */
function updateFolderPhotos(
  photos: Photo[],
  folderId: number,
  ids: readonly number[],
  fresh: readonly Photo[],
): Photo[] {
  const requested = new Set(ids)
  const inside = new Map(fresh.filter((photo) => photo.folderId === folderId).map((photo) => [photo.id, photo]))
  const kept = photos.filter((photo) => !requested.has(photo.id) || inside.has(photo.id))
  const known = new Set(kept.map(({ id }) => id))
  const added = [...inside.values()].filter(({ id }) => !known.has(id))
  return [...kept.map((photo) => inside.get(photo.id) ?? photo), ...added]
}

function isCachedAlone(client: QueryClient, id: number): boolean {
  return client.getQueryData(photoQuery(id).queryKey) !== undefined
}

/** Updates the photos with these ids in every cached list: `fresh` replaces them, ids without a fresh photo are removed. */
export function updateCachedPhotos(client: QueryClient, ids: readonly number[], fresh: readonly Photo[]): void {
  for (const { list, pages } of cachedLists(client)) {
    const inside = fresh.filter((photo) => mayBeIn(list, photo))
    for (const [index, page] of updatePages(pages, ids, inside)) {
      const before = pages.get(index)
      if (!before || page === before) continue
      // A total that stands for more does so without the removed photos too.
      const total = before.total > countLimitOf(list, index) ? before.total : page.total
      client.setQueryData<Page<Photo>>(pageKey(list, index), { ...page, total })
    }
  }
  for (const [queryKey, photos] of client.getQueriesData<Photo[]>({ queryKey: ['folder-photos'] })) {
    if (photos) client.setQueryData(queryKey, updateFolderPhotos(photos, Number(queryKey[1]), ids, fresh))
  }
  if (fresh.length < ids.length) client.invalidateQueries({ queryKey: [PHOTO_MONTHS] })
  for (const id of ids.filter((id) => isCachedAlone(client, id))) {
    client.setQueryData(photoQuery(id).queryKey, fresh.find((photo) => photo.id === id) ?? null)
  }
}

/** Reads the pages in view, their months and the map again, and the others when they come into view. */
export async function refreshPhotoPages(client: QueryClient): Promise<void> {
  await Promise.all([PHOTO_PAGES, PHOTO_MONTHS, PHOTO_MAP].map((key) => client.invalidateQueries({ queryKey: [key] })))
}

/** The fields that searches, filters and orders look at. */
const searchedText = ({ title, description, city, state, dateTaken, latitude, longitude }: Photo) =>
  JSON.stringify([title, description, city, state, dateTaken, latitude, longitude])

/**
 * Brings the state of these photos up to date. A few that are in view are read by id. If photos were added or removed, or
 * filters may match them differently, the pages in view are read again, whatever the number of pages and photos.
 */
export async function refreshPhotos(client: QueryClient, ids: readonly number[]): Promise<void> {
  const whole = client.getQueryCache().findAll({ queryKey: ['folder-photos'] })
  const shown = new Map<number, Photo>()
  for (const { pages } of cachedLists(client)) {
    for (const page of pages.values()) for (const photo of page.items) if (photo) shown.set(photo.id, photo)
  }
  if (ids.length > IDS_PER_REQUEST) {
    await Promise.all([refreshPhotoPages(client), client.invalidateQueries({ queryKey: ['folder-photos'] })])
    return
  }
  const needed = whole.length > 0 ? ids : ids.filter((id) => shown.has(id) || isCachedAlone(client, id))
  let moved = ids.some((id) => !shown.has(id))
  if (needed.length > 0) {
    const fresh = await request<Photo[]>(`/api/photos?ids=${needed}`)
    const pages = client.getQueryCache().findAll({ queryKey: [PHOTO_PAGES] })
    // A request for a whole list that started earlier would overwrite this state with an older one.
    const running = [...whole, ...pages].filter((query) => query.state.fetchStatus !== 'idle')
    await Promise.allSettled(running.map((query) => query.promise))
    updateCachedPhotos(client, needed, fresh)
    const found = new Map(fresh.map((photo) => [photo.id, photo]))
    moved ||= needed.some((id) => {
      const [before, now] = [shown.get(id), found.get(id)]
      return before && (!now || searchedText(before) !== searchedText(now) || before.folderId !== now.folderId)
    })
  }
  if (moved) await refreshPhotoPages(client)
}
