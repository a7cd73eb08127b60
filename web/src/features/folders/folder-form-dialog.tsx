import { zodResolver } from '@hookform/resolvers/zod'
import { type UseMutationResult, useQuery } from '@tanstack/react-query'
import { Images } from 'lucide-react'
import { type ComponentProps, useId } from 'react'
import { useForm } from 'react-hook-form'
import type { FolderFields } from '../../api/folders.ts'
import { folderPhotoList, photoPageQuery } from '../../api/photo-lists.ts'
import type { Folder } from '../../api/types.ts'
import { PhotoImage } from '../../components/photo-image.tsx'
import { sourcesForRow } from '../../components/renditions.ts'
import { Button } from '../../components/ui/button.tsx'
import { Dialog } from '../../components/ui/dialog.tsx'
import { Checkbox, Field, Textarea } from '../../components/ui/field.tsx'
import { Skeleton } from '../../components/ui/loading.tsx'
import { fieldsOf, TextField } from '../../components/ui/text-field.tsx'
import { useUnsavedEdits } from '../../components/unsaved-edits.tsx'
import { altText } from '../../lib/format.ts'
import { z } from '../../lib/forms.ts'
import { ApiError, isRetryable } from '../../lib/http.ts'
import { useCreateFolder, useUpdateFolder } from '../../photos/folder-changes.ts'

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
  return open && <FolderDialog save={create} onClose={onClose} />
}

export function EditFolderDialog({ folder, open, onClose }: DialogProps & { folder: Folder }) {
  const update = useUpdateFolder(folder.id)
  return open && <FolderDialog folder={folder} save={update} onClose={onClose} />
}

interface FolderDialogProps {
  /** The folder that is edited. Its visibility has a dialog of its own. */
  folder?: Folder
  save: UseMutationResult<unknown, Error, FolderFields>
  onClose: () => void
}

function FolderDialog({ folder, save, onClose }: FolderDialogProps) {
  const id = useId()
  const { name = '', description, isPublic = false, coverPhotoId = null } = folder ?? {}
  const values = { name, description: description ?? '', isPublic, coverPhotoId }
  const form = useForm<Values>({ resolver: zodResolver(schema), defaultValues: values })
  const { errors, isDirty, defaultValues } = form.formState
  const unsaved = useUnsavedEdits(isDirty)

  function close(): void {
    onClose()
    save.reset()
  }

  async function submit({ name, description, isPublic, coverPhotoId }: Values): Promise<void> {
    // A cover that was chosen elsewhere meanwhile stays.
    const cover = coverPhotoId === defaultValues?.coverPhotoId ? {} : { coverPhotoId }
    try {
      await save.mutateAsync({ name, description: description || null, ...(!folder && { isPublic }), ...cover })
      close()
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
    <>
      {unsaved.question}
      <Dialog
        open
        onOpenChange={(open) => !open && unsaved.mayDrop(close)}
        title={folder ? 'Edit folder' : 'New folder'}
        footer={
          <>
            <Button onClick={() => unsaved.mayDrop(close)}>Cancel</Button>
            <Button variant="primary" type="submit" form={id} busy={save.isPending}>
              {save.error && isRetryable(save.error) ? 'Retry' : folder ? 'Save' : 'Create folder'}
            </Button>
          </>
        }
      >
        <form id={id} noValidate className="grid gap-4" onSubmit={form.handleSubmit(submit)}>
          <TextField label="Name" data-autofocus autoComplete="off" {...fieldsOf(form)('name')} />
          <Field label="Description" optional error={errors.description?.message}>
            {(control) => <Textarea {...control} {...form.register('description')} />}
          </Field>
          {folder && folder.photoCount > 0 && (
            <CoverChoice
              folder={folder}
              value={form.watch('coverPhotoId')}
              error={errors.coverPhotoId?.message}
              onChange={(photoId) => form.setValue('coverPhotoId', photoId)}
            />
          )}
          {!folder && (
            <Checkbox
              label="Public"
              hint="Anyone who has the link can see the folder and rank its photos."
              {...form.register('isPublic')}
            />
          )}
        </form>
      </Dialog>
    </>
  )
}

/** More of them are chosen in the folder, by a photo's menu. */
const OFFERED = 24

interface CoverChoiceProps {
  folder: Folder
  /** The id of a photo; null: the newest ones. */
  value: number | null
  error: string | undefined
  onChange: (photoId: number | null) => void
}

/** Chooses the picture of a folder among its newest photos. */
function CoverChoice({ folder, value, error, onChange }: CoverChoiceProps) {
  const name = useId()
  const page = useQuery(photoPageQuery(folderPhotoList(folder.id), 0))
  const photos = page.data?.items.filter(({ thumbnailUrl }) => thumbnailUrl !== null) ?? []
  const offered = photos.filter(({ id }, index) => index < OFFERED || id === folder.coverPhotoId)
  if (page.isPending) return <Skeleton className="h-24 rounded-md" />
  if (offered.length === 0) return null
  return (
    <fieldset className="grid gap-1.5">
      <legend className="mb-1.5 text-sm font-semibold">Cover</legend>
      <div className="-mx-1 flex gap-2 overflow-x-auto p-1">
        <Option name={name} aria-label="Newest photos" checked={value === null} onChange={() => onChange(null)}>
          <span className="grid h-full place-content-center justify-items-center gap-0.5 bg-sunken text-xs text-muted">
            <Images aria-hidden className="size-5" />
            Newest
          </span>
        </Option>
        {offered.map((photo) => (
          <Option
            key={photo.id}
            name={name}
            aria-label={altText(photo)}
            checked={value === photo.id}
            onChange={() => onChange(photo.id)}
          >
            <PhotoImage
              {...sourcesForRow(96, photo)}
              alt=""
              thumbhash={photo.thumbhash}
              className="h-full rounded-none"
            />
          </Option>
        ))}
      </div>
      <p className="text-sm text-muted">Shown in your folders and in previews of the link.</p>
      {error && (
        <p role="alert" className="text-sm text-danger">
          {error}
        </p>
      )}
    </fieldset>
  )
}

function Option({ children, ...input }: ComponentProps<'input'>) {
  return (
    <label className="relative h-16 w-24 shrink-0 cursor-pointer overflow-hidden rounded-md has-checked:outline-3 has-checked:outline-accent has-focus-visible:outline-3 has-focus-visible:outline-offset-2 has-focus-visible:outline-accent">
      {children}
      <input type="radio" className="absolute inset-0 size-full cursor-pointer opacity-0" {...input} />
    </label>
  )
}
