import { zodResolver } from '@hookform/resolvers/zod'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useForm } from 'react-hook-form'
import { sessionsQuery } from '../../api/account.ts'
import { api } from '../../api/client.ts'
import { userQuery } from '../../api/queries.ts'
import { Submit } from '../../components/ui/submit.tsx'
import { fieldsOf, TextField } from '../../components/ui/text-field.tsx'
import { toast } from '../../components/ui/toast.tsx'
import { newPassword, PASSWORDS_MATCH, passwordConfirmation, showServerFields, z } from '../../lib/forms.ts'
import { NewPasswordFields } from './new-password-fields.tsx'
import { Section } from './section.tsx'

export const passwordChangeSchema = z
  .object({
    currentPassword: z.string().check(z.minLength(1, 'Current password is required')),
    newPassword,
    confirmPassword: passwordConfirmation,
  })
  .check(z.refine(({ newPassword, confirmPassword }) => newPassword === confirmPassword, PASSWORDS_MATCH))

const FIELDS = ['currentPassword', 'newPassword', 'confirmPassword'] as const
const EMPTY = { currentPassword: '', newPassword: '', confirmPassword: '' }

export function PasswordSection() {
  const { data: user } = useQuery(userQuery)
  const form = useForm({ resolver: zodResolver(passwordChangeSchema), defaultValues: EMPTY })
  const field = fieldsOf(form)
  const client = useQueryClient()
  const change = useMutation({
    mutationFn: (body: z.infer<typeof passwordChangeSchema>) => api('post', '/api/user/password', { body }),
    onSuccess: () => {
      form.reset(EMPTY)
      void client.invalidateQueries({ queryKey: sessionsQuery.queryKey })
      toast({ title: 'Password changed', description: 'All other devices were logged out.' })
    },
  })
  const submit = form.handleSubmit((values) =>
    change.mutate(values, { onError: (error) => showServerFields(error, FIELDS, form.setError) }),
  )
  return (
    <Section title="Password" description="Changing it logs out all other devices.">
      <form noValidate onSubmit={submit} className="grid gap-4">
        {/* Tells password managers whose password it is. */}
        <input type="text" autoComplete="username" value={user?.username ?? ''} readOnly hidden />
        <TextField
          label="Current password"
          type="password"
          autoComplete="current-password"
          {...field('currentPassword')}
        />
        <div className="grid gap-4 sm:grid-cols-2">
          <NewPasswordFields password={field('newPassword')} confirmation={field('confirmPassword')} />
        </div>
        <Submit variant="secondary" className="sm:justify-self-end" busy={change.isPending} error={change.error}>
          Change password
        </Submit>
      </form>
    </Section>
  )
}
