import { type QueryClient, queryOptions } from '@tanstack/react-query'
import { createBatchLoader } from '../lib/batch-loader.ts'
import { api, type Page } from './client.ts'
import {
  COUNT_LIMIT,
  COUNT_PAGE,
  countLimitOf,
  filterOf,
  keyOfList,
  listOfKey,
  PHOTO_INDEX,
  PHOTO_MAP,
  PHOTO_MONTHS,
  PHOTO_PAGES,
  PHOTOS_PER_PAGE,
  type PhotoList,
  pageKey,
  readSection,
} from './photo-lists.ts'
import type { Photo } from './types.ts'

/** The server's limit of ids in one request. */
export const IDS_PER_REQUEST = 100
/** The server's limit of photos on one page. */
const MAX_PAGE_LENGTH = 500
/** The gateway waits longer for a service than a user does before 'Service unavailable' is shown. */
const PHOTO_TIMEOUT_MS = 10_000

/** Reads the user's photos with these ids, also raw files of pairs, without those that do not exist. */
export async function readPhotosById(ids: readonly number[], timeoutMs = PHOTO_TIMEOUT_MS): Promise<Photo[]> {
  return api('get', '/api/photos', { query: { ids: ids.join(), raw: 'all' }, signal: AbortSignal.timeout(timeoutMs) })
}

/** Reads many photos, one request after another. */
export async function readManyPhotos(ids: readonly number[]): Promise<Photo[]> {
  const photos: Photo[] = []
  for (let at = 0; at < ids.length; at += IDS_PER_REQUEST)
    photos.push(...(await readPhotosById(ids.slice(at, at + IDS_PER_REQUEST))))
  return photos
}

/** Lists of orders need many single photos at once. */
const loadPhoto = createBatchLoader((ids) => readPhotosById(ids), { size: IDS_PER_REQUEST, idOf: ({ id }) => id })

/** One photo of the user by its id, also the raw file of a pair; null when there is none. */
export const photoQuery = (id: number) => queryOptions({ queryKey: ['photo', id], queryFn: () => loadPhoto(id) })

/** The photo at an index of the list, if its page is cached. */
export function photoAt(client: QueryClient, list: PhotoList, index: number): Photo | undefined {
  if (index < 0) return undefined
  const page = client.getQueryData<Page<Photo>>(pageKey(list, Math.floor(index / PHOTOS_PER_PAGE)))
  return page?.items[index % PHOTOS_PER_PAGE]
}

/** The index of a photo in the list; -1 when no cached page has it. */
export function indexOfPhoto(client: QueryClient, list: PhotoList, id: number): number {
  for (const [key, page] of client.getQueriesData<Page<Photo>>({ queryKey: [PHOTO_PAGES, keyOfList(list)] })) {
    const within = page?.items.findIndex((photo) => photo.id === id) ?? -1
    if (within >= 0) return Number(key[2]) * PHOTOS_PER_PAGE + within
  }
  return -1
}

/** The photos on the cached pages of the list. */
export function cachedPhotos(client: QueryClient, list: PhotoList): Photo[] {
  const pages = client.getQueriesData<Page<Photo>>({ queryKey: [PHOTO_PAGES, keyOfList(list)] })
  // Without the empty items of a page that was shortened.
  return pages.flatMap(([, page]) => page?.items ?? [])
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
  for (const [key, page] of client.getQueriesData<Page<Photo>>({ queryKey: [PHOTO_PAGES, keyOfList(list)] })) {
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
    const photos = (await readSection(list, { limit, skip: index })).items
    if (photos.length === 0) break
    for (const { id } of photos) ids.push(id)
    index += photos.length
  }
  return ids
}

/** True for a photo that may be in the list; whether it passes a filter only the server knows. */
function mayBeIn(list: PhotoList, photo: Photo): boolean {
  const { folder } = filterOf(list)
  return folder === undefined || folder === String(photo.folderId ?? 'none')
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
function cachedLists(client: QueryClient): CachedList[] {
  const lists = new Map<string, CachedList>()
  for (const query of client.getQueryCache().findAll({ queryKey: [PHOTO_PAGES] })) {
    const [, key, index] = query.queryKey as ReturnType<typeof pageKey>
    if (query.state.isInvalidated && !query.isActive()) client.removeQueries({ queryKey: query.queryKey, exact: true })
    else if (query.state.data) {
      const cached = lists.get(key) ?? { list: listOfKey(key), pages: new Map() }
      cached.pages.set(index, query.state.data as Page<Photo>)
      lists.set(key, cached)
    }
  }
  return [...lists.values()]
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
  for (const id of ids) {
    const found = fresh.find((photo) => photo.id === id) ?? null
    client.setQueryData(photoQuery(id).queryKey, (before) => (before === undefined ? undefined : found))
  }
  if (fresh.length < ids.length) client.invalidateQueries({ queryKey: [PHOTO_MONTHS] })
  client.invalidateQueries({ queryKey: ['folder-photos'] })
}

/** Reads what lists in view show of their photos again, and the others when they come into view. */
export async function refreshPhotoPages(client: QueryClient): Promise<void> {
  const keys = [PHOTO_PAGES, PHOTO_INDEX, PHOTO_MONTHS, PHOTO_MAP]
  await Promise.all(keys.map((key) => client.invalidateQueries({ queryKey: [key] })))
}

/** Reads again what is shown of these photos, which were changed, added or removed. */
export async function refreshPhotos(client: QueryClient, ids: ReadonlySet<number>): Promise<void> {
  await Promise.all([
    refreshPhotoPages(client),
    client.invalidateQueries({ queryKey: ['folder-photos'] }),
    client.invalidateQueries({ queryKey: ['photo'], predicate: ({ queryKey }) => ids.has(Number(queryKey[1])) }),
  ])
}
