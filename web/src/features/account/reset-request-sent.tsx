import { useMutation } from '@tanstack/react-query'
import { MailCheck } from 'lucide-react'
import { requestPasswordReset } from '../../api/account.ts'
import { Button } from '../../components/ui/button.tsx'
import { toast } from '../../components/ui/toast.tsx'
import { AccountLink } from './email-link-account.tsx'
import { LinkCard, LinkText } from './email-link-card.tsx'
import { Submit } from './email-link-submit.tsx'

interface ResetRequestSentProps {
  email: string
  /** Back to the form. */
  onChange: () => void
}

/** What happens after the request. It reads the same whether or not an account has the address. */
export function ResetRequestSent({ email, onChange }: ResetRequestSentProps) {
  const send = useMutation({
    mutationFn: () => requestPasswordReset(email),
    onSuccess: () => toast({ title: 'Requested again', description: 'Only the link of the latest mail works.' }),
  })
  return (
    <LinkCard title="Check your mail" icon={<MailCheck className="size-5" />} tone="good" isResult>
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
        <Button onClick={onChange}>Use another address</Button>
        <AccountLink signedIn="Back to your profile" signedOut="Back to login" variant="quiet" />
      </div>
    </LinkCard>
  )
}
