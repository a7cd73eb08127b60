import { useMutation, useQueryClient } from '@tanstack/react-query'
import { CircleCheck } from 'lucide-react'
import { useEffect, useState } from 'react'
import { type UseFormRegisterReturn, useForm } from 'react-hook-form'
import { confirmEmail } from '../../api/account.ts'
import { userQuery } from '../../api/queries.ts'
import { Field, Input } from '../../components/ui/field.tsx'
import { showServerFields } from '../../lib/forms.ts'
import { ApiError, hasStatus } from '../../lib/http.ts'
import { tellAccountChanged } from './account-channel.ts'
import { AccountLink, ForgotPasswordLink } from './email-link-account.tsx'
import { LinkActions, LinkCard, LinkText } from './email-link-card.tsx'
import { LinkMissing } from './email-link-missing.tsx'
import { ConfirmationExpired } from './email-link-resend.tsx'
import { Submit } from './email-link-submit.tsx'
import { useLinkToken } from './email-link-token.ts'

/** Confirms an address by the link of a mail. */
export function ConfirmEmailScreen() {
  const { token, forget } = useLinkToken()
  if (token) return <Confirmation key={token} token={token} forget={forget} />
  return (
    <LinkMissing>
      <AccountLink signedIn="Back to your profile" signedOut="Back to login" />
    </LinkMissing>
  )
}

/** Waits for a click: programs that check mails open their links, too. */
function Confirmation({ token, forget }: { token: string; forget: () => void }) {
  const confirm = useConfirm(token, forget)
  const [asksPassword, setAsksPassword] = useState(false)
  const { register, handleSubmit, setError, setFocus, formState } = useForm({ defaultValues: { password: '' } })
  useEffect(() => {
    if (asksPassword) setFocus('password')
  }, [asksPassword, setFocus])

  const submit = handleSubmit(({ password }) =>
    confirm.mutate(asksPassword ? password : undefined, {
      onError: (error) => {
        if (asksPassword) return showServerFields(error, ['password'], setError)
        setAsksPassword(error instanceof ApiError && error.body?.fields?.password !== undefined)
      },
    }),
  )
  if (confirm.isSuccess) return <Confirmed />
  if (hasStatus(confirm.error, 410)) return <ConfirmationExpired />
  return (
    <LinkCard title="Confirm your email address">
      <LinkText>
        Confirm that this address is yours. From then on we send links and notices of your account to it.
      </LinkText>
      <form noValidate onSubmit={submit} className="mt-5 grid gap-4">
        {asksPassword && (
          <PasswordField
            error={formState.errors.password?.message}
            registration={register('password', { required: 'Password is required' })}
          />
        )}
        <Submit busy={confirm.isPending} error={confirm.error}>
          Confirm address
        </Submit>
        {asksPassword && <ForgotPasswordLink variant="quiet">Forgot password?</ForgotPasswordLink>}
      </form>
    </LinkCard>
  )
}

/** The user's address is read again in any case: the link may have been used in another browser. */
function useConfirm(token: string, forget: () => void) {
  const client = useQueryClient()
  return useMutation({
    mutationFn: (password?: string) => confirmEmail(password === undefined ? { token } : { token, password }),
    onSuccess: () => {
      forget()
      tellAccountChanged()
    },
    onError: (error) => hasStatus(error, 410) && forget(),
    onSettled: () => client.invalidateQueries({ queryKey: userQuery.queryKey }),
  })
}

function PasswordField({ error, registration }: { error?: string; registration: UseFormRegisterReturn }) {
  return (
    <Field
      label="Password"
      hint="The address of this account was changed, so the password of the account is needed."
      error={error}
    >
      {(control) => <Input {...control} type="password" autoComplete="current-password" {...registration} />}
    </Field>
  )
}

function Confirmed() {
  return (
    <LinkCard title="Your address is confirmed" icon={<CircleCheck className="size-5" />} tone="good" isResult>
      <LinkText>If you ever forget your password, a link to set a new one can be sent to it.</LinkText>
      <LinkActions>
        <AccountLink signedIn="Go to your profile" signedOut="Login" variant="primary" />
      </LinkActions>
    </LinkCard>
  )
}
