import { zodResolver } from '@hookform/resolvers/zod'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { KeyRound, Trash2, Undo2 } from 'lucide-react'
import { type ReactNode, useId, useMemo, useState } from 'react'
import { type UseFormReturn, useForm } from 'react-hook-form'
import { changeUser, deleteUser, managedUserQuery, type UserChanges } from '../../api/admin.ts'
import { api } from '../../api/client.ts'
import { configQuery, userQuery } from '../../api/queries.ts'
import type { ManagedUser } from '../../api/types.ts'
import { Button } from '../../components/ui/button.tsx'
import { ConfirmDialog } from '../../components/ui/confirm-dialog.tsx'
import { Dialog } from '../../components/ui/dialog.tsx'
import { AlertText, Checkbox, Field, Select } from '../../components/ui/field.tsx'
import { Spinner } from '../../components/ui/loading.tsx'
import { fieldsOf, TextField } from '../../components/ui/text-field.tsx'
import { toast, toastFailure } from '../../components/ui/toast.tsx'
import { useUnsavedEdits } from '../../components/unsaved-edits.tsx'
import { countOf, formatDateTime } from '../../lib/format.ts'
import { showServerFields, z } from '../../lib/forms.ts'
import { ApiError, errorMessage, isRetryable } from '../../lib/http.ts'
import { ActionButton, Loaded, useAdminMutation } from './admin-parts.tsx'
import { dayOf, fullName, isErasing, useRestoreUser } from './users.ts'

const QUOTA_UNITS = { MB: 2 ** 20, GB: 2 ** 30 }
/** What a quota may be at most: a thousand terabytes. */
const MAX_QUOTA = 1_000_000 * QUOTA_UNITS.GB

/** The fields of the edit dialog, as they are typed. */
export const userSchema = z
  .object({
    firstName: z.string(),
    lastName: z.string(),
    email: z.pipe(z.string().check(z.trim()), z.union([z.literal(''), z.email('Invalid email address')])),
    isAdmin: z.boolean(),
    disabled: z.boolean(),
    quota: z.enum(['default', 'own']),
    quotaAmount: z.string(),
    quotaUnit: z.enum(['MB', 'GB']),
  })
  .check(
    z.refine((values) => values.quota === 'default' || quotaOf(values) !== null, {
      message: 'Enter a number of MB or GB, 0 or more',
      path: ['quotaAmount'],
    }),
  )
type UserValues = z.infer<typeof userSchema>
type TypedQuota = Pick<UserValues, 'quotaAmount' | 'quotaUnit'>

const SERVER_FIELDS = ['firstName', 'lastName', 'email', 'isAdmin', 'disabled'] as const

/** Edits a user, sends a password reset, requests and revokes the deletion. Edits are discarded only after a question. */
export function UserDialog({ user: listed, onClose }: { user: ManagedUser; onClose: () => void }) {
  const id = useId()
  // The listed values are shown until the present ones are known, so that the first field gets the focus.
  const present = useQuery({ ...managedUserQuery(listed.id), placeholderData: listed })
  const user = present.data
  const { data: me } = useQuery(userQuery)
  const form = useForm<UserValues>({
    resolver: zodResolver(userSchema),
    defaultValues: valuesOf(listed),
    values: useMemo(() => user && valuesOf(user), [user]),
    resetOptions: { keepDirtyValues: true },
  })
  const client = useQueryClient()
  const change = useAdminMutation({
    run: (changes: UserChanges) => changeUser(client, listed.id, changes),
    onSuccess: ({ username, disabled }) => {
      toast({ title: 'User updated', description: `${username} ${disabled ? 'is disabled' : 'was changed'}.` })
      // The own name is in the top bar.
      if (client.getQueryData(userQuery.queryKey)?.id === listed.id) void client.invalidateQueries(userQuery)
    },
  })
  const blocked = !user || change.isPending
  const unsaved = useUnsavedEdits(form.formState.isDirty)
  const close = () => unsaved.mayDrop(onClose)

  function save(values: UserValues): void {
    if (!user || blocked) return
    const changes = changesOf(user, values)
    if (Object.keys(changes).length === 0) onClose()
    else change.mutate(changes, { onSuccess: onClose, onError: (failure) => showFields(failure) })
  }

  function showFields(failure: unknown): void {
    showServerFields(failure, SERVER_FIELDS, form.setError)
    const quota = failure instanceof ApiError && failure.body?.fields?.quota
    if (quota) form.setError('quotaAmount', { type: 'server', message: quota })
  }

  const locked = user !== undefined && isErasing(user)
  return (
    <>
      {unsaved.question}
      <Dialog
        open
        onOpenChange={(open) => !open && close()}
        title={`Edit ${listed.username}`}
        description={fullName(listed) ?? undefined}
        footer={
          <>
            {/* What belongs to a field is shown there. */}
            {change.failure && !(change.failure instanceof ApiError && change.failure.body?.fields) && (
              <div className="basis-full!">
                <AlertText>{errorMessage(change.failure)}</AlertText>
              </div>
            )}
            <Button onClick={close}>{locked ? 'Close' : 'Cancel'}</Button>
            {!locked && (
              // Not `disabled`: it would lose the focus.
              <Button variant="primary" type="submit" form={id} aria-disabled={blocked} aria-busy={change.isPending}>
                {change.isPending && <Spinner className="text-current" />}
                <span>
                  {change.failure && isRetryable(change.failure) && change.failure instanceof ApiError
                    ? 'Retry'
                    : 'Save'}
                </span>
              </Button>
            )}
          </>
        }
      >
        <Loaded query={present} what="user" skeleton={null}>
          {(user) => (
            <div className="grid gap-6">
              <form id={id} noValidate onSubmit={form.handleSubmit(save)}>
                <UserFields form={form} user={user} own={user.id === me?.id} locked={locked} />
              </form>
              {!locked && <PasswordReset user={user} />}
              <UserDeletion user={user} own={user.id === me?.id} onErasing={onClose} />
            </div>
          )}
        </Loaded>
      </Dialog>
    </>
  )
}

