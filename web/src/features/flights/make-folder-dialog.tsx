import { type QueryClient, useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { type FormEvent, useId, useRef, useState } from 'react'
import { useNavigate } from 'react-router-dom'
import { api } from '../../api/client.ts'
import { countWithoutFolder, moveFlight } from '../../api/flights.ts'
import { createFolder } from '../../api/folders.ts'
import { refreshPhotoPages } from '../../api/photo-cache.ts'
import { invalidateFolders } from '../../api/photo-changes.ts'
import type { Flight, Folder } from '../../api/types.ts'
import { Button } from '../../components/ui/button.tsx'
import { Dialog } from '../../components/ui/dialog.tsx'
import { Field, Input } from '../../components/ui/field.tsx'
import { toast, toastFailure } from '../../components/ui/toast.tsx'
import { countOf } from '../../lib/format.ts'
import { errorMessage, isRetryable } from '../../lib/http.ts'
import { FOLDER_NAME_LENGTH, folderNameOf } from './flight-texts.ts'

/** Makes a private folder of a flight; its name is proposed. */
export function MakeFolderDialog({ flight, onClose }: { flight: Flight; onClose: () => void }) {
  const formId = useId()
  const [name, setName] = useState(() => folderNameOf(flight))
  const [isMissing, setMissing] = useState(false)
  const { data: withoutFolder } = useQuery({
    queryKey: ['flight-without-folder', flight.id],
    queryFn: () => countWithoutFolder(flight.id),
    gcTime: 0,
  })
  const inFolders = withoutFolder === undefined ? undefined : flight.photoCount - withoutFolder
  const make = useMakeFolder(flight, onClose)
  const error = isMissing ? 'Folder name is required' : make.error ? errorMessage(make.error) : undefined

  function submit(event: FormEvent): void {
    event.preventDefault()
    if (make.isPending) return
    setMissing(name.trim() === '')
    if (name.trim() !== '') make.mutate({ name: name.trim(), canUndo: inFolders === 0 })
  }

  return (
    <Dialog
      open
      onOpenChange={(open) => !open && !make.isPending && onClose()}
      title="Make a folder"
      description={`${countOf(flight.photoCount, 'photo')} of this flight ${flight.photoCount === 1 ? 'moves' : 'move'} into a new folder. It is private until you make it public.`}
      footer={
        <>
          <Button onClick={onClose} disabled={make.isPending}>
            Cancel
          </Button>
          <Button variant="primary" type="submit" form={formId} busy={make.isPending}>
            {make.error && isRetryable(make.error) ? 'Retry' : 'Make folder'}
          </Button>
        </>
      }
    >
      <form id={formId} onSubmit={submit} noValidate className="grid gap-3">
        <Field label="Name" error={error}>
          {(control) => (
            <Input
              {...control}
              data-autofocus
              autoComplete="off"
              maxLength={FOLDER_NAME_LENGTH}
              value={name}
              onChange={(event) => setName(event.target.value)}
            />
          )}
        </Field>
        {Boolean(inFolders) && (
          <p role="status" className="text-sm text-muted">
            {`${countOf(inFolders ?? 0, 'photo')} of them ${inFolders === 1 ? 'is' : 'are'} in another folder now and will leave it.`}
          </p>
        )}
      </form>
    </Dialog>
  )
}

/**
 * Makes a folder of a flight's photos and opens it. A repeated attempt goes on with the folder that the first one made. The
 * toast offers Undo (`canUndo`) where no photo has left another folder: deleting the new one then brings everything back.
 */
function useMakeFolder(flight: Flight, onMade: () => void) {
  const client = useQueryClient()
  const navigate = useNavigate()
  const made = useRef<Folder | null>(null)
  return useMutation({
    mutationFn: async ({ name }: { name: string; canUndo: boolean }) => {
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
      const undo = () => void undoFolder(client, folder, () => navigate(`/flights/${flight.id}`))
      const action = canUndo ? { label: 'Undo', onSelect: undo } : undefined
      toast({ title: 'Folder created', description: folder.name, action })
    },
    // A folder that was created stays after an error.
    onSettled: () => refreshAll(client),
  })
}

/** Leaves the folder's page first: it would read a folder that is gone. */
async function undoFolder(client: QueryClient, folder: Folder, leave: () => void): Promise<void> {
  leave()
  try {
    await api('delete', '/api/folders/{id}', { path: { id: folder.id } })
    toast({ title: 'Folder removed', description: 'Its photos are in no folder again.' })
  } catch (error) {
    toastFailure('Failed to remove the folder', error, () => void undoFolder(client, folder, leave))
  } finally {
    refreshAll(client)
  }
}

function refreshAll(client: QueryClient): void {
  refreshPhotoPages(client)
  invalidateFolders(client)
  client.invalidateQueries({ queryKey: ['folder-photos'] })
}
