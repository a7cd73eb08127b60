import { useMutation, useQuery } from '@tanstack/react-query'
import { CircleCheck, MailCheck } from 'lucide-react'
import { sendConfirmationMail } from '../../api/account.ts'
import { userQuery } from '../../api/queries.ts'
import { AccountLink } from './email-link-account.tsx'
import { LinkActions, LinkCard, LinkText } from './email-link-card.tsx'
import { LinkExpired } from './email-link-missing.tsx'
import { Submit } from './email-link-submit.tsx'

/** The link of a confirmation does not work any more: what the user can do depends on who is signed in. */
export function ConfirmationExpired() {
  const { data: user } = useQuery(userQuery)
  const send = useMutation({ mutationFn: sendConfirmationMail })
  if (user?.email && user.emailConfirmed) return <AlreadyConfirmed email={user.email} />
  if (user?.email && send.isSuccess) return <SentAgain email={user.email} />
  if (!user?.email) {
    return (
      <LinkExpired
        actions={<AccountLink signedIn="Go to your profile" signedOut="Login to send a new link" variant="primary" />}
      >
        A link to confirm an address is valid for 7 days and works once. Your profile shows whether the address is
        confirmed, and sends a new link.
      </LinkExpired>
    )
  }
  return (
    <LinkExpired
      actions={
        <>
          <Submit busy={send.isPending} error={send.error} onClick={() => send.mutate()}>
            Send a new link
          </Submit>
          <AccountLink signedIn="Go to your profile" signedOut="Login" />
        </>
      }
    >
      A link to confirm an address is valid for 7 days and works once. We can send a new one to{' '}
      <strong className="font-semibold text-text">{user.email}</strong>.
    </LinkExpired>
  )
}

function AlreadyConfirmed({ email }: { email: string }) {
  return (
    <LinkCard title="Your address is confirmed" icon={<CircleCheck className="size-5" />} tone="good" isResult>
      <LinkText>
        The link was used before: <strong className="font-semibold text-text">{email}</strong> is confirmed. There is
        nothing left to do.
      </LinkText>
      <LinkActions>
        <AccountLink signedIn="Go to your profile" signedOut="Login" variant="primary" />
      </LinkActions>
    </LinkCard>
  )
}

function SentAgain({ email }: { email: string }) {
  return (
    <LinkCard title="Check your mail" icon={<MailCheck className="size-5" />} tone="good" isResult>
      <LinkText>
        A mail with a new link is on its way to <strong className="font-semibold text-text">{email}</strong>.
      </LinkText>
      <LinkActions>
        <AccountLink signedIn="Go to your profile" signedOut="Login" />
      </LinkActions>
    </LinkCard>
  )
}