interface UserFieldsProps {
  form: UseFormReturn<UserValues>
  user: ManagedUser
  /** It is the administrator's own account. */
  own: boolean
  /** Nothing can be changed any more. */
  locked: boolean
}

function UserFields({ form, user, own, locked }: UserFieldsProps) {
  const field = fieldsOf(form)
  return (
    <fieldset disabled={locked} className="grid gap-4">
      <legend className="sr-only">{`Account of ${user.username}`}</legend>
      <div className="grid gap-4 sm:grid-cols-2">
        <TextField label="First name" optional data-autofocus dir="auto" autoComplete="off" {...field('firstName')} />
        <TextField label="Last name" optional dir="auto" autoComplete="off" {...field('lastName')} />
      </div>
      <TextField
        label="Email"
        optional
        hint={<EmailHint form={form} user={user} />}
        type="email"
        autoComplete="off"
        spellCheck={false}
        {...field('email')}
      />
      <Quota form={form} />
      <div className="grid gap-3">
        <Checkbox
          label="Administrator"
          hint={
            own
              ? 'You. Without these rights you are logged out and cannot open this page any more.'
              : 'Sees, changes and deletes what all users have. Taking these rights away signs the user out.'
          }
          {...field('isAdmin')}
        />
        <Checkbox
          label="Disabled"
          hint={`Logs ${own ? 'you' : 'the user'} out everywhere and rejects the next login. Public folders can no longer be opened by their links. All data is kept, and enabling the account makes it available again.`}
          {...field('disabled')}
        />
      </div>
    </fieldset>
  )
}

/** What is known of the address, or what becomes of a changed one. */
function EmailHint({ form, user }: Pick<UserFieldsProps, 'form' | 'user'>) {
  const sendsMail = useQuery(configQuery).data?.mail?.available
  const typed = form.watch('email').trim()
  const isUnconfirmed = typed !== '' && typed === user.email && !user.emailConfirmed
  return (
    <span className={isUnconfirmed ? 'font-semibold text-warn' : undefined}>{emailHint(typed, user, sendsMail)}</span>
  )
}

function emailHint(typed: string, { email, emailConfirmed }: UserFieldsProps['user'], sendsMail?: boolean): string {
  if (typed === '') return 'Without an address the user gets no mail and cannot reset a forgotten password.'
  if (typed === email) return emailConfirmed ? 'Confirmed' : 'Not confirmed'
  if (sendsMail === false) return 'This installation sends no mail, so addresses cannot be confirmed.'
  const confirmation = 'The user confirms the new address with the link in a mail and the password.'
  if (!email || !emailConfirmed) return confirmation
  return `${confirmation} ${email} gets a notice with a link that takes the change back.`
}

