import { type FormEvent, useRef, useState } from 'react'
import type { User } from '../../api/types.ts'
import { Button } from '../../components/ui/button.tsx'
import { Field, Input } from '../../components/ui/field.tsx'
import { useStore } from '../../lib/store.ts'
import { fieldErrors, useSaveProfile } from './profile-changes.ts'
import {
  discardEdits,
  editProfile,
  type FieldErrors,
  hasEdits,
  type ProfileField,
  profileDraft,
  validateProfile,
  valuesOf,
} from './profile-draft.ts'
import { EmailState } from './profile-email.tsx'
import { Preferences } from './profile-preferences.tsx'
import { Section } from './section.tsx'

/** Name, address and preferences. Edits are kept until they are saved or discarded. */
export function ProfileForm({ user }: { user: User }) {
  const draft = useStore(profileDraft)
  const values = valuesOf(user, draft)
  const edited = hasEdits(user, draft)
  const form = useRef<HTMLFormElement>(null)
  const [errors, setErrors] = useState<FieldErrors>({})
  const save = useSaveProfile()

  function showErrors(found: FieldErrors): void {
    setErrors(found)
    const [first] = Object.keys(found)
    const control = first && form.current?.elements.namedItem(first)
    if (control instanceof HTMLElement) control.focus()
  }

  function submit(event: FormEvent): void {
    event.preventDefault()
    if (!edited || save.isPending) return
    const found = validateProfile(values)
    showErrors(found)
    if (Object.keys(found).length > 0) return
    save.mutate({ user, values }, { onError: (error) => showErrors(fieldErrors(error)) })
  }

  function discard(): void {
    setErrors({})
    discardEdits()
  }

  const text = (name: Extract<ProfileField, 'firstName' | 'lastName' | 'email'>) => ({
    name,
    value: values[name],
    onChange: ({ target }: { target: HTMLInputElement }) => {
      editProfile(user, { [name]: target.value })
      setErrors((now) => ({ ...now, [name]: undefined }))
    },
  })
  return (
    <form ref={form} noValidate onSubmit={submit} aria-label="Profile" className="grid gap-6">
      <Section title="Your profile">
        <Field label="Username" hint="Username cannot be changed">
          {(control) => (
            <Input
              {...control}
              readOnly
              value={user.username}
              autoComplete="username"
              className="read-only:bg-sunken read-only:text-muted"
            />
          )}
        </Field>
        <div className="grid gap-4 sm:grid-cols-2">
          <Field label="First name" optional error={errors.firstName}>
            {(control) => <Input {...control} {...text('firstName')} dir="auto" autoComplete="given-name" />}
          </Field>
          <Field label="Last name" optional error={errors.lastName}>
            {(control) => <Input {...control} {...text('lastName')} dir="auto" autoComplete="family-name" />}
          </Field>
        </div>
        <div className="grid gap-2">
          <Field label="Email" optional error={errors.email}>
            {(control) => <Input {...control} {...text('email')} type="email" autoComplete="email" />}
          </Field>
          <EmailState user={user} typed={values.email.trim()} />
        </div>
      </Section>
      <Section title="Preferences">
        <Preferences user={user} values={values} onChange={(edits) => editProfile(user, edits)} />
      </Section>
      <div className="flex flex-wrap items-center justify-end gap-2 max-sm:[&>button]:flex-1">
        <p role="status" className="text-sm text-muted max-sm:w-full sm:mr-auto">
          {edited && !save.isPending && 'You have unsaved changes.'}
        </p>
        {edited && (
          <Button aria-disabled={save.isPending} onClick={() => !save.isPending && discard()}>
            Discard
          </Button>
        )}
        {/* Not `disabled`: the focus would be lost after saving. */}
        <Button variant="primary" type="submit" aria-disabled={!edited || save.isPending} aria-busy={save.isPending}>
          {save.isPending ? 'Saving' : 'Save'}
        </Button>
      </div>
    </form>
  )
}
