import { zodResolver } from '@hookform/resolvers/zod'
import { useMutation } from '@tanstack/react-query'
import { useEffect } from 'react'
import { useForm } from 'react-hook-form'
import { requestPasswordReset } from '../../api/account.ts'
import { Field, Input } from '../../components/ui/field.tsx'
import { showServerFields } from '../../lib/forms.ts'
import { AccountLink } from './email-link-account.tsx'
import { LinkCard, LinkText } from './email-link-card.tsx'
import { Submit } from './email-link-submit.tsx'
import { type ResetRequestValues, resetRequestSchema } from './password-schemas.ts'

interface ResetRequestFormProps {
  /** What the field holds at first. */
  email: string
  /** The field takes the focus: the user came back to it. */
  focused: boolean
  onSent: (email: string) => void
}

export function ResetRequestForm({ email, focused, onSent }: ResetRequestFormProps) {
  const send = useMutation({ mutationFn: requestPasswordReset, onSuccess: (_, requested) => onSent(requested) })
  const { register, handleSubmit, setError, setFocus, formState } = useForm<ResetRequestValues>({
    resolver: zodResolver(resetRequestSchema),
    defaultValues: { email },
  })
  useEffect(() => {
    if (focused) setFocus('email', { shouldSelect: true })
  }, [focused, setFocus])

  const submit = handleSubmit((values) =>
    send.mutate(values.email, { onError: (error) => showServerFields(error, ['email'], setError) }),
  )
  return (
    <LinkCard title="Forgot your password?">
      <LinkText>Enter the email address of your account. We send you a link to set a new password.</LinkText>
      <form noValidate onSubmit={submit} className="mt-5 grid gap-4">
        <Field label="Email" error={formState.errors.email?.message}>
          {(control) => (
            <Input {...control} type="email" autoComplete="email" autoCapitalize="none" {...register('email')} />
          )}
        </Field>
        <Submit busy={send.isPending} error={send.error}>
          Send link
        </Submit>
        <AccountLink signedIn="Back to your profile" signedOut="Back to login" variant="quiet" />
      </form>
    </LinkCard>
  )
}
