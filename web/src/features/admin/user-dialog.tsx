import { zodResolver } from '@hookform/resolvers/zod'
import { useQuery } from '@tanstack/react-query'
import { KeyRound, Trash2, Undo2 } from 'lucide-react'
import { type ReactNode, useId, useMemo, useState } from 'react'
import { useForm } from 'react-hook-form'
import { managedUserQuery } from '../../api/admin.ts'
import { configQuery, userQuery } from '../../api/queries.ts'
import type { ManagedUser } from '../../api/types.ts'
import { AlertText } from '../../components/ui/alert-text.tsx'
import { Button } from '../../components/ui/button.tsx'
import { ConfirmDialog } from '../../components/ui/confirm-dialog.tsx'
import { Dialog } from '../../components/ui/dialog.tsx'
import { Spinner } from '../../components/ui/spinner.tsx'
import { useUnsavedEdits } from '../../components/unsaved-edits.tsx'
import { countOf, formatDateTime } from '../../lib/format.ts'
import { ApiError, errorMessage, isRetryable } from '../../lib/http.ts'
import { showServerFields } from '../../lib/server-fields.ts'
import { ActionButton, Failure } from './admin-parts.tsx'
import { changesOf, UserFields, type UserValues, userSchema, valuesOf } from './user-fields.tsx'
import { fullName, isErasing, useChangeUser, useDeleteUser, useRestoreUser, useSendPasswordReset } from './users.ts'

const SERVER_FIELDS = ['firstName', 'lastName', 'email', 'isAdmin', 'disabled'] as const

interface UserDialogProps {
  /** As the list shows the user. */
  user: ManagedUser
  onClose: () => void
}

/** Edits a user, sends a password reset, requests and revokes the deletion. Edits are discarded only after a question. */
export function UserDialog({ user: listed, onClose }: UserDialogProps) {
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
  const change = useChangeUser(listed)
  const edited = form.formState.isDirty
  const blocked = !user || change.isPending
  const unsaved = useUnsavedEdits(edited)
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
  const name = fullName(listed)
  return (
    <>
      {unsaved.question}
      <Dialog
        open
        onOpenChange={(open) => !open && close()}
        title={`Edit ${listed.username}`}
        description={name ?? undefined}
        footer={
          <>
            {change.failure && !hasFields(change.failure) && (
              <div className="basis-full!">
                <AlertText>{errorMessage(change.failure)}</AlertText>
              </div>
            )}
            <Button onClick={close}>{locked ? 'Close' : 'Cancel'}</Button>
            {!locked && (
              // Not `disabled`: it would lose the focus.
              <Button variant="primary" type="submit" form={id} aria-disabled={blocked} aria-busy={change.isPending}>
                {change.isPending && <Spinner className="text-current" />}
                {change.failure && isRetryable(change.failure) && change.failure instanceof ApiError ? 'Retry' : 'Save'}
              </Button>
            )}
          </>
        }
      >
        {user ? (
          <div className="grid gap-6">
            <form id={id} noValidate onSubmit={form.handleSubmit(save)}>
              <UserFields form={form} user={user} own={user.id === me?.id} locked={locked} />
            </form>
            {!locked && <PasswordReset user={user} />}
            <UserDeletion user={user} own={user.id === me?.id} onErasing={onClose} />
          </div>
        ) : (
          <Failure what="user" error={present.error} onRetry={() => void present.refetch()} />
        )}
      </Dialog>
    </>
  )
}

/** What belongs to a field is shown there. */
function hasFields(error: Error): boolean {
  return error instanceof ApiError && error.body?.fields !== undefined
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

interface UserDeletionProps {
  user: ManagedUser
  own: boolean
  /** The account is being erased: there is nothing left to edit. */
  onErasing: () => void
}

/** Requests the deletion of the account, and revokes it until it becomes final. */
function UserDeletion({ user, own, onErasing }: UserDeletionProps) {
  const [asking, setAsking] = useState(false)
  const remove = useDeleteUser(user, onErasing)
  const restore = useRestoreUser(user)
  const busy = remove.isPending || restore.isPending
  const requested = user.deletesAt !== null

  function press(): void {
    if (requested) restore.mutate()
    else setAsking(true)
  }

  function confirm(): void {
    setAsking(false)
    remove.mutate()
  }

  return (
    <DialogPart title="Deletion">
      <p role={requested ? 'status' : undefined} className="text-sm text-pretty text-muted">
        {describeDeletion(user)}
      </p>
      {!isErasing(user) && (
        // One button for both, so that it keeps the focus.
        <ActionButton className="justify-self-start max-sm:w-full" busy={busy} onClick={press}>
          {requested ? <Undo2 aria-hidden /> : <Trash2 aria-hidden className="text-danger" />}
          {requested ? 'Revoke deletion' : <span className="text-danger">Delete account</span>}
        </ActionButton>
      )}
      <ConfirmDialog
        open={asking}
        onOpenChange={setAsking}
        title={own ? 'Delete your own account?' : `Delete the account of ${user.username}?`}
        description={<Consequences user={user} own={own} />}
        confirmLabel="Delete account"
        danger
        onConfirm={confirm}
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

function Consequences({ user, own }: Pick<UserDeletionProps, 'user' | 'own'>) {
  const days = useQuery(configQuery).data?.accounts.deletionDays
  const name = fullName(user)
  const who = name ? `${name} (${user.username})` : user.username
  return (
    <>
      <span className="block">
        {own ? 'You are' : `${who} is`} signed out at once, and public folders can no longer be opened by their links.
      </span>
      <span className="mt-2 block font-semibold text-text">{describeEnd(days)}</span>
      <span className="mt-2 block">
        Then {user.photoCount > 0 && `${countOf(user.photoCount, 'photo')}, `}all folders, the votes they received and
        all print orders are erased. Nothing can be taken back from that moment on.
      </span>
    </>
  )
}

/** When the deletion becomes final. */
function describeEnd(days: number | undefined, now = Date.now()): string {
  if (days === undefined) return 'The deletion becomes final when the time for revoking it has passed.'
  if (days === 0) return 'The deletion becomes final immediately: it cannot be revoked.'
  const end = formatDateTime(new Date(now + days * 86_400_000).toISOString())
  return `The deletion becomes final in ${countOf(days, 'day')}, on ${end}. Until then it can be revoked.`
}

/** Sends the user a mail with a link that sets a new password; the administrator learns neither. */
function PasswordReset({ user }: { user: ManagedUser }) {
  const send = useSendPasswordReset(user)
  const obstacle = useObstacle(user)
  return (
    <DialogPart title="Password">
      <p className="text-sm text-pretty wrap-anywhere text-muted">
        {obstacle ?? `Sends a link to ${user.email} that sets a new password. You never see the password.`}
      </p>
      <ActionButton
        className="justify-self-start max-sm:w-full"
        busy={send.isPending}
        disabled={obstacle !== null || send.isPending}
        onClick={() => send.mutate()}
      >
        <KeyRound aria-hidden /> Send password reset
      </ActionButton>
    </DialogPart>
  )
}

/** Why no mail can be sent; null if it can. */
function useObstacle(user: ManagedUser): string | null {
  const { data: config } = useQuery(configQuery)
  if (config?.mail?.available === false) return 'This installation sends no mail, so no password reset can be sent.'
  if (!user.email) return 'The user has no address to which a password reset could be sent.'
  if (!user.emailConfirmed) return 'The address is not confirmed, so no password reset can be sent to it.'
  return null
}
