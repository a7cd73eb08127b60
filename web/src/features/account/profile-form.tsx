import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { CircleCheck, MailWarning } from 'lucide-react'
import { type FormEvent, useId, useRef, useState } from 'react'
import { api } from '../../api/client.ts'
import { configQuery, userQuery } from '../../api/queries.ts'
import type { User } from '../../api/types.ts'
import { Badge } from '../../components/ui/badge.tsx'
import { Button } from '../../components/ui/button.tsx'
import { Switch } from '../../components/ui/switch.tsx'
import { TextField } from '../../components/ui/text-field.tsx'
import { toast, toastFailure } from '../../components/ui/toast.tsx'
import { ApiError, hasStatus } from '../../lib/http.ts'
import { useStore } from '../../lib/store.ts'
import {
  changesOf,
  discardEdits,
  editProfile,
  type FieldErrors,
  hasEdits,
  type ProfileField,
  type ProfileValues,
  profileDraft,
  validateProfile,
  valuesOf,
} from './profile-draft.ts'
import { Section } from './section.tsx'

/** Name, address and preferences. Edits are kept until they are saved or discarded. */
export function ProfileForm({ user }: { user: User }) {
  const draft = useStore(profileDraft)
  const values = valuesOf(user, draft)
  const edited = hasEdits(user, draft)
  const form = useRef<HTMLFormElement>(null)
  const [errors, setErrors] = useState<FieldErrors>({})
  const client = useQueryClient()
  const save = useMutation({
    mutationFn: ({ user, values }: { user: User; values: ProfileValues }) =>
      api('put', '/api/user', { body: changesOf(user, values) }),
    onSuccess: async (changed, { user, values }) => {
      // A read that started earlier must not show the old account again.
      await client.cancelQueries({ queryKey: userQuery.queryKey })
      client.setQueryData(userQuery.queryKey, changed)
      discardEdits(values)
      const newAddress = changed.email !== user.email ? changed.email : null
      toast({ title: 'Profile updated', description: newAddress ? `Your address is now ${newAddress}.` : undefined })
    },
    onError: (error, variables) => toastFailure('Error updating profile', error, () => save.mutate(variables)),
  })
  // False where this installation sends no mail; undefined until it is known.
  const sendsMail = useQuery(configQuery).data?.mail?.available

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
    const onError = (error: Error) => showErrors((error instanceof ApiError && error.body?.fields) || {})
    save.mutate({ user, values }, { onError })
  }

  function discard(): void {
    setErrors({})
    discardEdits()
  }

  const text = (name: Extract<ProfileField, 'firstName' | 'lastName' | 'displayName' | 'email'>) => ({
    name,
    value: values[name],
    error: errors[name],
    onChange: ({ target }: { target: HTMLInputElement }) => {
      editProfile(user, { [name]: target.value })
      setErrors((now) => ({ ...now, [name]: undefined }))
    },
  })
  return (
    <form ref={form} noValidate onSubmit={submit} aria-label="Profile" className="grid gap-6">
      <Section title="Your profile">
        <TextField
          label="Username"
          hint="Username cannot be changed"
          readOnly
          value={user.username}
          autoComplete="username"
          className="read-only:bg-sunken read-only:text-muted"
        />
        <div className="grid gap-4 sm:grid-cols-2">
          <TextField label="First name" optional {...text('firstName')} dir="auto" autoComplete="given-name" />
          <TextField label="Last name" optional {...text('lastName')} dir="auto" autoComplete="family-name" />
        </div>
        <TextField
          label="Display name"
          optional
          {...text('displayName')}
          hint="Visitors of your public folders see it as “Photos by …”. Leave it empty to show no name."
          dir="auto"
          maxLength={80}
          autoComplete="nickname"
        />
        <div className="grid gap-2">
          <TextField label="Email" optional {...text('email')} type="email" autoComplete="email" />
          <EmailState user={user} typed={values.email.trim()} sendsMail={sendsMail} />
        </div>
      </Section>
      <Section title="Preferences">
        <Preference
          label="New photos are public"
          explanation="The default of the upload form, for photos without a folder. Visitors see a public photo only once it is in a public folder; in a folder, new photos take its setting."
          checked={values.publicByDefault}
          onCheckedChange={(publicByDefault) => editProfile(user, { publicByDefault })}
        />
        <Preference
          label="Mail notices"
          explanation={`A mail when photos of an upload could not be processed, and when a print order is ready. ${noticeLimit(user, sendsMail)}`}
          checked={values.emailNotifications}
          onCheckedChange={(emailNotifications) => editProfile(user, { emailNotifications })}
        />
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

/** Whether the address is confirmed, or what happens when the typed one is saved. */
function EmailState({ user, typed, sendsMail }: { user: User; typed: string; sendsMail: boolean | undefined }) {
  if (typed === '' || typed !== user.email) {
    return (
      <p role="status" className="text-sm text-pretty wrap-anywhere text-muted">
        {describeChange(user, typed, sendsMail)}
      </p>
    )
  }
  if (!user.emailConfirmed) return <Unconfirmed address={typed} sendsMail={sendsMail} />
  return (
    <div>
      <Badge tone="good" icon={<CircleCheck aria-hidden />}>
        Confirmed
      </Badge>
    </div>
  )
}

const NO_MAIL = 'This installation sends no mail, so addresses cannot be confirmed.'

function describeChange({ email, emailConfirmed }: User, typed: string, sendsMail: boolean | undefined): string {
  if (typed === '') return 'Without an address you get no mail, and a forgotten password cannot be reset.'
  if (sendsMail === false) return NO_MAIL
  const link =
    'After saving, we send a link to the new address. Opening it and entering your password confirms the address.'
  return email && emailConfirmed ? `${link} ${email} gets a notice with a link that takes the change back.` : link
}

function Unconfirmed({ address, sendsMail }: { address: string; sendsMail: boolean | undefined }) {
  const client = useQueryClient()
  const resend = useMutation({
    mutationFn: () => api('post', '/api/user/email/confirmation', {}),
    onSuccess: () =>
      toast({ title: 'Confirmation mail sent', description: `Open the link in the mail to ${address}.` }),
    onError: (error) => {
      // Confirmed meanwhile, in another tab.
      if (hasStatus(error, 409)) return void client.invalidateQueries({ queryKey: userQuery.queryKey })
      toastFailure('The mail could not be sent', error, () => resend.mutate())
    },
  })
  return (
    <div className="grid gap-3 rounded-md bg-warn-soft px-4 py-3">
      <div className="grid justify-items-start gap-1">
        {/* Its text starts where the lines below it do: the badge has the color of the box. */}
        <div className="-ml-2.5">
          <Badge tone="warn" icon={<MailWarning aria-hidden />}>
            Not confirmed
          </Badge>
        </div>
        <p className="text-sm text-pretty wrap-anywhere">
          {sendsMail === false
            ? NO_MAIL
            : `Open the link in the mail to ${address}. Until then this address gets no notices and cannot reset a forgotten password.`}
        </p>
      </div>
      {sendsMail && (
        <Button
          size="small"
          className="justify-self-start"
          aria-disabled={resend.isPending}
          aria-busy={resend.isPending}
          onClick={() => !resend.isPending && resend.mutate()}
        >
          {resend.isPending ? 'Sending the mail' : 'Send the mail again'}
        </Button>
      )}
    </div>
  )
}

/** Why no notice arrives although they are on. */
function noticeLimit(user: User, sendsMail: boolean | undefined): string {
  if (sendsMail === false) return 'This installation sends no mail.'
  return user.emailConfirmed ? 'Mails about your password and address are always sent.' : 'Needs a confirmed address.'
}

interface PreferenceProps {
  label: string
  explanation: string
  checked: boolean
  onCheckedChange: (checked: boolean) => void
}

function Preference({ label, explanation, ...state }: PreferenceProps) {
  const id = useId()
  return (
    <div className="flex items-start justify-between gap-4">
      <div>
        <p id={`${id}-label`} className="font-semibold">
          {label}
        </p>
        <p id={`${id}-explanation`} className="text-sm text-pretty text-muted">
          {explanation}
        </p>
      </div>
      <Switch {...state} aria-labelledby={`${id}-label`} aria-describedby={`${id}-explanation`} />
    </div>
  )
}
