import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { refreshPhotoPages } from '../../api/photo-cache.ts'
import { type PlacedPhotos, type Placement, setPositions } from '../../api/photo-changes.ts'
import { toast, toastFailure } from '../../components/ui/toast.tsx'
import { bulkTexts } from './bulk-changes.ts'
import { BULK_CHANGE } from './selection.ts'

const TEXTS = { action: 'position' } as const

interface Placing {
  positions: readonly Placement[]
  /** Gets those that are placed; once more after a retry of those that an error has left. */
  onPlaced?: (ids: number[]) => void
  /** What is said then; absent: that they have a new position. */
  message?: { title: string; description?: string }
  /** What was placed of them before an error. */
  before?: Pick<PlacedPhotos, 'count' | 'undo'>
}

/** Gives photos their positions, says so, and takes it back by Undo. */
export function usePlacing() {
  const client = useQueryClient()
  const [done, setDone] = useState(0)
  const placing = useMutation({
    mutationKey: BULK_CHANGE,
    mutationFn: ({ positions }: Placing) => {
      setDone(0)
      return setPositions(client, positions, setDone)
    },
    onSuccess(placed, { positions: all, onPlaced, message, before }) {
      onPlaced?.(all.slice(0, all.length - (placed.left?.positions.length ?? 0)).map(({ id }) => id))
      const count = placed.count + (before?.count ?? 0)
      async function undo(): Promise<void> {
        await placed.undo()
        await before?.undo()
      }
      if (placed.left) {
        const { positions, error } = placed.left
        const { failed } = bulkTexts(TEXTS, positions.length)
        return void toastFailure(failed, error, () =>
          placing.mutate({ positions, onPlaced, message, before: { count, undo } }),
        )
      }
      const { title, done } = bulkTexts(TEXTS, count)
      const action = { label: 'Undo', onSelect: () => undoing.mutate(undo) }
      toast({ ...(message ?? { title, description: done }), action })
    },
    onError: (error, failed) => {
      refreshPhotoPages(client) // The markers are where the photos are.
      toastFailure(bulkTexts(TEXTS).error, error, () => placing.mutate(failed))
    },
  })
  const undoing = useMutation({
    mutationFn: (undo: () => Promise<void>) => undo(),
    onSuccess: () => toast({ title: 'Undone' }),
    onError: (error, undo) => toastFailure(bulkTexts(TEXTS).error, error, () => undoing.mutate(undo)),
  })
  return {
    place: placing.mutate,
    /** The photos that are being placed, and how many of them are; null: none. */
    running: placing.isPending ? { count: placing.variables.positions.length, done } : null,
  }
}
