import { useQueries, useQuery, useQueryClient } from '@tanstack/react-query'
import { useCallback, useEffect, useState, useSyncExternalStore } from 'react'
import { lengthOf, PHOTOS_PER_PAGE, type PhotoList, photoPageQuery } from '../../api/photo-lists.ts'
import type { Photo } from '../../api/types.ts'

/** While places fly past, nothing is read: only where they come to rest. */
const SETTLED_MS = 120

/** First and last place, both included. */
interface Places {
  first: number
  last: number
}

/** What a list says of itself: its length, or why it is not known. The first page is always kept true. */
export function usePhotoList(list: PhotoList) {
  const client = useQueryClient()
  const page = useQuery(photoPageQuery(list, 0))
  // As one number, so that it is the same as long as it means the same; negative: there are more.
  const length = useSyncExternalStore(
    useCallback((changed) => client.getQueryCache().subscribe(changed), [client]),
    () => {
      const known = lengthOf(client, list)
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
export function usePhotos(list: PhotoList, places: Places) {
  const { first, last } = useSettled(places)
  const start = Math.floor(first / PHOTOS_PER_PAGE)
  const count = Math.max(0, Math.floor(last / PHOTOS_PER_PAGE) - start + 1)
  const pages = useQueries({
    queries: Array.from({ length: count }, (_, index) => photoPageQuery(list, start + index)),
  })
  const failed = pages.find((page) => page.isError && !page.data)
  return {
    photoAt: (place: number): Photo | undefined =>
      pages[Math.floor(place / PHOTOS_PER_PAGE) - start]?.data?.items[place % PHOTOS_PER_PAGE],
    error: failed?.error ?? null,
    retry: () => {
      for (const page of pages) if (page.isError) page.refetch()
    },
  }
}

/** Follows at once as long as the places move by little; after a jump, once they rest. */
function useSettled({ first, last }: Places): Places {
  const [settled, setSettled] = useState<Places>({ first, last })
  const near = Math.abs(first - settled.first) <= PHOTOS_PER_PAGE
  if (near && (first !== settled.first || last !== settled.last)) setSettled({ first, last })
  useEffect(() => {
    if (near) return
    const timer = setTimeout(() => setSettled({ first, last }), SETTLED_MS)
    return () => clearTimeout(timer)
  }, [first, last, near])
  return near ? { first, last } : settled
}
