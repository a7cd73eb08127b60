import { notifyManager, useQueries, useQuery, useQueryClient } from '@tanstack/react-query'
import { useCallback, useDeferredValue, useEffect, useRef, useState, useSyncExternalStore } from 'react'
import { indexOfPhoto, isCountNeeded, type ListLength, lengthOfList, photoAt } from '../../api/photo-cache.ts'
import {
  PHOTOS_PER_PAGE,
  type PhotoList,
  photoCountQuery,
  photoIndexQuery,
  photoMonthsQuery,
  photoPageQuery,
} from '../../api/photo-lists.ts'
import type { Photo } from '../../api/types.ts'
import type { Range } from './grid-layout.ts'
import type { MonthCount } from './photo-layout.ts'

/** While the user scrolls fast, nothing is read: only where the scrolling stops. */
const SETTLED_MS = 120

/** The length of a list, or the error. The first page is always kept current. */
export function usePhotoList(list: PhotoList) {
  const client = useQueryClient()
  const page = useQuery(photoPageQuery(list, 0))
  useQuery({ ...photoCountQuery(list), enabled: isCountNeeded(list, page.data) })
  const known = useSyncExternalStore(
    // Batched: the cache notifies while other components render.
    useCallback((changed) => client.getQueryCache().subscribe(notifyManager.batchCalls(changed)), [client]),
    // As text, so that equal lengths are identical.
    () => JSON.stringify(lengthOfList(client, list)),
  )
  const length: ListLength | undefined = known && page.data ? JSON.parse(known) : undefined
  return { total: length?.total, moreThan: length?.moreThan ?? null, error: page.error, refetch: page.refetch }
}

/** Reads the pages of a list that contain these indexes, and returns the photo of each index if it is loaded. */
export function usePhotoPages(list: PhotoList, range: Range) {
  const { first, last } = useSettledRange(range)
  const start = Math.floor(first / PHOTOS_PER_PAGE)
  const count = Math.max(0, Math.floor(last / PHOTOS_PER_PAGE) - start + 1)
  const read = useQueries({
    queries: Array.from({ length: count }, (_, index) => photoPageQuery(list, start + index)),
    combine: (results) => ({
      // By number: the library compares with the result before, in which the same place of an array is another page.
      pages: Object.fromEntries(results.map(({ data }, index) => [start + index, data?.items])),
      error: results.find(({ data, error }) => error && !data)?.error ?? null,
      failed: results.filter(({ isError }) => isError),
    }),
  })
  // A new page fills many cards at once: deferred until the browser has time.
  const pages = useDeferredValue(read.pages)
  return {
    photoAt: (index: number): Photo | undefined =>
      pages[Math.floor(index / PHOTOS_PER_PAGE)]?.[index % PHOTOS_PER_PAGE],
    error: read.error,
    retry: () => {
      for (const page of read.failed) page.refetch()
    },
  }
}

/** Follows small moves immediately; after a jump, once scrolling stops. */
function useSettledRange({ first, last }: Range): Range {
  const [settled, setSettled] = useState({ first, last })
  const near = Math.abs(first - settled.first) <= PHOTOS_PER_PAGE
  if (near && (first !== settled.first || last !== settled.last)) setSettled({ first, last })
  useEffect(() => {
    if (near) return
    const timer = setTimeout(() => setSettled({ first, last }), SETTLED_MS)
    return () => clearTimeout(timer)
  }, [first, last, near])
  return near ? { first, last } : settled
}

/** Where a photo is among those of a list. */
interface PlaceInList {
  index: number
  /** The number of photos that it is one of. */
  of: number
  /** The index of the photo after it. */
  next: number
  /** The photo, if the list has it. */
  photo?: Photo
}

/**
 * The place of the open photo in a list of `total` photos, which reads the pages of its neighbours; null before it is known. A photo
 * that the list does not have, since it was renamed or moved, is between those that would be beside it.
 */
export function usePlaceInList(list: PhotoList, total: number, id: number | null): PlaceInList | null {
  const client = useQueryClient()
  const listed = id === null ? -1 : indexOfPhoto(client, list, id)
  const isListed = listed >= 0
  const found = useQuery({ ...photoIndexQuery(list, id ?? 0), enabled: id !== null && !isListed })
  // Until it is found, a photo that has left the list is where it was.
  const last = useRef({ id, index: -1 })
  const before = last.current.id === id ? last.current.index : -1
  const index = isListed ? listed : ((found.isFetching ? null : found.data?.index) ?? before)
  last.current = { id, index }
  const within = (neighbour: number) => Math.min(Math.max(neighbour, 0), Math.max(total - 1, 0))
  usePhotoPages(list, { first: within(index - 1), last: within(index + 1) })
  if (isListed) return { index, of: total, next: index + 1, photo: photoAt(client, list, index) }
  // The page may have the photo.
  const isRead = [index - 1, index].some((neighbour) => photoAt(client, list, neighbour) !== undefined)
  return isRead ? { index, of: total + 1, next: index } : null
}

/** The months of a list, null where it has none; not ready before they are known, so that the list does not shift. */
export function useMonths(list: PhotoList): { months: MonthCount[] | null; isReady: boolean } {
  const { data, isError } = useQuery(photoMonthsQuery(list))
  return { months: data?.months ?? null, isReady: data !== undefined || isError }
}
