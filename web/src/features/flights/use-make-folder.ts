import { type QueryClient, useMutation, useQueryClient } from '@tanstack/react-query'
import { useRef } from 'react'
import { useNavigate } from 'react-router-dom'
import { moveFlight } from '../../api/flights.ts'
import { createFolder, deleteFolder } from '../../api/folders.ts'
import { refreshPhotoPages } from '../../api/photo-cache.ts'
import { invalidateFolders } from '../../api/photo-changes.ts'
import type { Flight, Folder } from '../../api/types.ts'
import { toast } from '../../components/ui/toast.tsx'
import { countOf } from '../../lib/format.ts'
import { errorMessage } from '../../lib/http.ts'

interface Wish {
  name: string
  /** No photo of the flight is in a folder, so that deleting the new one brings everything back. */
  canUndo: boolean
}

/**
 * Makes a folder of a flight's photos and opens it. A repeated attempt goes on with the folder that the first one made. The
 * toast offers Undo where no photo has left another folder.
 */
export function useMakeFolder(flight: Flight, onMade: () => void) {
  const client = useQueryClient()
  const navigate = useNavigate()
  const made = useRef<Folder | null>(null)
  return useMutation({
    mutationFn: async ({ name }: Wish) => {
      made.current ??= await createFolder(client, { name, description: null })
      const folder = made.current
      let { failed } = await moveFlight(flight.id, folder.id)
      // A flight that is too large for one request.
      if (failed.length > 0) failed = (await moveFlight(flight.id, folder.id)).failed
      return { folder, left: failed.length }
    },
    onSuccess: ({ folder, left }, { canUndo }) => {
      onMade()
      navigate(`/folders/${folder.id}`)
      if (left > 0) {
        toast({ title: `${countOf(left, 'photo')} could not be moved`, description: folder.name, tone: 'danger' })
        return
      }
      const undo = {
        label: 'Undo',
        onSelect: () => void undoFolder(client, folder, () => navigate(`/flights/${flight.id}`)),
      }
      toast({ title: 'Folder created', description: folder.name, ...(canUndo && { action: undo }) })
    },
    // A folder that was created stays after an error.
    onSettled: () => refreshAll(client),
  })
}

/** Leaves the folder's page first: it would read a folder that is gone. */
async function undoFolder(client: QueryClient, folder: Folder, leave: () => void): Promise<void> {
  leave()
  try {
    await deleteFolder(folder.id)
    toast({ title: 'Folder removed', description: 'Its photos are in no folder again.' })
  } catch (error) {
    const retry = { label: 'Retry', onSelect: () => void undoFolder(client, folder, leave) }
    toast({ title: 'Failed to remove the folder', description: errorMessage(error), tone: 'danger', action: retry })
  } finally {
    refreshAll(client)
  }
}

function refreshAll(client: QueryClient): void {
  refreshPhotoPages(client)
  invalidateFolders(client)
  client.invalidateQueries({ queryKey: ['folder-photos'] })
}
