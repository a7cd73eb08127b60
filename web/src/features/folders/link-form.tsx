import { zodResolver } from '@hookform/resolvers/zod'
import { type FormEvent, type ReactNode, useEffect, useState } from 'react'
import { type UseFormReturn, useForm } from 'react-hook-form'
import type { FolderLink, LinkFields } from '../../api/types.ts'
import { Button } from '../../components/ui/button.tsx'
import { Checkbox, Field, Input, Radio } from '../../components/ui/field.tsx'
import { PasswordField } from '../../components/ui/password-field.tsx'
import { fieldsOf, TextField } from '../../components/ui/text-field.tsx'
import { showServerFields, z } from '../../lib/forms.ts'
import type { LinkSave } from './link-changes.ts'
import { KINDS } from './link-texts.ts'

const NAME_LENGTH = 120
const PASSWORD_LENGTH = 'The password must have 6 to 200 characters.'

/** The form of a link: moments are local times, empty for none, and an empty password leaves the present one. */
export const linkSchema = z.object({
  name: z.string().check(
    z.trim(),
    z.minLength(1, 'Name is required'),
    z.refine((text) => [...text].length <= NAME_LENGTH, `Name must be at most ${NAME_LENGTH} characters`),
  ),
  kind: z.enum(['vote', 'view', 'browse']),
  expiresAt: z.string(),
  password: z.string().check(z.maxLength(200, PASSWORD_LENGTH), z.regex(/^$|^.{6,}/s, PASSWORD_LENGTH)),
  removePassword: z.boolean(),
  showPlaces: z.boolean(),
  showCamera: z.boolean(),
  showMap: z.boolean(),
  downloads: z.enum(['none', 'web', 'original']),
  votingUntil: z.string(),
})
type Values = z.infer<typeof linkSchema>

const NEW_LINK: Values = {
  name: '',
  kind: 'vote',
  expiresAt: '',
  password: '',
  removePassword: false,
  showPlaces: true,
  showCamera: true,
  showMap: false,
  downloads: 'original',
  votingUntil: '',
}

export function valuesOf(link: FolderLink): Values {
  const { name, kind, showPlaces, showCamera, showMap, downloads } = link
  const moments = { expiresAt: localTime(link.expiresAt), votingUntil: localTime(link.votingUntil) }
  return { ...NEW_LINK, name, kind, showPlaces, showCamera, showMap, downloads, ...moments }
}

/** '2026-11-28T17:30' in the user's time zone. */
function localTime(iso: string | null): string {
  if (iso === null) return ''
  const date = new Date(iso)
  return new Date(date.getTime() - date.getTimezoneOffset() * 60_000).toISOString().slice(0, 16)
}

const momentOf = (text: string) => (text === '' ? null : new Date(text).toISOString())

/** A new link as it is sent. */
export function fieldsOfNew(values: Values): LinkFields {
  const { removePassword, password, ...fields } = sentOf(values)
  return { ...fields, ...(password && { password }) }
}

/** What is sent of a changed link: only what was changed, so that a moment keeps its seconds. */
export function changesOf(link: FolderLink, values: Values): Partial<LinkFields> {
  const before = sentOf(valuesOf(link))
  const { removePassword, password, ...fields } = sentOf(values)
  const names = Object.keys(fields) as (keyof typeof fields)[]
  const changes = Object.fromEntries(
    names.filter((name) => fields[name] !== before[name]).map((name) => [name, fields[name]]),
  )
  if (removePassword) return { ...changes, password: null }
  return password ? { ...changes, password } : changes
}

/** Hidden places are on no map, and only a voting link has an end of voting. */
function sentOf({ expiresAt, votingUntil, showMap, ...values }: Values) {
  return {
    ...values,
    showMap: showMap && values.showPlaces,
    expiresAt: momentOf(expiresAt),
    votingUntil: values.kind === 'vote' ? momentOf(votingUntil) : null,
  }
}

const DOWNLOADS: { value: Values['downloads']; label: string; hint: string }[] = [
  { value: 'none', label: 'None', hint: 'Visitors only look at the photos.' },
  { value: 'web', label: 'Web size', hint: 'WebP, up to 2,048 pixels.' },
  { value: 'original', label: 'Original files', hint: 'As you uploaded them, or in web size.' },
]

interface LinkFormProps {
  id: string
  /** The link that is changed; null for a new one. */
  link: FolderLink | null
  save: (save: LinkSave) => Promise<unknown>
  onDone: () => void
  onEdited: (edited: boolean) => void
}

