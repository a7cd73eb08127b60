import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { CircleCheck, MailCheck } from 'lucide-react'
import { type ReactNode, useEffect, useState } from 'react'
import { useForm } from 'react-hook-form'
import { api } from '../../api/client.ts'
import { userQuery } from '../../api/queries.ts'
import { Submit } from '../../components/ui/submit.tsx'
import { fieldsOf, TextField } from '../../components/ui/text-field.tsx'
import { showServerFields } from '../../lib/forms.ts'
import { ApiError, hasStatus } from '../../lib/http.ts'
import { tellAccountChanged } from './account-channel.ts'
import { AccountLink, BackLink, ForgotPasswordLink, LinkCard, LinkExpired, LinkText } from './link-card.tsx'
import { LinkScreen, useLinkAction } from './link-screen.tsx'

export function ConfirmEmailScreen() {
  return <LinkScreen Content={Confirmation} actions={<BackLink />} />
}

/** Takes a change of the address back by the link of the notice that the former address got. */
export function RevertEmailScreen() {
  return <LinkScreen Content={Reverting} actions={<BackLink />} />
}

/** Changes something about the address. It is read again in any case: the link may have been used in another browser. */
function useEmailAction<Values = void>(mutationFn: (values: Values) => Promise<void>) {
  const client = useQueryClient()
  return useLinkAction({
    mutationFn,
    onSuccess: tellAccountChanged,
    onSettled: () => client.invalidateQueries({ queryKey: userQuery.queryKey }),
  })
}

function Confirmation({ token }: { token: string }) {
  const confirm = useEmailAction((values: { password?: string }) =>
    api('post', '/api/user/email/confirm', { body: { token, ...values } }),
  )
  const [asksPassword, setAsksPassword] = useState(false)
  const form = useForm({ defaultValues: { password: '' } })
  const { setFocus } = form
  useEffect(() => {
    if (asksPassword) setFocus('password')
  }, [asksPassword, setFocus])

  const submit = form.handleSubmit((values) =>
    confirm.mutate(asksPassword ? values : {}, {
      onError: (error) => {
        if (asksPassword) return showServerFields(error, ['password'], form.setError)
        setAsksPassword(error instanceof ApiError && error.body?.fields?.password !== undefined)
      },
    }),
  )
  if (confirm.isSuccess) {
    return (
      <AddressConfirmed>If you ever forget your password, a link to set a new one can be sent to it.</AddressConfirmed>
    )
  }
  if (hasStatus(confirm.error, 410)) return <ConfirmationExpired />
  return (
    <LinkCard title="Confirm your email address">
      <LinkText>
        Confirm that this address is yours. From then on we send links and notices of your account to it.
      </LinkText>
      <form noValidate onSubmit={submit} className="mt-5 grid gap-4">
        {asksPassword && (
          <TextField
            label="Password"
            hint="The address of this account was changed, so the password of the account is needed."
            type="password"
            autoComplete="current-password"
            {...fieldsOf(form)('password', { required: 'Password is required' })}
          />
        )}
        <Submit busy={confirm.isPending} error={confirm.error}>
          Confirm address
        </Submit>
        {asksPassword && <ForgotPasswordLink variant="quiet" />}
      </form>
    </LinkCard>
  )
}

function AddressConfirmed({ children }: { children: ReactNode }) {
  return (
    <LinkCard
      title="Your address is confirmed"
      Icon={CircleCheck}
      tone="good"
      isResult
      actions={<AccountLink variant="primary" />}
    >
      <LinkText>{children}</LinkText>
    </LinkCard>
  )
}

/** The link of a confirmation does not work any more: what the user can do depends on who is signed in. */
function ConfirmationExpired() {
  const { data: user } = useQuery(userQuery)
  const send = useMutation({ mutationFn: () => api('post', '/api/user/email/confirmation', {}) })
  if (!user?.email) {
    return (
      <LinkExpired actions={<AccountLink signedOut="Login to send a new link" variant="primary" />}>
        A link to confirm an address is valid for 7 days and works once. Your profile shows whether the address is
        confirmed, and sends a new link.
      </LinkExpired>
    )
  }
  const address = <strong className="font-semibold text-text">{user.email}</strong>
  if (user.emailConfirmed) {
    return (
      <AddressConfirmed>
        The link was used before: {address} is confirmed. There is nothing left to do.
      </AddressConfirmed>
    )
  }
  if (send.isSuccess) {
    return (
      <LinkCard title="Check your mail" Icon={MailCheck} tone="good" isResult actions={<AccountLink />}>
        <LinkText>A mail with a new link is on its way to {address}.</LinkText>
      </LinkCard>
    )
  }
  return (
    <LinkExpired
      actions={
        <>
          <Submit busy={send.isPending} error={send.error} onClick={() => send.mutate()}>
            Send a new link
          </Submit>
          <AccountLink />
        </>
      }
    >
      A link to confirm an address is valid for 7 days and works once. We can send a new one to {address}.
    </LinkExpired>
  )
}

function Reverting({ token }: { token: string }) {
  const revert = useEmailAction(() => api('post', '/api/user/email/revert', { body: { token } }))
  if (revert.isSuccess) return <Reverted />
  if (hasStatus(revert.error, 410)) {
    return (
      <LinkExpired actions={<RevertActions />}>
        A link to change an address back is valid for 7 days and works once. If somebody else has taken over the
        account, ask the person who runs Skyfolio for help.
      </LinkExpired>
    )
  }
  return (
    <LinkCard title="Change your email address back">
      <LinkText>
        The email address of your account was changed. If that was not you, change it back to the one that got this
        mail.
      </LinkText>
      <LinkText>The account is then logged out everywhere, so that nobody else stays in it.</LinkText>
      <div className="mt-6">
        <Submit busy={revert.isPending} error={revert.error} onClick={() => revert.mutate()}>
          Change it back
        </Submit>
      </div>
    </LinkCard>
  )
}

function Reverted() {
  const { data: user } = useQuery(userQuery)
  return (
    <LinkCard
      title="Your address is restored"
      Icon={CircleCheck}
      tone="good"
      isResult
      actions={<RevertActions signedIn="Change password" />}
    >
      <LinkText>{`The account was logged out ${user ? 'on all other devices' : 'everywhere'}.`}</LinkText>
      <LinkText>
        {`Whoever changed the address may know your password: ${user ? '' : 'log in and '}change it now. If it does not work any more, set a new one by mail.`}
      </LinkText>
    </LinkCard>
  )
}

function RevertActions({ signedIn }: { signedIn?: string }) {
  return (
    <>
      <AccountLink signedIn={signedIn} variant="primary" />
      <ForgotPasswordLink />
    </>
  )
}
