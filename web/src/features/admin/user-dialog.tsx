import { zodResolver } from '@hookform/resolvers/zod'
import { useQuery } from '@tanstack/react-query'
import { useId, useMemo } from 'react'
import { useForm } from 'react-hook-form'
import { managedUserQuery } from '../../api/admin.ts'
import { userQuery } from '../../api/queries.ts'
import type { ManagedUser } from '../../api/types.ts'
import { Button } from '../../components/ui/button.tsx'
import { Dialog } from '../../components/ui/dialog.tsx'
import { Spinner } from '../../components/ui/loading.tsx'
import { useUnsavedEdits } from '../../components/unsaved-edits.tsx'
import { showServerFields } from '../../lib/forms.ts'
import { ApiError, isRetryable } from '../../lib/http.ts'
import { Failure } from './failures.tsx'
import { SaveFailure } from './save-failure.tsx'
import { useChangeUser } from './user-changes.ts'
import { UserDeletion } from './user-deletion.tsx'
import { UserFields } from './user-fields.tsx'
import { changesOf, type UserValues, userSchema, valuesOf } from './user-form.ts'
import { PasswordReset } from './user-password-reset.tsx'
import { fullName, isErasing } from './user-texts.ts'

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
  const {
    data: user,
    error,
    refetch,
  } = useQuery({
    ...managedUserQuery(listed.id),
    placeholderData: listed,
  })
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
            <SaveFailure error={change.failure} />
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
          <Failure title="The user could not be loaded" error={error} onRetry={() => void refetch()} />
        )}
      </Dialog>
    </>
  )
}
