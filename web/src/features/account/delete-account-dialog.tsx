import { zodResolver } from '@hookform/resolvers/zod'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useId } from 'react'
import { useForm } from 'react-hook-form'
import { useNavigate } from 'react-router-dom'
import { api } from '../../api/client.ts'
import { USER_DATA, userQuery } from '../../api/queries.ts'
import type { User } from '../../api/types.ts'
import { Button } from '../../components/ui/button.tsx'
import { Dialog } from '../../components/ui/dialog.tsx'
import { AttemptFailure, SubmitButton } from '../../components/ui/submit.tsx'
import { fieldsOf, TextField } from '../../components/ui/text-field.tsx'
import { showServerFields, z } from '../../lib/forms.ts'
import { mayLeave } from '../../lib/leave-guard.ts'
import { forgetLastStore } from '../../photos/printing.ts'
import { tellAccountChanged } from './account-channel.ts'
import type { DeletedState } from './account-deleted-screen.tsx'
import { finalitySentence } from './deletion-texts.ts'

const schema = z.object({ password: z.string().check(z.minLength(1, 'Password is required')) })

interface DeleteAccountDialogProps {
  open: boolean
  onOpenChange: (open: boolean) => void
  user: User
  deletionDays: number
}

/** Asks for the password. A success leads to another page. */
export function DeleteAccountDialog({ open, onOpenChange, user, deletionDays }: DeleteAccountDialogProps) {
  const formId = useId()
  const client = useQueryClient()
  const navigate = useNavigate()
  const deletion = useMutation({
    // Null when the user decides to stay because of unfinished work.
    mutationFn: async (password: string) =>
      (await mayLeave()) ? api('delete', '/api/user', { body: { password } }) : null,
    // Forgets what was read, and leads to the page that says what happens now.
    onSuccess: async (requested) => {
      if (!requested) return
      forgetLastStore(user.id)
      await navigate('/account-deleted', {
        replace: true,
        state: { deletesAt: requested.deletesAt } satisfies DeletedState,
      })
      await client.cancelQueries({ queryKey: userQuery.queryKey })
      client.setQueryData(userQuery.queryKey, null)
      client.removeQueries(USER_DATA)
      tellAccountChanged()
    },
  })
  const form = useForm({ resolver: zodResolver(schema), defaultValues: { password: '' } })
  const submit = form.handleSubmit(({ password }) =>
    deletion.mutate(password, { onError: (error) => showServerFields(error, ['password'], form.setError) }),
  )

  function change(next: boolean): void {
    if (deletion.isPending) return
    onOpenChange(next)
    // A failure of an earlier attempt says nothing about the next one, but its waiting time stays.
    if (!next) form.reset()
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
        <TextField
          label="Password"
          data-autofocus
          type="password"
          autoComplete="current-password"
          {...fieldsOf(form)('password')}
        />
        <AttemptFailure busy={deletion.isPending} error={deletion.error} />
      </form>
    </Dialog>
  )
}
