import { zodResolver } from '@hookform/resolvers/zod'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { type ClipboardEvent, useEffect, useState } from 'react'
import { useForm } from 'react-hook-form'
import { type Correction, correctPhoto } from '../../api/photo-changes.ts'
import type { Photo } from '../../api/types.ts'
import { lazyComponent } from '../../components/lazy.tsx'
import { Button } from '../../components/ui/button.tsx'
import { Field, Input, Textarea } from '../../components/ui/field.tsx'
import { Skeleton } from '../../components/ui/loading.tsx'
import { toast, toastFailure } from '../../components/ui/toast.tsx'
import { type Coordinates, coordinatesOf, parseCoordinates, parseDegrees } from '../../lib/coordinates.ts'
import { showServerFields, z } from '../../lib/forms.ts'
import { type Position, positionOf, wrap } from '../../lib/geography.ts'
import { readDateTaken } from '../photo-facts.ts'
import { PlaceField } from '../place-field.tsx'

interface EditFormProps {
  photo: Photo
  onDone: () => void
  onCancel: () => void
  /** It has, or no longer has, unsaved edits. */
  onEdited: (edited: boolean) => void
}

/** The form of the owner's corrections, which processing never overwrites. */
export function EditForm({ photo, onDone, onCancel, onEdited }: EditFormProps) {
  const client = useQueryClient()
  const correct = useMutation({
    mutationFn: (correction: Correction) => correctPhoto(client, photo.id, correction),
    onSuccess: () => toast({ title: 'Photo updated' }),
    onError: (error) => toastFailure('Failed to update photo', error),
  })
  const form = useForm<CorrectionFields>({ resolver: zodResolver(correctionSchema), defaultValues: fieldsOf(photo) })
  const { errors, defaultValues, isDirty } = form.formState
  const zone = readDateTaken(photo.dateTaken)?.zone ?? ''
  // Follows the fields when they are left or filled, not each letter.
  const [pin, setPin] = useState(positionOf(photo))
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
      showServerFields(error, Object.keys(fields) as (keyof CorrectionFields)[], form.setError)
    }
  }

  function fill(coordinates: Partial<Coordinates>): void {
    for (const [name, degrees] of Object.entries(coordinates))
      form.setValue(name as keyof Coordinates, degrees, {
        shouldDirty: true,
        shouldValidate: form.formState.isSubmitted,
      })
    const { latitude, longitude } = form.getValues()
    setPin(
      positionOf({ latitude: parseDegrees(latitude, 'latitude'), longitude: parseDegrees(longitude, 'longitude') }),
    )
  }

  /** What was typed or pasted into the field becomes decimal degrees, a pair those of both fields. */
  function tidy(name: keyof Coordinates): void {
    const text = form.getValues(name)
    const degrees = text === defaultValues?.[name] ? null : parseDegrees(text, name)
    fill(degrees === null ? (parseCoordinates(text) ?? {}) : { [name]: degrees })
  }

  function paste(event: ClipboardEvent): void {
    const coordinates = parseCoordinates(event.clipboardData.getData('text'))
    if (!coordinates) return
    event.preventDefault()
    fill(coordinates)
  }

  function place({ latitude, longitude }: Position): void {
    fill(coordinatesOf({ latitude, longitude: wrap(longitude) }))
  }

  const text = (name: keyof CorrectionFields, label: string) => (
    <Field label={label} error={errors[name]?.message}>
      {(control) => <Input {...control} autoComplete="off" {...form.register(name)} />}
    </Field>
  )
  const degrees = (name: keyof Coordinates, label: string) => (
    <Field label={label} error={errors[name]?.message}>
      {(control) => (
        <Input {...control} autoComplete="off" onPaste={paste} {...form.register(name, { onBlur: () => tidy(name) })} />
      )}
    </Field>
  )
  return (
    <form
      noValidate
      className="grid gap-4"
      aria-label="Edit details"
      // At once, so that no key that follows can drop the edit.
      onInput={() => onEdited(true)}
      onSubmit={(event) => {
        // Enter submits without leaving the field.
        tidy('latitude')
        tidy('longitude')
        return form.handleSubmit(submit)(event)
      }}
    >
      {text('title', 'Title')}
      <Field label="Description" error={errors.description?.message}>
        {(control) => <Textarea {...control} {...form.register('description')} />}
      </Field>
      <div className="grid grid-cols-2 gap-3">
        {text('city', 'City')}
        {text('state', 'State')}
      </div>
      <PlaceField label="Find a place" onFound={place} />
      <PinMap at={pin} onMove={place} />
      <div className="grid grid-cols-2 gap-3">
        {degrees('latitude', 'Latitude')}
        {degrees('longitude', 'Longitude')}
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

// The form is complete without it.
const PinMap = lazyComponent(() => import('../../map/pin-map.tsx').then((code) => code.PinMap), {
  Loading: () => <Skeleton className="h-52 rounded-md" />,
  onFailure: () => {},
})

const atMost = (length: number, name: string) =>
  z.string().check(z.trim(), z.maxLength(length, `The ${name} may have up to ${length} characters.`))

/** Degrees as a text, or nothing. */
const degrees = (limit: number, name: keyof Coordinates) =>
  z.string().check(
    z.trim(),
    z.refine(
      (text) => text === '' || parseDegrees(text, name) !== null,
      `The ${name} must be a number from -${limit} to ${limit}.`,
    ),
  )

/** The form of a correction: empty texts stand for unknown values. */
export const correctionSchema = z
  .object({
    title: atMost(255, 'title'),
    description: atMost(5000, 'description'),
    city: atMost(100, 'city'),
    state: atMost(100, 'state'),
    latitude: degrees(90, 'latitude'),
    longitude: degrees(180, 'longitude'),
    /** The camera's local time; its zone is kept separately. */
    dateTaken: z.string(),
  })
  .check(
    z.superRefine(({ latitude, longitude }, context) => {
      if ((latitude === '') === (longitude === '')) return
      const message = 'Please give latitude and longitude together.'
      context.addIssue({ code: 'custom', path: [latitude === '' ? 'latitude' : 'longitude'], message })
    }),
  )
export type CorrectionFields = z.infer<typeof correctionSchema>

export function fieldsOf(photo: Photo): CorrectionFields {
  return {
    title: photo.title,
    description: photo.description ?? '',
    city: photo.city ?? '',
    state: photo.state ?? '',
    latitude: photo.latitude ?? '',
    longitude: photo.longitude ?? '',
    dateTaken: readDateTaken(photo.dateTaken)?.clock ?? '',
  }
}

/** The changed fields. Unchanged fields are absent, so that they do not count as corrected. */
export function correctionBetween(before: CorrectionFields, after: CorrectionFields, zone: string): Correction {
  const changed = (name: keyof CorrectionFields) => before[name] !== after[name]
  const moved = changed('latitude') || changed('longitude')
  return {
    ...(changed('title') && { title: after.title }),
    ...(changed('description') && { description: after.description || null }),
    ...(changed('city') && { city: after.city || null }),
    ...(changed('state') && { state: after.state || null }),
    ...(moved && { latitude: after.latitude || null, longitude: after.longitude || null }),
    ...(changed('dateTaken') && { dateTaken: after.dateTaken ? after.dateTaken + zone : null }),
  }
}
