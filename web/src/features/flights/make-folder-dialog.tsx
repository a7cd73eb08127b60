import { useQuery } from '@tanstack/react-query'
import { type FormEvent, useId, useState } from 'react'
import { countWithoutFolder } from '../../api/flights.ts'
import type { Flight } from '../../api/types.ts'
import { Button } from '../../components/ui/button.tsx'
import { Dialog } from '../../components/ui/dialog.tsx'
import { Field, Input } from '../../components/ui/field.tsx'
import { countOf } from '../../lib/format.ts'
import { errorMessage, isRetryable } from '../../lib/http.ts'
import { FOLDER_NAME_LENGTH, folderNameOf } from './flight-texts.ts'
import { useMakeFolder } from './use-make-folder.ts'

interface MakeFolderDialogProps {
  flight: Flight
  onClose: () => void
}

/** Makes a private folder of a flight; its name is proposed. */
export function MakeFolderDialog({ flight, onClose }: MakeFolderDialogProps) {
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
            {countOf(inFolders ?? 0, 'photo')} of them {inFolders === 1 ? 'is' : 'are'} in another folder now and will
            leave it.
          </p>
        )}
      </form>
    </Dialog>
  )
}
