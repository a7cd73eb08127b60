import { zodResolver } from '@hookform/resolvers/zod'
import { useId } from 'react'
import { useForm } from 'react-hook-form'
import { z } from 'zod'
import type { Folder } from '../../api/types.ts'
import { Button } from '../../components/ui/button.tsx'
import { Dialog } from '../../components/ui/dialog.tsx'
import { Checkbox, Field, Input, Textarea } from '../../components/ui/field.tsx'
import { ApiError } from '../../lib/http.ts'
import { type FolderFields, useCreateFolder, useUpdateFolder } from './changes.ts'

const schema = z.object({
  name: z.string().trim().min(1, 'Folder name is required'),
  description: z.string().trim(),
  isPublic: z.boolean(),
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
      values={{ name: '', description: '', isPublic: false }}
      withVisibility
      busy={create.isPending}
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
      values={{ name: folder.name, description: folder.description ?? '', isPublic: folder.isPublic }}
      busy={update.isPending}
      save={update.mutateAsync}
    />
  )
}

interface FolderDialogProps extends DialogProps {
  title: string
  submitLabel: string
  values: Values
  /** Visibility is chosen here at the start; later it has a dialog of its own. */
  withVisibility?: boolean
  busy: boolean
  save: (fields: FolderFields) => Promise<unknown>
}

function FolderDialog({ open, onClose, title, submitLabel, busy, ...form }: FolderDialogProps) {
  const formId = useId()
  return (
    <Dialog
      open={open}
      onOpenChange={(next) => !next && onClose()}
      title={title}
      footer={
        <>
          <Button onClick={onClose}>Cancel</Button>
          <Button variant="primary" type="submit" form={formId} busy={busy}>
            {submitLabel}
          </Button>
        </>
      }
    >
      <FolderForm id={formId} onSaved={onClose} {...form} />
    </Dialog>
  )
}

interface FolderFormProps extends Pick<FolderDialogProps, 'values' | 'withVisibility' | 'save'> {
  id: string
  onSaved: () => void
}

function FolderForm({ id, values, withVisibility, save, onSaved }: FolderFormProps) {
  const form = useForm<Values>({ resolver: zodResolver(schema), defaultValues: values })
  const { errors } = form.formState

  async function submit({ name, description, isPublic }: Values): Promise<void> {
    try {
      await save({ name, description: description || null, ...(withVisibility && { isPublic }) })
      onSaved()
    } catch (error) {
      // The notice is shown already; sentences about fields go beside them.
      if (!(error instanceof ApiError)) return
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
