import { zodResolver } from '@hookform/resolvers/zod'
import { useEffect } from 'react'
import { useForm } from 'react-hook-form'
import type { Photo } from '../../api/types.ts'
import { Button } from '../../components/ui/button.tsx'
import { Field, Input, Textarea } from '../../components/ui/field.tsx'
import { ApiError } from '../../lib/http.ts'
import { useCorrectPhoto } from '../use-photo-changes.ts'
import { type CorrectionFields, correctionBetween, correctionSchema, fieldsOf, zoneOf } from './correction.ts'

interface EditFormProps {
  photo: Photo
  /** It was saved. */
  onDone: () => void
  onCancel: () => void
  /** It has, or no longer has, unsaved edits. */
  onEdited: (edited: boolean) => void
}

/** The form of the owner's corrections, which processing never overwrites. */
export default function EditForm({ photo, onDone, onCancel, onEdited }: EditFormProps) {
  const correct = useCorrectPhoto(photo)
  const form = useForm<CorrectionFields>({ resolver: zodResolver(correctionSchema), defaultValues: fieldsOf(photo) })
  const { errors, defaultValues, isDirty } = form.formState
  const zone = zoneOf(photo)
  const { setFocus } = form
  useEffect(() => setFocus('title'), [setFocus])
  useEffect(() => {
    onEdited(isDirty)
    return () => onEdited(false)
  }, [isDirty, onEdited])

  async function submit(fields: CorrectionFields): Promise<void> {
    const correction = correctionBetween(defaultValues as CorrectionFields, fields, zone)
    if (Object.keys(correction).length === 0) return onDone()
    try {
      await correct.mutateAsync(correction)
      onDone()
    } catch (error) {
      // A toast is already shown; messages about fields are shown beside them.
      if (!(error instanceof ApiError)) return
      for (const [name, message] of Object.entries(error.body?.fields ?? {})) {
        if (name in fields) form.setError(name as keyof CorrectionFields, { message })
      }
    }
  }

  const text = (name: keyof CorrectionFields, label: string, hint?: string) => (
    <Field label={label} error={errors[name]?.message} hint={hint}>
      {(control) => <Input {...control} autoComplete="off" {...form.register(name)} />}
    </Field>
  )
  return (
    <form
      noValidate
      className="grid gap-4"
      aria-label="Edit details"
      // At once, so that no key that follows can drop the edit.
      onInput={() => onEdited(true)}
      onSubmit={form.handleSubmit(submit)}
    >
      {text('title', 'Title')}
      <Field label="Description" error={errors.description?.message}>
        {(control) => <Textarea {...control} {...form.register('description')} />}
      </Field>
      <div className="grid grid-cols-2 gap-3">
        {text('city', 'City')}
        {text('state', 'State')}
        {text('latitude', 'Latitude')}
        {text('longitude', 'Longitude')}
      </div>
      <Field
        label="Date Taken"
        error={errors.dateTaken?.message}
        hint={zone ? `Zone ${zone === 'Z' ? 'UTC' : zone}` : "The camera's clock; its zone is not known."}
      >
        {(control) => <Input {...control} type="datetime-local" step={1} {...form.register('dateTaken')} />}
      </Field>
      <div className="flex gap-2 max-sm:*:flex-1 sm:justify-end">
        <Button onClick={onCancel}>Cancel</Button>
        <Button variant="primary" type="submit" busy={correct.isPending}>
          Save
        </Button>
      </div>
    </form>
  )
}
