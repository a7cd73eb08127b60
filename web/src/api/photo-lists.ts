import { type QueryClient, queryOptions } from '@tanstack/react-query'
import { type Page, request, requestPage } from '../lib/http.ts'
import type { Photo } from './types.ts'

/**
 * A list of the user's photos on the server: its address without paging, such as `/api/photos?sort=oldest` or
 * `/api/folders/7/photos`. Of a list only the pages in view are read, whatever its length.
 */
export type PhotoList = string

/** The photos of one folder of the user. */
export const folderList = (folderId: number): PhotoList => `/api/folders/${folderId}/photos`

/** Divides by every number of columns. */
export const PHOTOS_PER_PAGE = 48
/** The server says one more than this where there are more, unless it keeps count of the list. */
const COUNTED = 1000
/** As many as the server answers by id at once. */
const IDS_PER_REQUEST = 100
/** As many as the server gives on one page. */
const LONGEST_PAGE = 500
/** A page that was scrolled out of view is dropped after this long; the first one, which knows the total, stays longer. */
const KEPT_MS = 30_000

export const PHOTO_PAGES = 'photos'
const pageKey = (list: PhotoList, index: number) => [PHOTO_PAGES, list, index] as const

/** The address of a part of a list. */
export function partOf(list: PhotoList, limit: number, skip: number): string {
  return `${list}${list.includes('?') ? '&' : '?'}limit=${limit}${skip > 0 ? `&skip=${skip}` : ''}`
}

/** Behind a page that holds the page's link leads on; a page that the scroll bar jumped to is counted from the start. */
function pagePath(client: QueryClient, list: PhotoList, index: number): string {
  const before = client.getQueryState<Page<Photo>>(pageKey(list, index - 1))
  if (before?.data?.next && !before.isInvalidated) return before.data.next
  return partOf(list, PHOTOS_PER_PAGE, index * PHOTOS_PER_PAGE)
}

/** One page of a list; its total is the list's. The live events keep it true. */
export const photoPageQuery = (list: PhotoList, index: number) =>
  queryOptions({
    queryKey: pageKey(list, index),
    queryFn: ({ client, signal }) => requestPage<Photo>(pagePath(client, list, index), { signal }),
    ...(index > 0 && { gcTime: KEPT_MS }),
  })

/** A service that does not answer for so long is said to be away; the gateway would wait longer. */
const PATIENCE_MS = 10_000

/** One photo of the user by its id; null when there is none. */
export const photoQuery = (id: number) =>
  queryOptions({
    queryKey: ['photo', id],
    queryFn: async ({ signal }) => {
      const patient = AbortSignal.any([signal, AbortSignal.timeout(PATIENCE_MS)])
      return (await request<Photo[]>(`/api/photos?ids=${id}`, { signal: patient }))[0] ?? null
    },
  })

/** The photo at a place of the list, if its page has been read. */
export function photoAt(client: QueryClient, list: PhotoList, place: number): Photo | undefined {
  if (place < 0) return undefined
  const page = client.getQueryData<Page<Photo>>(pageKey(list, Math.floor(place / PHOTOS_PER_PAGE)))
  return page?.items[place % PHOTOS_PER_PAGE]
}

/** The place of a photo among the pages that have been read; -1 when it is on none. */
export function placeOf(client: QueryClient, list: PhotoList, id: number): number {
  for (const [key, page] of client.getQueriesData<Page<Photo>>({ queryKey: [PHOTO_PAGES, list] })) {
    const within = page?.items.findIndex((photo) => photo.id === id) ?? -1
    if (within >= 0) return Number(key[2]) * PHOTOS_PER_PAGE + within
  }
  return -1
}

/** How long a list is; `more`: at least so long, its end is not known yet. */
export interface ListLength {
  total: number
  more: boolean
}

/**
 * The length of a list, undefined before it is known. The server counts what a search or a date lets through only up to
 * a limit: of a longer list the end is known once it has been read, and until then there is always a page ahead.
 */
