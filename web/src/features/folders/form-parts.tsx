import type { ComponentProps, ReactNode, SyntheticEvent } from 'react'
import type { FieldValues, Path, PathValue, SubmitHandler, UseFormReturn } from 'react-hook-form'
import { Button } from '../../components/ui/button.tsx'
import { Field, Input } from '../../components/ui/field.tsx'

/** '2026-11-28T17:30' in the user's time zone; empty for none. */
export function localTime(iso: string | null): string {
  if (iso === null) return ''
  const date = new Date(iso)
  return new Date(date.getTime() - date.getTimezoneOffset() * 60_000).toISOString().slice(0, 16)
}

export const momentOf = (text: string) => (text === '' ? null : new Date(text).toISOString())

export function Choices({ legend, children }: { legend: string; children: ReactNode }) {
  return (
    <fieldset className="grid min-w-0 gap-1">
      <legend className="mb-1 text-sm font-semibold">{legend}</legend>
      {children}
    </fieldset>
  )
}

interface MomentFieldProps extends ComponentProps<'input'> {
  label: string
  /** What the moment is, for screen readers. */
  what: string
  hint: string
  error?: string
  onClear: () => void
}

/** A moment in the user's time zone, or none. */
export function MomentField({ label, what, hint, error, onClear, ...input }: MomentFieldProps) {
  return (
    <Field label={label} optional hint={hint} error={error}>
      {(control) => (
        <div className="flex gap-1">
          <Input {...control} type="datetime-local" className="min-w-0 flex-1" {...input} />
          <Button variant="quiet" className="px-3" onClick={onClear}>
            <span>
              Clear<span className="sr-only">{` ${what}`}</span>
            </span>
          </Button>
        </div>
      )}
    </Field>
  )
}

export function clearMoment<Values extends FieldValues, Name extends Path<Values>>(
  form: UseFormReturn<Values>,
  name: Name,
): void {
  form.setValue(name, '' as PathValue<Values, Name>, { shouldDirty: true })
  form.clearErrors(name)
  form.setFocus(name)
}

/** Submits a form unless one of its moments lacks the date or the time: it is an empty text to the form, and would mean none. */
export function submitComplete<Values extends FieldValues>(
  event: SyntheticEvent<HTMLFormElement | HTMLButtonElement>,
  form: UseFormReturn<Values>,
  moments: readonly Path<Values>[],
  submit: SubmitHandler<Values>,
): unknown {
  const elements = event.currentTarget.closest('form')?.elements
  const incomplete = moments.filter((name) => {
    const input = elements?.namedItem(name)
    return input instanceof HTMLInputElement && input.validity.badInput
  })
  if (incomplete.length === 0) return form.handleSubmit(submit)(event)
  event.preventDefault()
  for (const name of incomplete) form.setError(name, { message: 'Enter both date and time' }, { shouldFocus: true })
}
