import { notifyManager, useQueries, useQuery, useQueryClient } from '@tanstack/react-query'
import { useCallback, useDeferredValue, useEffect, useState, useSyncExternalStore } from 'react'
import { lengthOfList, PHOTOS_PER_PAGE, type PhotoList, photoPageQuery } from '../../api/photo-lists.ts'
import type { Photo } from '../../api/types.ts'

/** While places fly past, nothing is read: only where they come to rest. */
const SETTLED_MS = 120

/** First and last place, both included. */
interface IndexRange {
  first: number
  last: number
}

/** What a list says of itself: its length, or why it is not known. The first page is always kept true. */
export function usePhotoList(list: PhotoList) {
  const client = useQueryClient()
  const page = useQuery(photoPageQuery(list, 0))
  // As one number, so that it is the same as long as it means the same; negative: there are more.
  const length = useSyncExternalStore(
    // Not at once: the cache speaks while other components render.
    useCallback((changed) => client.getQueryCache().subscribe(notifyManager.batchCalls(changed)), [client]),
    () => {
      const known = lengthOfList(client, list)
      return known && (known.more ? -known.total : known.total)
    },
  )
  const known = length !== undefined && page.data !== undefined
  return {
    total: known ? Math.abs(length) : undefined,
    more: known && length < 0,
    error: page.error,
    refetch: page.refetch,
  }
}

/** Reads the pages of a list that hold these places, and answers the photo of each place as far as it has been read. */
export function usePhotoPages(list: PhotoList, places: IndexRange) {
  const { first, last } = useSettledRange(places)
  const start = Math.floor(first / PHOTOS_PER_PAGE)
  const count = Math.max(0, Math.floor(last / PHOTOS_PER_PAGE) - start + 1)
  const read = useQueries({
    queries: Array.from({ length: count }, (_, index) => photoPageQuery(list, start + index)),
    combine: (results) => ({
      pages: results.map(({ data }, index) => ({ index: start + index, items: data?.items })),
      error: results.find(({ data, error }) => error && !data)?.error ?? null,
      failed: results.filter(({ isError }) => isError),
    }),
  })
  // A page that arrives fills many cards at once: as the browser finds time.
  const pages = useDeferredValue(read.pages)
  return {
    photoAt: (place: number): Photo | undefined =>
      pages.find(({ index }) => index === Math.floor(place / PHOTOS_PER_PAGE))?.items?.[place % PHOTOS_PER_PAGE],
    error: read.error,
    retry: () => {
      for (const page of read.failed) page.refetch()
    },
  }
}

/** Follows at once as long as the places move by little; after a jump, once they rest. */
function useSettledRange({ first, last }: IndexRange): IndexRange {
  const [settled, setSettled] = useState<IndexRange>({ first, last })
  const near = Math.abs(first - settled.first) <= PHOTOS_PER_PAGE
  if (near && (first !== settled.first || last !== settled.last)) setSettled({ first, last })
  useEffect(() => {
    if (near) return
    const timer = setTimeout(() => setSettled({ first, last }), SETTLED_MS)
    return () => clearTimeout(timer)
  }, [first, last, near])
  return near ? { first, last } : settled
}