function Quota({ form }: Pick<UserFieldsProps, 'form'>) {
  const field = fieldsOf(form)
  const own = form.watch('quota') === 'own'
  return (
    <div className="grid gap-4 sm:grid-cols-2">
      <Field label="Storage limit" hint={own ? undefined : "The operator sets the installation's default, or none."}>
        {(control) => (
          <Select {...control} {...form.register('quota')}>
            <option value="default">Installation's default</option>
            <option value="own">Own limit</option>
          </Select>
        )}
      </Field>
      {own && (
        <div className="grid grid-cols-[1fr_auto] items-start gap-2">
          <TextField label="Limit" inputMode="decimal" autoComplete="off" {...field('quotaAmount')} />
          <Field label="Unit">
            {(control) => (
              <Select {...control} className="w-24" {...form.register('quotaUnit')}>
                {Object.keys(QUOTA_UNITS).map((unit) => (
                  <option key={unit}>{unit}</option>
                ))}
              </Select>
            )}
          </Field>
        </div>
      )}
    </div>
  )
}

function DialogPart({ title, children }: { title: string; children: ReactNode }) {
  const id = useId()
  return (
    <section aria-labelledby={id} className="grid gap-2 border-t border-line pt-5">
      <h3 id={id} className="font-semibold">
        {title}
      </h3>
      {children}
    </section>
  )
}

type UserDeletionProps = Pick<UserFieldsProps, 'user' | 'own'>

/** Requests the deletion of the account, and revokes it until it becomes final. `onErasing`: there is nothing left to edit. */
function UserDeletion({ user, own, onErasing }: UserDeletionProps & { onErasing: () => void }) {
  const [asking, setAsking] = useState(false)
  const client = useQueryClient()
  const remove = useAdminMutation({
    run: () => deleteUser(client, user.id),
    onSuccess: (deletesAt) => {
      const erasing = isErasing({ deletesAt })
      const when = erasing ? 'is being erased' : `is erased on ${dayOf(deletesAt)}`
      toast({ title: 'Deletion requested', description: `The account of ${user.username} ${when}.` })
      if (erasing) onErasing()
    },
    onError: (error) => toastFailure('Failed to delete the account', error),
  })
  const restore = useRestoreUser(user)
  const requested = user.deletesAt !== null

  return (
    <DialogPart title="Deletion">
      <p role={requested ? 'status' : undefined} className="text-sm text-pretty text-muted">
        {describeDeletion(user)}
      </p>
      {!isErasing(user) && (
        // One button for both, so that it keeps the focus.
        <ActionButton
          className="justify-self-start max-sm:w-full"
          busy={remove.isPending || restore.isPending}
          onClick={() => (requested ? restore.mutate() : setAsking(true))}
        >
          {requested ? <Undo2 aria-hidden /> : <Trash2 aria-hidden className="text-danger" />}
          <span className={requested ? undefined : 'text-danger'}>
            {requested ? 'Revoke deletion' : 'Delete account'}
          </span>
        </ActionButton>
      )}
      <ConfirmDialog
        open={asking}
        onOpenChange={setAsking}
        title={own ? 'Delete your own account?' : `Delete the account of ${user.username}?`}
        description={<Consequences user={user} own={own} />}
        confirmLabel="Delete account"
        danger
        onConfirm={() => {
          setAsking(false)
          remove.mutate()
        }}
      />
    </DialogPart>
  )
}

function describeDeletion(user: ManagedUser): string {
  const { deletesAt, deletionByAdmin } = user
  if (deletesAt === null) return 'Erases the account with all its photos, folders, votes received and orders.'
  if (isErasing(user)) return 'The account is being erased. Nothing of it can be changed or taken back.'
  const who = deletionByAdmin ? 'An administrator' : 'The user'
  return `${who} requested the deletion. The account is erased on ${formatDateTime(deletesAt)}; until then it can be revoked.`
}

function Consequences({ user, own }: UserDeletionProps) {
  const days = useQuery(configQuery).data?.accounts.deletionDays
  const name = fullName(user)
  const who = name ? `${name} (${user.username})` : user.username
  return (
    <>
      <span className="block">
        {`${own ? 'You are' : `${who} is`} logged out at once, and public folders can no longer be opened by their links.`}
      </span>
      <span className="mt-2 block font-semibold text-text">{describeEnd(days)}</span>
      <span className="mt-2 block">
        {`Then ${user.photoCount > 0 ? `${countOf(user.photoCount, 'photo')}, ` : ''}all folders, the votes they received and all print orders are erased. Nothing can be taken back from that moment on.`}
      </span>
    </>
  )
}