export function lengthOf(client: QueryClient, list: PhotoList): ListLength | undefined {
  const total = client.getQueryData<Page<Photo>>(pageKey(list, 0))?.total
  if (total === undefined) return undefined
  if (total <= COUNTED || !/[?&](q|from)=/.test(list)) return { total, more: false }
  let [index, end] = [0, null as number | null]
  for (const [key, page] of client.getQueriesData<Page<Photo>>({ queryKey: [PHOTO_PAGES, list] })) {
    const at = Number(key[2])
    if (!page || at < index) continue
    index = at
    end = page.next === null ? at * PHOTOS_PER_PAGE + page.items.length : null
  }
  if (end !== null) return { total: end, more: false }
  return { total: Math.max(total, (index + 2) * PHOTOS_PER_PAGE), more: true }
}

/** The ids of the photos from one place to another, both included; what has not been read yet is asked for. */
export async function idsBetween(client: QueryClient, list: PhotoList, from: number, to: number): Promise<number[]> {
  const ids: number[] = []
  for (let place = from; place <= to; ) {
    const photo = photoAt(client, list, place)
    if (photo) {
      ids.push(photo.id)
      place += 1
      continue
    }
    const limit = Math.min(LONGEST_PAGE, to - place + 1)
    const photos = await request<Photo[]>(partOf(list, limit, place))
    if (photos.length === 0) break
    for (const { id } of photos) ids.push(id)
    place += photos.length
  }
  return ids
}

/** True for a photo that may stand in the list; whether a filter lets it through only the server knows. */
function belongs(list: PhotoList, photo: Photo): boolean {
  const folder = /^\/api\/folders\/(\d+)\//.exec(list)
  return !folder || photo.folderId === Number(folder[1])
}

/**
 * Pages of one list after some of its photos were read again: `fresh` takes the place of what it holds, and what is
 * gone lets the photos behind it move up. A place whose photo is on no page that has been read stays empty.
 */
export function putOnPages(
  pages: ReadonlyMap<number, Page<Photo>>,
  ids: readonly number[],
  fresh: readonly Photo[],
): Map<number, Page<Photo>> {
  const asked = new Set(ids)
  const read = new Map(fresh.map((photo) => [photo.id, photo]))
  const put = new Map<number, (Photo | undefined)[]>()
  let gone = 0
  for (const [index, page] of [...pages].sort(([a], [b]) => a - b)) {
    for (const [within, photo] of page.items.entries()) {
      // A page that was cut before has empty places.
      const now = photo && asked.has(photo.id) ? read.get(photo.id) : photo
      if (photo && !now) gone += 1
      if (!now) continue
      const place = index * PHOTOS_PER_PAGE + within - gone
      const target = Math.floor(place / PHOTOS_PER_PAGE)
      const items = put.get(target) ?? []
      items[place % PHOTOS_PER_PAGE] = now
      put.set(target, items)
    }
  }
  return new Map(
    [...pages].map(([index, page]) => {
      const items = (put.get(index) ?? []) as Photo[]
      const same = items.length === page.items.length && items.every((photo, within) => photo === page.items[within])
      return [index, same && gone === 0 ? page : { ...page, items, total: Math.max(0, page.total - gone) }]
    }),
  )
}

/** The pages that are kept, by list. What is out of view and out of date goes: it is read when it is needed. */
function readPages(client: QueryClient): Map<PhotoList, Map<number, Page<Photo>>> {
  const lists = new Map<PhotoList, Map<number, Page<Photo>>>()
  for (const query of client.getQueryCache().findAll({ queryKey: [PHOTO_PAGES] })) {
    const [, list, index] = query.queryKey as ReturnType<typeof pageKey>
    if (query.state.isInvalidated && !query.isActive()) client.removeQueries({ queryKey: query.queryKey, exact: true })
    else if (query.state.data) {
      const pages = lists.get(list) ?? new Map()
      lists.set(list, pages.set(index, query.state.data as Page<Photo>))
    }
  }
  return lists
}