/** What a link shows and gives, to whom, and how long. */
export function LinkForm({ id, link, save, onDone, onEdited }: LinkFormProps) {
  const form = useForm<Values>({
    resolver: zodResolver(linkSchema),
    defaultValues: link ? valuesOf(link) : NEW_LINK,
  })
  const { isDirty } = form.formState
  useEffect(() => {
    onEdited(isDirty)
    return () => onEdited(false)
  }, [isDirty, onEdited])

  async function submit(values: Values): Promise<void> {
    if (form.formState.dirtyFields.expiresAt && Date.parse(values.expiresAt) <= Date.now()) {
      return form.setError('expiresAt', { message: 'This moment has passed.' }, { shouldFocus: true })
    }
    const fields = link && changesOf(link, values)
    if (fields && Object.keys(fields).length === 0) return onDone()
    try {
      await save(link && fields ? { id: link.id, fields } : { id: null, fields: fieldsOfNew(values) })
      onDone()
    } catch (error) {
      // What concerns no field is shown beside the button.
      showServerFields(error, Object.keys(NEW_LINK) as (keyof Values)[], form.setError)
    }
  }

  /** A moment without its time is an empty text to the form, and would mean none. */
  function submitComplete(event: FormEvent<HTMLFormElement>): unknown {
    const incomplete = (['expiresAt', 'votingUntil'] as const).filter((name) => {
      const input = event.currentTarget.elements.namedItem(name)
      return input instanceof HTMLInputElement && input.validity.badInput
    })
    if (incomplete.length === 0) return form.handleSubmit(submit)(event)
    event.preventDefault()
    for (const name of incomplete) form.setError(name, { message: 'Enter both date and time' }, { shouldFocus: true })
  }

  const field = fieldsOf(form)
  const kind = form.watch('kind')
  return (
    <form
      id={id}
      noValidate
      aria-label={link ? `Edit ${link.name}` : 'Add a link'}
      className="grid grid-cols-[minmax(0,1fr)] gap-6"
      onSubmit={submitComplete}
    >
      <TextField
        label="Name"
        hint="For whom the link is. Only you see it."
        data-autofocus
        autoComplete="off"
        {...field('name')}
      />
      {!link?.main && (
        <Choices legend="Kind">
          {Object.entries(KINDS).map(([value, { choice, hint }]) => (
            <Radio key={value} value={value} label={choice} hint={hint} {...form.register('kind')} />
          ))}
          <p role="status" className="text-sm text-pretty text-muted empty:hidden">
            {link &&
              link.kind !== kind &&
              'Its address changes. Send it again: the one that visitors have will not work.'}
          </p>
        </Choices>
      )}
      <div className="grid gap-x-4 gap-y-6 sm:grid-cols-2">
        <Moment form={form} name="expiresAt" label="Expires" hint="Afterwards the link does not work." />
        {kind === 'vote' && (
          <Moment
            form={form}
            name="votingUntil"
            label="Voting until"
            hint="Afterwards visitors still see the photos."
          />
        )}
      </div>
      <Password form={form} hasPassword={link?.hasPassword === true} />
      <Shown form={form} />
      <Downloads form={form} />
    </form>
  )
}

interface PartProps {
  form: UseFormReturn<Values>
}

function Choices({ legend, children }: { legend: string; children: ReactNode }) {
  return (
    <fieldset className="grid min-w-0 gap-1">
      <legend className="mb-1 text-sm font-semibold">{legend}</legend>
      {children}
    </fieldset>
  )
}

interface MomentProps extends PartProps {
  name: 'expiresAt' | 'votingUntil'
  label: string
  hint: string
}

/** A moment in the user's time zone, or none. */
function Moment({ form, name, label, hint }: MomentProps) {
  const { error, ...field } = fieldsOf(form)(name)

  function clear(): void {
    form.setValue(name, '', { shouldDirty: true })
    form.clearErrors(name)
    form.setFocus(name)
  }

  return (
    <Field label={label} optional hint={hint} error={error}>
      {(control) => (
        <div className="flex gap-1">
          <Input {...control} type="datetime-local" className="min-w-0 flex-1" {...field} />
          <Button variant="quiet" className="px-3" onClick={clear}>
            <span>
              Clear<span className="sr-only">{` ${label.toLowerCase()}`}</span>
            </span>
          </Button>
        </div>
      )}
    </Field>
  )
}

/** Sets a password, which is never shown again, or removes it. */
function Password({ form, hasPassword }: PartProps & { hasPassword: boolean }) {
  const [shown, setShown] = useState(false)
  const removes = form.watch('removePassword')
  return (
    <div className="grid gap-1">
      {!removes && (
        <PasswordField
          label={hasPassword ? 'New password' : 'Password'}
          optional
          hint={
            hasPassword
              ? 'The link has a password. A new one locks it again for everybody; leave this empty to keep it.'
              : 'Visitors enter it once in each browser. Before that they learn nothing of the folder, not even its name.'
          }
          autoComplete="new-password"
          shown={shown}
          onShown={setShown}
          {...fieldsOf(form)('password')}
        />
      )}
      {hasPassword && <Checkbox label="Remove the password" {...form.register('removePassword')} />}
    </div>
  )
}

function Shown({ form }: PartProps) {
  const [showPlaces, showMap] = form.watch(['showPlaces', 'showMap'])
  return (
    <Choices legend="Visitors see">
      <Checkbox
        label="Places"
        hint="City, position and height of each photo, and what the drone recorded."
        {...form.register('showPlaces')}
      />
      <Checkbox
        label="Map"
        hint={showPlaces ? 'Where each photo was taken.' : 'Hidden places are on no map.'}
        // Not registered: the choice is kept while places are hidden.
        checked={showPlaces && showMap}
        disabled={!showPlaces}
        onChange={({ target }) => form.setValue('showMap', target.checked, { shouldDirty: true })}
      />
      <Checkbox label="Camera data" hint="Camera, lens and exposure." {...form.register('showCamera')} />
    </Choices>
  )
}

function Downloads({ form }: PartProps) {
  const [downloads, showPlaces, showCamera] = form.watch(['downloads', 'showPlaces', 'showCamera'])
  // A cleaned file has no places, whatever is hidden.
  const hidden = showCamera ? 'places' : 'places and camera data'
  return (
    <Choices legend="Downloads">
      {DOWNLOADS.map(({ value, label, hint }) => (
        <Radio key={value} value={value} label={label} hint={hint} {...form.register('downloads')} />
      ))}
      <p role="status" className="text-sm text-pretty text-muted empty:hidden">
        {!(showPlaces && showCamera) &&
          downloads === 'original' &&
          `Original files come without ${hidden}. Only JPEG and PNG files can be cleaned: others are left out.`}
      </p>
    </Choices>
  )
}
