import { zodResolver } from '@hookform/resolvers/zod'
import { useId } from 'react'
import { useForm } from 'react-hook-form'
import type { User } from '../../api/types.ts'
import { Button } from '../../components/ui/button.tsx'
import { Dialog } from '../../components/ui/dialog.tsx'
import { Field, Input } from '../../components/ui/field.tsx'
import { showServerFields } from '../../lib/forms.ts'
import { useDeleteAccount } from './deletion-changes.ts'
import { finalitySentence } from './deletion-texts.ts'
import { AttemptFailure, SubmitButton } from './email-link-submit.tsx'
import { type OwnPasswordValues, ownPasswordSchema } from './password-schemas.ts'

interface DeleteAccountDialogProps {
  open: boolean
  onOpenChange: (open: boolean) => void
  user: User
  deletionDays: number
}

/** Asks for the password. A success leads to another page. */
export function DeleteAccountDialog({ open, onOpenChange, user, deletionDays }: DeleteAccountDialogProps) {
  const formId = useId()
  const deletion = useDeleteAccount()
  const { register, handleSubmit, setError, reset, formState } = useForm<OwnPasswordValues>({
    resolver: zodResolver(ownPasswordSchema),
    defaultValues: { password: '' },
  })
  const submit = handleSubmit(({ password }) =>
    deletion.mutate(password, { onError: (error) => showServerFields(error, ['password'], setError) }),
  )

  function change(next: boolean): void {
    if (deletion.isPending) return
    onOpenChange(next)
    // A failure of an earlier attempt says nothing about the next one, but its waiting time stays.
    if (next) return
    reset()
  }

  return (
    <Dialog
      open={open}
      onOpenChange={change}
      title="Delete your account?"
      description={`This deletes the account “${user.username}” with all photos, folders and print orders. ${finalitySentence(deletionDays)}`}
      footer={
        <>
          <Button aria-disabled={deletion.isPending} onClick={() => change(false)}>
            Cancel
          </Button>
          <SubmitButton variant="danger" form={formId} busy={deletion.isPending} error={deletion.error}>
            Delete my account
          </SubmitButton>
        </>
      }
    >
      <form id={formId} noValidate onSubmit={submit} className="grid gap-4">
        {/* Tells password managers whose password it is. */}
        <input type="text" autoComplete="username" value={user.username} readOnly hidden />
        <Field label="Password" error={formState.errors.password?.message}>
          {(control) => (
            <Input
              {...control}
              data-autofocus
              type="password"
              autoComplete="current-password"
              {...register('password')}
            />
          )}
        </Field>
        <AttemptFailure busy={deletion.isPending} error={deletion.error} />
      </form>
    </Dialog>
  )
}