/** The photos of a whole folder after some were read again; new ones come at the end: the rankings sort by themselves. */
function putInFolder(photos: Photo[], folderId: number, ids: readonly number[], fresh: readonly Photo[]): Photo[] {
  const asked = new Set(ids)
  const inside = new Map(fresh.filter((photo) => photo.folderId === folderId).map((photo) => [photo.id, photo]))
  const kept = photos.filter((photo) => !asked.has(photo.id) || inside.has(photo.id))
  const known = new Set(kept.map(({ id }) => id))
  const added = [...inside.values()].filter(({ id }) => !known.has(id))
  return [...kept.map((photo) => inside.get(photo.id) ?? photo), ...added]
}

function isReadAlone(client: QueryClient, id: number): boolean {
  return client.getQueryData(photoQuery(id).queryKey) !== undefined
}

/** Shows the photos with these ids as `fresh` has them in every list that has been read; the others of the ids are gone. */
export function putPhotos(client: QueryClient, ids: readonly number[], fresh: readonly Photo[]): void {
  for (const [list, pages] of readPages(client)) {
    const inside = fresh.filter((photo) => belongs(list, photo))
    for (const [index, page] of putOnPages(pages, ids, inside)) {
      if (page !== pages.get(index)) client.setQueryData<Page<Photo>>(pageKey(list, index), page)
    }
  }
  for (const [queryKey, photos] of client.getQueriesData<Photo[]>({ queryKey: ['folder-photos'] })) {
    if (photos) client.setQueryData(queryKey, putInFolder(photos, Number(queryKey[1]), ids, fresh))
  }
  for (const id of ids.filter((id) => isReadAlone(client, id))) {
    client.setQueryData(photoQuery(id).queryKey, fresh.find((photo) => photo.id === id) ?? null)
  }
}

/** Reads the pages in view again; the others when they come into view. */
export function readListsAgain(client: QueryClient): Promise<void> {
  return client.invalidateQueries({ queryKey: [PHOTO_PAGES] })
}

/** What a search or a filter looks at. */
const words = (photo: Photo) => JSON.stringify([photo.title, photo.description, photo.city, photo.state])

/**
 * Shows what has become of these photos. A few that are in view are read again by id; when photos have come or gone, or
 * filters may see them differently, the pages in view are read again, whatever the number of pages and photos.
 */
export async function readPhotosAgain(client: QueryClient, ids: readonly number[]): Promise<void> {
  const whole = client.getQueryCache().findAll({ queryKey: ['folder-photos'] })
  const shown = new Map<number, Photo>()
  for (const pages of readPages(client).values()) {
    for (const page of pages.values()) for (const photo of page.items) if (photo) shown.set(photo.id, photo)
  }
  if (ids.length > IDS_PER_REQUEST) {
    await Promise.all([readListsAgain(client), client.invalidateQueries({ queryKey: ['folder-photos'] })])
    return
  }
  const wanted = whole.length > 0 ? ids : ids.filter((id) => shown.has(id) || isReadAlone(client, id))
  let moved = ids.some((id) => !shown.has(id))
  if (wanted.length > 0) {
    const fresh = await request<Photo[]>(`/api/photos?ids=${wanted}`)
    const pages = client.getQueryCache().findAll({ queryKey: [PHOTO_PAGES] })
    // A reading of a whole list that began before would write its older state over this one.
    const running = [...whole, ...pages].filter((query) => query.state.fetchStatus !== 'idle')
    await Promise.allSettled(running.map((query) => query.promise))
    putPhotos(client, wanted, fresh)
    const found = new Map(fresh.map((photo) => [photo.id, photo]))
    moved ||= wanted.some((id) => {
      const [before, now] = [shown.get(id), found.get(id)]
      return before && (!now || words(before) !== words(now) || before.folderId !== now.folderId)
    })
  }
  if (moved) await readListsAgain(client)
}
