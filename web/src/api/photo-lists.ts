import type { InfiniteData, QueryClient, QueryKey } from '@tanstack/react-query'
import { type Page, request } from '../lib/http.ts'
import { PHOTOS_PER_PAGE, photoPagesQuery } from './queries.ts'
import type { Photo } from './types.ts'

type Pages = InfiniteData<Page<Photo>, string>

/** The keys of all lists of the user's photos. */
export const PHOTO_LISTS: QueryKey[] = [photoPagesQuery.queryKey, ['folder-photos']]
/** As many as the server answers by id at once. */
const IDS_PER_REQUEST = 100

function isNewer(photo: Photo, than: Photo): boolean {
  if (photo.createdAt === than.createdAt) return photo.id > than.id
  return photo.createdAt > than.createdAt
}

/**
 * A list, the newest first, after some of its photos were read again: those among `ids` that `fresh` holds are replaced or
 * put in their place, those that it does not hold are gone. Photos that did not change stay the same objects.
 */
export function mergePhotos(list: Photo[], ids: readonly number[], fresh: readonly Photo[]): Photo[] {
  const read = new Map(fresh.map((photo) => [photo.id, photo]))
  const asked = new Set(ids)
  const merged: Photo[] = []
  for (const photo of list) {
    const now = asked.has(photo.id) ? read.get(photo.id) : photo
    if (now) merged.push(now)
    read.delete(photo.id)
  }
  for (const photo of read.values()) {
    const place = merged.findIndex((other) => isNewer(photo, other))
    merged.splice(place < 0 ? merged.length : place, 0, photo)
  }
  return merged
}

/** The same for a list that is read in pages: what belongs behind the pages that have been read comes with its own page. */
export function mergePages(data: Pages, ids: readonly number[], fresh: readonly Photo[]): Pages {
  const before = data.pages.flatMap((page) => page.items)
  const last = data.pages.at(-1)
  const end = last?.next ? before.at(-1) : undefined
  const within = end ? fresh.filter((photo) => photo.id === end.id || isNewer(photo, end)) : fresh
  return paginate(data, mergePhotos(before, ids, within))
}

/**
 * Cuts photos into pages. A reading of all pages follows the links from the first one on and needs only their number; the
 * next page follows the last one's link.
 */
function paginate(data: Pages, photos: Photo[]): Pages {
  const before = data.pages.reduce((sum, page) => sum + page.items.length, 0)
  const total = (data.pages[0]?.total ?? 0) + photos.length - before
  const next = data.pages.at(-1)?.next ?? null
  const count = Math.max(1, Math.ceil(photos.length / PHOTOS_PER_PAGE))
  return {
    pages: Array.from({ length: count }, (_, index) => ({
      items: photos.slice(index * PHOTOS_PER_PAGE, (index + 1) * PHOTOS_PER_PAGE),
      total,
      next,
    })),
    pageParams: Array.from({ length: count }, (_, index) => data.pageParams[index] ?? photoPagesQuery.initialPageParam),
  }
}

/** Shows the photos with these ids as `fresh` has them in every list that has been read. */
export function putPhotos(client: QueryClient, ids: readonly number[], fresh: readonly Photo[]): void {
  client.setQueryData<Pages>(photoPagesQuery.queryKey, (data) => data && mergePages(data, ids, fresh))
  for (const [queryKey, photos] of client.getQueriesData<Photo[]>({ queryKey: ['folder-photos'] })) {
    if (!photos) continue
    const inside = fresh.filter((photo) => photo.folderId === queryKey[1])
    client.setQueryData(queryKey, mergePhotos(photos, ids, inside))
  }
}

/** Reads these photos again, and nothing else, and shows them in every list. Photos that are not found are gone. */
export async function readPhotosAgain(client: QueryClient, ids: readonly number[]): Promise<void> {
  const lists = PHOTO_LISTS.flatMap((queryKey) => client.getQueryCache().findAll({ queryKey }))
  if (lists.every((query) => query.state.data === undefined && query.state.fetchStatus === 'idle')) return
  for (let start = 0; start < ids.length; start += IDS_PER_REQUEST) {
    const some = ids.slice(start, start + IDS_PER_REQUEST)
    const fresh = await request<Photo[]>(`/api/photos?ids=${some}`)
    // A reading of a whole list that began before would write its older state over this one.
    await Promise.allSettled(lists.filter((query) => query.state.fetchStatus !== 'idle').map((query) => query.promise))
    putPhotos(client, some, fresh)
  }
}