function describeEnd(days: number | undefined, now = Date.now()): string {
  if (days === undefined) return 'The deletion becomes final when the time for revoking it has passed.'
  if (days === 0) return 'The deletion becomes final immediately: it cannot be revoked.'
  const end = formatDateTime(new Date(now + days * 86_400_000).toISOString())
  return `The deletion becomes final in ${countOf(days, 'day')}, on ${end}. Until then it can be revoked.`
}

/** Sends the user a mail with a link that sets a new password; the administrator learns neither. */
function PasswordReset({ user }: { user: ManagedUser }) {
  const send = useAdminMutation({
    run: () => api('post', '/api/admin/users/{id}/password-reset', { path: { id: user.id } }),
    onSuccess: () => toast({ title: 'Password reset sent', description: `${user.username} gets a mail with a link.` }),
    onError: (error) => toastFailure('Failed to send the password reset', error),
  })
  const sendsMail = useQuery(configQuery).data?.mail?.available
  const obstacle = resetObstacle(user, sendsMail)
  return (
    <DialogPart title="Password">
      <p className="text-sm text-pretty wrap-anywhere text-muted">
        {obstacle ?? `Sends a link to ${user.email} that sets a new password. You never see the password.`}
      </p>
      <ActionButton
        className="justify-self-start max-sm:w-full"
        busy={send.isPending}
        blocked={obstacle !== null}
        onClick={() => send.mutate()}
      >
        <KeyRound aria-hidden /> Send password reset
      </ActionButton>
    </DialogPart>
  )
}

/** Why no mail can be sent; null if it can. */
function resetObstacle(user: ManagedUser, sendsMail: boolean | undefined): string | null {
  if (sendsMail === false) return 'This installation sends no mail, so no password reset can be sent.'
  if (!user.email) return 'The user has no address to which a password reset could be sent.'
  if (!user.emailConfirmed) return 'The address is not confirmed, so no password reset can be sent to it.'
  return null
}

export function valuesOf({ firstName, lastName, email, isAdmin, disabled, quota }: ManagedUser): UserValues {
  return {
    firstName: firstName ?? '',
    lastName: lastName ?? '',
    email: email ?? '',
    isAdmin,
    disabled,
    quota: quota === null ? 'default' : 'own',
    ...quotaFields(quota),
  }
}

/** A quota as number and unit, without rounding. */
function quotaFields(quota: number | null): TypedQuota {
  if (quota === null) return { quotaAmount: '', quotaUnit: 'GB' }
  const quotaUnit = quota > 0 && quota % QUOTA_UNITS.GB === 0 ? 'GB' : 'MB'
  // Exact to the byte, without an exponent.
  const quotaAmount = (quota / QUOTA_UNITS[quotaUnit]).toFixed(8).replace(/\.?0+$/, '')
  return { quotaAmount, quotaUnit }
}

/** The typed quota in bytes; null for a text that is none. */
function quotaOf({ quotaAmount, quotaUnit }: TypedQuota): number | null {
  const text = quotaAmount.trim().replace(/^(\d+),(\d)/, '$1.$2')
  if (!/^\d+(\.\d+)?$/.test(text)) return null
  const bytes = Math.round(Number(text) * QUOTA_UNITS[quotaUnit])
  return bytes <= MAX_QUOTA ? bytes : null
}

/** What is sent: only the fields that differ from the user, so that a change by somebody else stays. */
export function changesOf(user: ManagedUser, values: UserValues): UserChanges {
  const before = sentOf(valuesOf(user))
  const typed = sentOf(values)
  const fields = Object.keys(typed) as (keyof UserChanges)[]
  return Object.fromEntries(fields.filter((name) => typed[name] !== before[name]).map((name) => [name, typed[name]]))
}

function sentOf({ firstName, lastName, email, isAdmin, disabled, ...quota }: UserValues): Required<UserChanges> {
  return {
    firstName: firstName.trim() || null,
    lastName: lastName.trim() || null,
    email: email.trim() || null,
    isAdmin,
    disabled,
    quota: quota.quota === 'default' ? null : quotaOf(quota),
  }
}
