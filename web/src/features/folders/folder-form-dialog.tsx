import { zodResolver } from '@hookform/resolvers/zod'
import { useEffect, useId, useState } from 'react'
import { useForm } from 'react-hook-form'
import type { FolderFields } from '../../api/folders.ts'
import type { Folder } from '../../api/types.ts'
import { Button } from '../../components/ui/button.tsx'
import { Dialog } from '../../components/ui/dialog.tsx'
import { Checkbox, Field, Input, Textarea } from '../../components/ui/field.tsx'
import { useUnsavedEdits } from '../../components/unsaved-edits.tsx'
import { z } from '../../lib/forms.ts'
import { ApiError, isRetryable } from '../../lib/http.ts'
import { useCreateFolder, useUpdateFolder } from '../../photos/folder-changes.ts'
import { CoverChoice } from './cover-choice.tsx'

const NAME_LENGTH = 120
const DESCRIPTION_LENGTH = 2000
/** Codes of errors that stay readable in the form: the folder cannot have this name, or cannot exist. */
const SHOWN_AT_NAME = ['printed_exists', 'too_many_folders']

/** Counts characters as the server and users do: an emoji is one. */
const atMost = (length: number, message: string) =>
  z.string().check(
    z.trim(),
    z.refine((text) => [...text].length <= length, message),
  )

const schema = z.object({
  name: atMost(NAME_LENGTH, `Folder name must be at most ${NAME_LENGTH} characters`).check(
    z.minLength(1, 'Folder name is required'),
  ),
  description: atMost(DESCRIPTION_LENGTH, `Description must be at most ${DESCRIPTION_LENGTH} characters`),
  isPublic: z.boolean(),
  coverPhotoId: z.nullable(z.number()),
})
type Values = z.infer<typeof schema>

interface DialogProps {
  open: boolean
  onClose: () => void
}

export function CreateFolderDialog({ open, onClose }: DialogProps) {
  const create = useCreateFolder()
  return (
    <FolderDialog
      open={open}
      onClose={onClose}
      title="New folder"
      submitLabel="Create folder"
      values={{ name: '', description: '', isPublic: false, coverPhotoId: null }}
      withVisibility
      busy={create.isPending}
      error={create.error}
      reset={create.reset}
      save={create.mutateAsync}
    />
  )
}

export function EditFolderDialog({ folder, open, onClose }: DialogProps & { folder: Folder }) {
  const update = useUpdateFolder(folder.id)
  return (
    <FolderDialog
      open={open}
      onClose={onClose}
      title="Edit folder"
      submitLabel="Save"
      values={{
        name: folder.name,
        description: folder.description ?? '',
        isPublic: folder.isPublic,
        coverPhotoId: folder.coverPhotoId,
      }}
      coverOf={folder}
      busy={update.isPending}
      error={update.error}
      reset={update.reset}
      save={update.mutateAsync}
    />
  )
}

interface FolderDialogProps extends DialogProps {
  title: string
  submitLabel: string
  values: Values
  /** Visibility can be chosen at creation; later it has its own dialog. */
  withVisibility?: boolean
  /** The folder whose photos can be chosen as its cover. */
  coverOf?: Folder
  busy: boolean
  /** The last failure; the button then says Retry where that can help. */
  error: Error | null
  reset: () => void
  save: (fields: FolderFields) => Promise<unknown>
}

function FolderDialog({ open, onClose, title, submitLabel, busy, error, reset, ...form }: FolderDialogProps) {
  const formId = useId()
  const [edited, setEdited] = useState(false)
  const unsaved = useUnsavedEdits(open && edited)

  function close(): void {
    onClose()
    reset()
  }

  return (
    <>
      {unsaved.question}
      <Dialog
        open={open}
        onOpenChange={(next) => !next && unsaved.mayDrop(close)}
        title={title}
        footer={
          <>
            <Button onClick={() => unsaved.mayDrop(close)}>Cancel</Button>
            <Button variant="primary" type="submit" form={formId} busy={busy}>
              {error && isRetryable(error) ? 'Retry' : submitLabel}
            </Button>
          </>
        }
      >
        <FolderForm id={formId} onSaved={close} onEdited={setEdited} {...form} />
      </Dialog>
    </>
  )
}

interface FolderFormProps extends Pick<FolderDialogProps, 'values' | 'withVisibility' | 'coverOf' | 'save'> {
  id: string
  onSaved: () => void
  /** It has, or no longer has, unsaved edits. */
  onEdited: (edited: boolean) => void
}

function FolderForm({ id, values, withVisibility, coverOf, save, onSaved, onEdited }: FolderFormProps) {
  const form = useForm<Values>({ resolver: zodResolver(schema), defaultValues: values })
  const { errors, isDirty } = form.formState
  useEffect(() => onEdited(isDirty), [isDirty, onEdited])

  async function submit({ name, description, isPublic, coverPhotoId }: Values): Promise<void> {
    // A cover that was chosen elsewhere meanwhile stays.
    const cover = coverPhotoId === values.coverPhotoId ? {} : { coverPhotoId }
    try {
      await save({ name, description: description || null, ...(withVisibility && { isPublic }), ...cover })
      onSaved()
    } catch (error) {
      // A toast is already shown; messages about fields are shown beside them.
      if (!(error instanceof ApiError)) return
      if (SHOWN_AT_NAME.includes(error.body?.code ?? '')) form.setError('name', { message: error.body?.message })
      for (const [name, message] of Object.entries(error.body?.fields ?? {})) {
        if (name in values) form.setError(name as keyof Values, { message })
      }
    }
  }

  return (
    <form id={id} noValidate className="grid gap-4" onSubmit={form.handleSubmit(submit)}>
      <Field label="Name" error={errors.name?.message}>
        {(control) => <Input {...control} data-autofocus autoComplete="off" {...form.register('name')} />}
      </Field>
      <Field label="Description" optional error={errors.description?.message}>
        {(control) => <Textarea {...control} {...form.register('description')} />}
      </Field>
      {coverOf && coverOf.photoCount > 0 && (
        <CoverChoice
          folder={coverOf}
          value={form.watch('coverPhotoId')}
          error={errors.coverPhotoId?.message}
          onChange={(photoId) => form.setValue('coverPhotoId', photoId)}
        />
      )}
      {withVisibility && (
        <Checkbox
          label="Public"
          hint="Anyone who has the link can see the folder and rank its photos."
          {...form.register('isPublic')}
        />
      )}
    </form>
  )
}
