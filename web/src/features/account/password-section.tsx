import { zodResolver } from '@hookform/resolvers/zod'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useForm } from 'react-hook-form'
import { changePassword, sessionsQuery } from '../../api/account.ts'
import { userQuery } from '../../api/queries.ts'
import { Field, Input } from '../../components/ui/field.tsx'
import { toast } from '../../components/ui/toast.tsx'
import { showServerFields } from '../../lib/server-fields.ts'
import { Submit } from './email-link-submit.tsx'
import { type PasswordChangeValues, passwordChangeSchema } from './password-schemas.ts'

const FIELDS = ['currentPassword', 'newPassword', 'confirmPassword'] as const
const EMPTY: PasswordChangeValues = { currentPassword: '', newPassword: '', confirmPassword: '' }

/** Changes the password of the signed-in user. */
export function PasswordSection() {
  const { data: user } = useQuery(userQuery)
  const { register, handleSubmit, setError, reset, formState } = useForm<PasswordChangeValues>({
    resolver: zodResolver(passwordChangeSchema),
    defaultValues: EMPTY,
  })
  const change = useChangePassword(() => reset(EMPTY))
  const { errors } = formState
  const submit = handleSubmit((values) =>
    change.mutate(values, { onError: (error) => showServerFields(error, FIELDS, setError) }),
  )
  return (
    <section aria-labelledby="password-heading">
      <h2 id="password-heading" className="text-lg font-semibold sm:text-xl">
        Password
      </h2>
      <p className="mb-4 text-pretty text-muted">Changing it signs out all other devices.</p>
      <form noValidate onSubmit={submit} className="grid max-w-md gap-4">
        {/* Tells password managers whose password it is. */}
        <input type="text" autoComplete="username" value={user?.username ?? ''} readOnly hidden />
        <Field label="Current password" error={errors.currentPassword?.message}>
          {(control) => (
            <Input {...control} type="password" autoComplete="current-password" {...register('currentPassword')} />
          )}
        </Field>
        <Field label="New password" hint="At least 6 characters" error={errors.newPassword?.message}>
          {(control) => <Input {...control} type="password" autoComplete="new-password" {...register('newPassword')} />}
        </Field>
        <Field label="Confirm new password" error={errors.confirmPassword?.message}>
          {(control) => (
            <Input {...control} type="password" autoComplete="new-password" {...register('confirmPassword')} />
          )}
        </Field>
        <Submit variant="secondary" busy={change.isPending} error={change.error}>
          Change password
        </Submit>
      </form>
    </section>
  )
}

function useChangePassword(onChanged: () => void) {
  const client = useQueryClient()
  return useMutation({
    mutationFn: changePassword,
    onSuccess: () => {
      onChanged()
      void client.invalidateQueries({ queryKey: sessionsQuery.queryKey })
      toast({ title: 'Password changed', description: 'All other devices were signed out.' })
    },
  })
}
