import { zodResolver } from '@hookform/resolvers/zod'
import { useMutation } from '@tanstack/react-query'
import { useForm } from 'react-hook-form'
import { resetPassword } from '../../api/account.ts'
import { Field, Input } from '../../components/ui/field.tsx'
import { showServerFields } from '../../lib/forms.ts'
import { hasStatus } from '../../lib/http.ts'
import { AccountLink, ForgotPasswordLink } from './email-link-account.tsx'
import { LinkCard, LinkText } from './email-link-card.tsx'
import { LinkExpired, LinkMissing } from './email-link-missing.tsx'
import { Submit } from './email-link-submit.tsx'
import { useLinkToken } from './email-link-token.ts'
import { type ResetValues, resetSchema } from './password-schemas.ts'
import { useAfterReset } from './reset-after.ts'

/** Sets a new password by the link of a mail. */
export function ResetPasswordScreen() {
  const { token, forget } = useLinkToken()
  if (token) return <ResetForm key={token} token={token} forget={forget} />
  return (
    <LinkMissing>
      <ForgotPasswordLink variant="primary">Request a new link</ForgotPasswordLink>
      <AccountLink signedIn="Back to your profile" signedOut="Back to login" />
    </LinkMissing>
  )
}

function ResetForm({ token, forget }: { token: string; forget: () => void }) {
  const enter = useAfterReset()
  const reset = useMutation({
    mutationFn: (values: ResetValues) => resetPassword({ token, ...values }),
    onSuccess: () => {
      forget()
      return enter()
    },
    onError: (error) => hasStatus(error, 410) && forget(),
  })
  const { register, handleSubmit, setError, formState } = useForm<ResetValues>({
    resolver: zodResolver(resetSchema),
    defaultValues: { password: '', confirmPassword: '' },
  })
  const { errors } = formState
  const submit = handleSubmit((values) =>
    reset.mutate(values, { onError: (error) => showServerFields(error, ['password', 'confirmPassword'], setError) }),
  )
  if (hasStatus(reset.error, 410)) return <ResetExpired />
  return (
    <LinkCard title="Choose a new password">
      <LinkText>This signs out all devices of the account.</LinkText>
      <form noValidate onSubmit={submit} className="mt-5 grid gap-4">
        <Field label="New password" hint="At least 6 characters" error={errors.password?.message}>
          {(control) => <Input {...control} type="password" autoComplete="new-password" {...register('password')} />}
        </Field>
        <Field label="Confirm new password" error={errors.confirmPassword?.message}>
          {(control) => (
            <Input {...control} type="password" autoComplete="new-password" {...register('confirmPassword')} />
          )}
        </Field>
        <Submit busy={reset.isPending} error={reset.error}>
          Set password
        </Submit>
      </form>
    </LinkCard>
  )
}

function ResetExpired() {
  return (
    <LinkExpired
      actions={
        <>
          <ForgotPasswordLink variant="primary">Request a new link</ForgotPasswordLink>
          <AccountLink signedIn="Back to your profile" signedOut="Back to login" />
        </>
      }
    >
      A link to set a password is valid for an hour and works once, and only that of the latest mail works.
    </LinkExpired>
  )
}
