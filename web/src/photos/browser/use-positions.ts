import { type QueryClient, useMutation, useQueryClient } from '@tanstack/react-query'
import { photoQuery, refreshPhotoPages } from '../../api/photo-cache.ts'
import { correctPhoto } from '../../api/photo-changes.ts'
import type { Photo } from '../../api/types.ts'
import { toast } from '../../components/ui/toast.tsx'
import { countOf } from '../../lib/format.ts'
import { errorMessage } from '../../lib/http.ts'
import { type Position, positionOf, wrap } from '../../map/mercator.ts'
import type { PlacedPoint } from '../../map/points.ts'
import type { useBulkChange } from './use-bulk-change.ts'
import type { useSelection } from './use-selection.ts'

/** Decimals of degrees: a centimetre. */
const DECIMALS = 7
/** Positions of more photos are not read before they are replaced: the change is asked for instead of undone. */
const MAX_UNDONE = 50

interface Placed {
  id: number
  /** Null: the photo has no position. */
  to: Position | null
}

/**
 * Sets positions of the user's photos on the map. A photo that is dragged takes the other selected ones along, each by the
 * same way; a pin puts all selected photos at one place.
 */
export function usePositions(selected: ReturnType<typeof useSelection>, bulk: ReturnType<typeof useBulkChange>) {
  const client = useQueryClient()

  const restore = useMutation({
    mutationFn: (before: Placed[]) => placeAll(client, before),
    onSuccess: () => toast({ title: 'Undone' }),
    onError: (error, before) => failed(error, () => restore.mutate(before)),
  })

  const place = useMutation({
    mutationFn: async (photos: Placed[]) => {
      const before = await Promise.all(photos.map(({ id }) => client.fetchQuery(photoQuery(id))))
      await placeAll(client, photos)
      return before.flatMap((photo) => (photo ? [{ id: photo.id, to: positionOf(photo) }] : []))
    },
    onSuccess: (before) =>
      toast({
        title: before.length === 1 ? 'Position set' : 'Positions set',
        description: `${countOf(before.length, 'photo')} ${before.length === 1 ? 'has' : 'have'} a new position`,
        action: { label: 'Undo', onSelect: () => restore.mutate(before) },
      }),
    onError: (error, photos) => failed(error, () => place.mutate(photos)),
  })

  /** The markers are where the photos are. */
  function failed(error: unknown, retry: () => void): void {
    refreshPhotoPages(client)
    toast({
      title: 'The position could not be set',
      description: errorMessage(error),
      tone: 'danger',
      action: { label: 'Retry', onSelect: retry },
    })
  }

  return {
    move({ photo, position }: PlacedPoint, to: Position): void {
      if (!selected.active || !selected.has(photo.id) || selected.count === 1) {
        place.mutate([{ id: photo.id, to }])
        return
      }
      const way = { latitude: to.latitude - position.latitude, longitude: wrap(to.longitude - position.longitude) }
      const back = { latitude: -way.latitude, longitude: -way.longitude }
      bulk.run({ action: 'position', moveBy: way }, null, (done) =>
        bulk.undo(done, { action: 'position', moveBy: back }),
      )
    },
    /** Puts all selected photos at one place. */
    placeSelected({ latitude, longitude }: Position): void {
      const { kind, ids } = selected.selection
      if (kind === 'some' && ids.size <= MAX_UNDONE) {
        place.mutate([...ids].map((id) => ({ id, to: { latitude, longitude } })))
      } else bulk.askFirst({ action: 'position', latitude, longitude })
    },
  }
}

/** Sets the positions of photos, one after the other; null takes a position away. */
async function placeAll(client: QueryClient, photos: readonly Placed[]): Promise<void> {
  for (const { id, to } of photos) await correctPhoto(client, id, degreesOf(to))
}

function degreesOf(to: Position | null): Pick<Photo, 'latitude' | 'longitude'> {
  if (!to) return { latitude: null, longitude: null }
  return { latitude: to.latitude.toFixed(DECIMALS), longitude: wrap(to.longitude).toFixed(DECIMALS) }
}
