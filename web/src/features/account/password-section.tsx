import { zodResolver } from '@hookform/resolvers/zod'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useForm } from 'react-hook-form'
import { changePassword, sessionsQuery } from '../../api/account.ts'
import { userQuery } from '../../api/queries.ts'
import { Field, Input } from '../../components/ui/field.tsx'
import { toast } from '../../components/ui/toast.tsx'
import { newPassword, PASSWORDS_MATCH, passwordConfirmation, showServerFields, z } from '../../lib/forms.ts'
import { Section } from './section.tsx'
import { Submit } from './submit.tsx'

export const passwordChangeSchema = z
  .object({
    currentPassword: z.string().check(z.minLength(1, 'Current password is required')),
    newPassword,
    confirmPassword: passwordConfirmation,
  })
  .check(z.refine(({ newPassword, confirmPassword }) => newPassword === confirmPassword, PASSWORDS_MATCH))

const FIELDS = ['currentPassword', 'newPassword', 'confirmPassword'] as const
const EMPTY = { currentPassword: '', newPassword: '', confirmPassword: '' }

/** Changes the password of the signed-in user. */
export function PasswordSection() {
  const { data: user } = useQuery(userQuery)
  const { register, handleSubmit, setError, reset, formState } = useForm({
    resolver: zodResolver(passwordChangeSchema),
    defaultValues: EMPTY,
  })
  const client = useQueryClient()
  const change = useMutation({
    mutationFn: changePassword,
    onSuccess: () => {
      reset(EMPTY)
      void client.invalidateQueries({ queryKey: sessionsQuery.queryKey })
      toast({ title: 'Password changed', description: 'All other devices were signed out.' })
    },
  })
  const { errors } = formState
  const submit = handleSubmit((values) =>
    change.mutate(values, { onError: (error) => showServerFields(error, FIELDS, setError) }),
  )
  return (
    <Section title="Password" description="Changing it signs out all other devices.">
      <form noValidate onSubmit={submit} className="grid gap-4">
        {/* Tells password managers whose password it is. */}
        <input type="text" autoComplete="username" value={user?.username ?? ''} readOnly hidden />
        <Field label="Current password" error={errors.currentPassword?.message}>
          {(control) => (
            <Input {...control} type="password" autoComplete="current-password" {...register('currentPassword')} />
          )}
        </Field>
        <div className="grid gap-4 sm:grid-cols-2">
          <Field label="New password" hint="At least 6 characters" error={errors.newPassword?.message}>
            {(control) => (
              <Input {...control} type="password" autoComplete="new-password" {...register('newPassword')} />
            )}
          </Field>
          <Field label="Confirm new password" error={errors.confirmPassword?.message}>
            {(control) => (
              <Input {...control} type="password" autoComplete="new-password" {...register('confirmPassword')} />
            )}
          </Field>
        </div>
        <Submit variant="secondary" className="sm:justify-self-end" busy={change.isPending} error={change.error}>
          Change password
        </Submit>
      </form>
    </Section>
  )
}
