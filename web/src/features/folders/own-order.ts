import { queryOptions, useMutation, useQueryClient } from '@tanstack/react-query'
import { api, FIRST_PAGE } from '../../api/client.ts'
import { refreshPhotoPages } from '../../api/photo-cache.ts'
import { readSection } from '../../api/photo-lists.ts'
import type { Photo } from '../../api/types.ts'
import { toastFailure } from '../../components/ui/toast.tsx'
import { byDateTaken, byUpload, moved } from './arranging.ts'

/** The server arranges so many photos of a folder. */
export const MAX_ARRANGED = 5000
const PHOTOS_PER_REQUEST = 500

/** All photos of a folder in its owner's order; none when there are too many, of which only the number is told. */
export const ownOrderQuery = (folderId: number) =>
  queryOptions({
    queryKey: ['own-order', folderId],
    queryFn: async ({ signal }) => {
      const list = { folderId, sort: 'own', filter: {} } as const
      const photos: Photo[] = []
      let next = FIRST_PAGE
      let total: number
      do {
        const page = await readSection(list, { limit: PHOTOS_PER_REQUEST, next, signal })
        photos.push(...page.items)
        ;({ total, next } = page)
      } while (next !== null && total <= MAX_ARRANGED)
      return { total, photos: total <= MAX_ARRANGED ? photos : [] }
    },
    gcTime: 0,
  })

/** One photo moves before another one (null: to the end), or all get an order to begin with. */
export type Arrangement = { id: number; before: number | null } | { start: 'taken' | 'uploaded' }

/** Saves each change at once, one after another, and shows it before. A change that failed is taken back, with Retry in the toast. */
export function useArrange(folderId: number) {
  const client = useQueryClient()
  const { queryKey } = ownOrderQuery(folderId)
  const change = (arrange: (photos: Photo[]) => Photo[]) =>
    client.setQueryData(queryKey, (order) => order && { ...order, photos: arrange(order.photos) })
  const mutation = useMutation({
    scope: { id: `order-of-folder-${folderId}` },
    mutationFn: ({ arrangement, photos }: Change) => save(folderId, arrangement, photos),
    onSuccess: () => void refreshPhotoPages(client),
    onError: (error, { arrangement, photos }) => {
      // Other changes may have followed: only this one is taken back.
      change((now) => ('start' in arrangement ? photos : moveBack(now, photos, arrangement.id)))
      toastFailure('Failed to save the order', error, () => arrange(arrangement))
    },
  })

  function arrange(arrangement: Arrangement): void {
    const photos = client.getQueryData(queryKey)?.photos
    if (!photos) return
    change((now) => arranged(now, arrangement))
    mutation.mutate({ arrangement, photos })
  }

  return arrange
}

interface Change {
  arrangement: Arrangement
  /** The order before. */
  photos: Photo[]
}

function save(folderId: number, arrangement: Arrangement, photos: Photo[]) {
  const path = { id: folderId }
  if ('id' in arrangement) {
    return api('put', '/api/folders/{id}/order', {
      path,
      body: { ids: [arrangement.id], before: arrangement.before },
    })
  }
  // Photos without a position are in the order of their upload.
  const ids = arrangement.start === 'taken' ? arranged(photos, arrangement).map(({ id }) => id) : []
  return api('put', '/api/folders/{id}/order', { path, body: { ids } })
}

function arranged(photos: readonly Photo[], arrangement: Arrangement): Photo[] {
  if ('start' in arrangement) return arrangement.start === 'taken' ? byDateTaken(photos) : byUpload(photos)
  return movedBefore(photos, arrangement.id, arrangement.before)
}

export function movedBefore<T extends { id: number }>(photos: readonly T[], id: number, before: number | null): T[] {
  const from = photos.findIndex((photo) => photo.id === id)
  if (from === -1) return [...photos]
  const target = photos.findIndex((photo) => photo.id === before)
  const gap = target === -1 ? photos.length : target
  return moved(photos, from, gap > from ? gap - 1 : gap)
}

/** Before the photo that followed it. */
function moveBack(photos: readonly Photo[], before: readonly Photo[], id: number): Photo[] {
  const follower = before[before.findIndex((photo) => photo.id === id) + 1]
  return movedBefore(photos, id, follower?.id ?? null)
}
