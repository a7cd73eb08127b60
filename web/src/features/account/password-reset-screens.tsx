import { zodResolver } from '@hookform/resolvers/zod'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { MailCheck, MailX } from 'lucide-react'
import { useEffect, useState } from 'react'
import { useForm } from 'react-hook-form'
import { useLocation, useNavigate } from 'react-router-dom'
import { requestPasswordReset } from '../../api/account.ts'
import { api } from '../../api/client.ts'
import { configQuery, USER_DATA, userQuery } from '../../api/queries.ts'
import { Button } from '../../components/ui/button.tsx'
import { ScreenSpinner } from '../../components/ui/loading.tsx'
import { Submit } from '../../components/ui/submit.tsx'
import { fieldsOf, TextField } from '../../components/ui/text-field.tsx'
import { toast } from '../../components/ui/toast.tsx'
import { newPassword, PASSWORDS_MATCH, passwordConfirmation, showServerFields, z } from '../../lib/forms.ts'
import { hasStatus } from '../../lib/http.ts'
import type { ForgotPasswordState } from '../../lib/routing.ts'
import { BackLink, ForgotPasswordLink, LinkCard, LinkExpired, LinkText } from './link-card.tsx'
import { LinkScreen, useLinkAction } from './link-screen.tsx'
import { NewPasswordFields } from './new-password-fields.tsx'

export const resetRequestSchema = z.object({
  email: z.pipe(z.string().check(z.trim(), z.minLength(1, 'Email is required')), z.email('Invalid email address')),
})

export const resetSchema = z
  .object({ password: newPassword, confirmPassword: passwordConfirmation })
  .check(z.refine(({ password, confirmPassword }) => password === confirmPassword, PASSWORDS_MATCH))

/** Asks for an address and has a link for a new password sent to it. */
export function ResetRequestScreen() {
  const { data: config, isPending } = useQuery(configQuery)
  const [stage, setStage] = useState<'first' | 'sent' | 'again'>('first')
  const state = useLocation().state as ForgotPasswordState | null
  const [address, setAddress] = useState(state?.email ?? '')
  if (isPending) return <ScreenSpinner />
  if (config?.mail.available === false) {
    return (
      <LinkCard title="Forgot your password?" Icon={MailX} actions={<BackLink />}>
        <LinkText>This installation of Skyfolio sends no mail, so a new password cannot be set by a link.</LinkText>
        <LinkText>Ask the person who runs it for help, and name your username.</LinkText>
      </LinkCard>
    )
  }
  if (stage === 'sent') return <ResetRequestSent email={address} onBack={() => setStage('again')} />
  return (
    <ResetRequestForm
      email={address}
      isAgain={stage === 'again'}
      onSent={(requested) => {
        setAddress(requested)
        setStage('sent')
      }}
    />
  )
}

interface ResetRequestFormProps {
  /** What the field holds at first. */
  email: string
  /** The user came back to the field, which takes the focus. */
  isAgain: boolean
  onSent: (email: string) => void
}

function ResetRequestForm({ email, isAgain, onSent }: ResetRequestFormProps) {
  const send = useMutation({ mutationFn: requestPasswordReset, onSuccess: (_, requested) => onSent(requested) })
  const form = useForm({ resolver: zodResolver(resetRequestSchema), defaultValues: { email } })
  const { setFocus } = form
  useEffect(() => {
    if (isAgain) setFocus('email', { shouldSelect: true })
  }, [isAgain, setFocus])

  const submit = form.handleSubmit((values) =>
    send.mutate(values.email, { onError: (error) => showServerFields(error, ['email'], form.setError) }),
  )
  return (
    <LinkCard title="Forgot your password?">
      <LinkText>Enter the email address of your account. We send you a link to set a new password.</LinkText>
      <form noValidate onSubmit={submit} className="mt-5 grid gap-4">
        <TextField label="Email" type="email" autoComplete="email" autoCapitalize="none" {...fieldsOf(form)('email')} />
        <Submit busy={send.isPending} error={send.error}>
          Send link
        </Submit>
        <BackLink variant="quiet" />
      </form>
    </LinkCard>
  )
}

/** What happens after the request. It reads the same whether or not an account has the address. */
function ResetRequestSent({ email, onBack }: { email: string; onBack: () => void }) {
  const send = useMutation({
    mutationFn: () => requestPasswordReset(email),
    onSuccess: () => toast({ title: 'Requested again', description: 'Only the link of the latest mail works.' }),
  })
  return (
    <LinkCard title="Check your mail" Icon={MailCheck} tone="good" isResult>
      <LinkText>
        If <strong className="font-semibold text-text">{email}</strong> is the confirmed address of an account, a mail
        with a link is on its way. The link is valid for an hour and works once.
      </LinkText>
      <h2 className="mt-5 font-semibold">No mail after a few minutes?</h2>
      <ul className="mt-1 grid list-disc gap-1 pl-5 text-pretty text-muted marker:text-muted">
        <li>Look into the spam folder.</li>
        <li>Check the address for mistakes, or try another one of yours.</li>
        <li>Links are only sent to addresses that were confirmed. Without one, ask the person who runs Skyfolio.</li>
      </ul>
      <div className="mt-6 grid gap-2">
        <Submit variant="secondary" busy={send.isPending} error={send.error} onClick={() => send.mutate()}>
          Send again
        </Submit>
        <Button onClick={onBack}>Use another address</Button>
        <BackLink variant="quiet" />
      </div>
    </LinkCard>
  )
}

export function ResetPasswordScreen() {
  return <LinkScreen Content={ResetForm} actions={NEW_LINK_ACTIONS} />
}

const NEW_LINK_ACTIONS = (
  <>
    <ForgotPasswordLink variant="primary">Request a new link</ForgotPasswordLink>
    <BackLink />
  </>
)

function ResetForm({ token }: { token: string }) {
  const client = useQueryClient()
  const navigate = useNavigate()
  const reset = useLinkAction({
    mutationFn: (values: z.infer<typeof resetSchema>) =>
      api('post', '/api/password-reset/confirm', { body: { token, ...values } }),
    // This browser may have been signed in to the account: the user and all that was read is read again. Leads to the
    // login, or to the start page of another account that is signed in here.
    onSuccess: async () => {
      await client.invalidateQueries({ queryKey: userQuery.queryKey })
      client.removeQueries(USER_DATA)
      await navigate('/auth', { replace: true })
      toast({ title: 'Password changed', description: 'Log in with your new password.' })
    },
  })
  const form = useForm({ resolver: zodResolver(resetSchema), defaultValues: { password: '', confirmPassword: '' } })
  const field = fieldsOf(form)
  const submit = form.handleSubmit((values) =>
    reset.mutate(values, {
      onError: (error) => showServerFields(error, ['password', 'confirmPassword'], form.setError),
    }),
  )
  if (hasStatus(reset.error, 410)) {
    return (
      <LinkExpired actions={NEW_LINK_ACTIONS}>
        A link to set a password is valid for an hour and works once, and only that of the latest mail works.
      </LinkExpired>
    )
  }
  return (
    <LinkCard title="Choose a new password">
      <LinkText>This logs out all devices of the account.</LinkText>
      <form noValidate onSubmit={submit} className="mt-5 grid gap-4">
        <NewPasswordFields password={field('password')} confirmation={field('confirmPassword')} />
        <Submit busy={reset.isPending} error={reset.error}>
          Set password
        </Submit>
      </form>
    </LinkCard>
  )
}
