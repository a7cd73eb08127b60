import { FolderPlus } from 'lucide-react'
import { type KeyboardEvent, useState } from 'react'
import type { Folder } from '../api/types.ts'
import { Button } from '../components/ui/button.tsx'
import { Field, Input } from '../components/ui/field.tsx'
import { ApiError, isRetryable } from '../lib/http.ts'
import { useCreateFolder } from './folder-changes.ts'

interface NewFolderProps {
  onCreated: (folder: Folder) => void
  onCancel: () => void
}

/** Creates a private folder where one is chosen. No form element: it may be within one. */
export function NewFolder({ onCreated, onCancel }: NewFolderProps) {
  const [name, setName] = useState('')
  const [isMissing, setMissing] = useState(false)
  const create = useCreateFolder()
  const error = isMissing ? 'Folder name is required' : create.error ? nameError(create.error) : undefined

  function submit(): void {
    if (create.isPending) return
    setMissing(name.trim() === '')
    if (name.trim() !== '') create.mutate({ name, description: null }, { onSuccess: onCreated })
  }

  function handleKey(event: KeyboardEvent): void {
    if (event.key === 'Enter') submit()
    else if (event.key === 'Escape') onCancel()
    else return
    // Neither the form nor the dialog around it gets the key.
    event.preventDefault()
    event.stopPropagation()
  }

  return (
    <div ref={showWhole} className="grid gap-3 rounded-md bg-sunken p-3" data-takes-escape>
      <Field label="New folder" hint="Private until you make it public." error={error}>
        {(control) => (
          <Input
            {...control}
            autoFocus
            autoComplete="off"
            placeholder="Name"
            value={name}
            onChange={(event) => setName(event.target.value)}
            onKeyDown={handleKey}
          />
        )}
      </Field>
      <div className="flex flex-wrap justify-end gap-2">
        <Button type="button" size="small" onClick={onCancel}>
          Cancel
        </Button>
        <Button type="button" size="small" variant="primary" busy={create.isPending} onClick={submit}>
          {create.error && isRetryable(create.error) ? 'Retry' : 'Create folder'}
        </Button>
      </div>
    </div>
  )
}

/** The focus would scroll to the field alone. */
function showWhole(element: HTMLElement | null): void {
  element?.scrollIntoView({ block: 'nearest' })
}

/** A toast shows every failure; what concerns the name stays beside it. */
function nameError(error: Error): string | undefined {
  if (!(error instanceof ApiError) || isRetryable(error)) return undefined
  return error.body?.fields?.name ?? error.body?.message
}

/** The entry of a list of folders that creates another one. */
export function NewFolderOption({ focused, onChoose }: { focused: boolean; onChoose: () => void }) {
  return (
    <button
      type="button"
      data-autofocus={focused || undefined}
      onClick={onChoose}
      className="flex min-h-11 w-full items-center gap-3 rounded-md px-3 py-2 text-left font-medium transition hover:bg-sunken"
    >
      <FolderPlus aria-hidden className="size-5 shrink-0" /> New folder
    </button>
  )
}
