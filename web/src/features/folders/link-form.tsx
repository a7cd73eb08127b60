import { zodResolver } from '@hookform/resolvers/zod'
import { useEffect, useState } from 'react'
import { type UseFormReturn, useForm } from 'react-hook-form'
import type { FolderLink, LinkFields } from '../../api/types.ts'
import { Checkbox, Field, Radio, Textarea } from '../../components/ui/field.tsx'
import { PasswordField } from '../../components/ui/password-field.tsx'
import { fieldsOf, TextField } from '../../components/ui/text-field.tsx'
import { showServerFields, z } from '../../lib/forms.ts'
import { Choices, clearMoment, localTime, MomentField, momentOf, submitComplete } from './form-parts.tsx'
import type { LinkSave } from './link-changes.ts'
import { isSecure, KINDS } from './link-texts.ts'

const NAME_LENGTH = 120
const PASSWORD_LENGTH = 'The password must have 6 to 200 characters.'

/** The form of a link: moments are local times, empty for none, an empty password leaves the present one, and websites are lines. */
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
  embedOrigins: z.string(),
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
  embedOrigins: '',
}

export function valuesOf(link: FolderLink): Values {
  const { name, kind, showPlaces, showCamera, showMap, downloads } = link
  const moments = { expiresAt: localTime(link.expiresAt), votingUntil: localTime(link.votingUntil) }
  const embedOrigins = link.embedOrigins.join('\n')
  return { ...NEW_LINK, name, kind, showPlaces, showCamera, showMap, downloads, ...moments, embedOrigins }
}

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
    names.filter((name) => String(fields[name]) !== String(before[name])).map((name) => [name, fields[name]]),
  )
  if (removePassword) return { ...changes, password: null }
  return password ? { ...changes, password } : changes
}

/** Hidden places are on no map, and only a voting link has an end of voting and is embedded. */
function sentOf({ expiresAt, votingUntil, embedOrigins, showMap, ...values }: Values) {
  return {
    ...values,
    showMap: showMap && values.showPlaces,
    expiresAt: momentOf(expiresAt),
    votingUntil: values.kind === 'vote' ? momentOf(votingUntil) : null,
    embedOrigins: values.kind === 'vote' ? embedOrigins.split(/\s+/).filter(Boolean) : [],
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

  const field = fieldsOf(form)
  const kind = form.watch('kind')
  return (
    <form
      id={id}
      noValidate
      aria-label={link ? `Edit ${link.name}` : 'Add a link'}
      className="grid grid-cols-[minmax(0,1fr)] gap-6"
      onSubmit={(event) => submitComplete(event, form, ['expiresAt', 'votingUntil'], submit)}
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
        <Moment form={form} name="expiresAt" label="Expires" what="expiry" hint="Afterwards the link does not work." />
        {kind === 'vote' && (
          <Moment
            form={form}
            name="votingUntil"
            label="Voting until"
            what="end of voting"
            hint="Afterwards visitors still see the photos."
          />
        )}
      </div>
      <Password form={form} hasPassword={link?.hasPassword === true} />
      <Shown form={form} />
      <Downloads form={form} />
      {kind === 'vote' && <EmbedOrigins form={form} hasPassword={link?.hasPassword === true} />}
    </form>
  )
}

interface PartProps {
  form: UseFormReturn<Values>
}

interface MomentProps extends PartProps {
  name: 'expiresAt' | 'votingUntil'
  label: string
  what: string
  hint: string
}

function Moment({ form, name, ...texts }: MomentProps) {
  return <MomentField {...texts} {...fieldsOf(form)(name)} onClear={() => clearMoment(form, name)} />
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

/** The websites that may show the voting page in a frame. */
function EmbedOrigins({ form, hasPassword }: PartProps & { hasPassword: boolean }) {
  const [origins, password, removes] = form.watch(['embedOrigins', 'password', 'removePassword'])
  const { error, ...field } = fieldsOf(form)('embedOrigins')
  const isLocked = password !== '' || (hasPassword && !removes)
  const obstacle = isLocked ? 'A link with a password cannot be embedded.' : !isSecure() && NOT_SECURE
  return (
    <div className="grid gap-1.5">
      <Field
        label="Websites that may embed it"
        optional
        hint="Pages of these websites can show the voting page in a frame: one https address a line, without a path. Visitors vote in the frame only if anyone may vote; otherwise it links to the voting page."
        error={error}
      >
        {(control) => (
          <Textarea {...control} placeholder="https://example.com" spellCheck={false} rows={2} {...field} />
        )}
      </Field>
      <p role="status" className="text-sm text-pretty text-muted empty:hidden">
        {origins.trim() !== '' && obstacle}
      </p>
    </div>
  )
}

const NOT_SECURE = 'Only an installation on https can be embedded.'
