import { useQuery } from '@tanstack/react-query'
import { CircleCheck, MailWarning } from 'lucide-react'
import type { ReactNode } from 'react'
import { configQuery } from '../../api/queries.ts'
import type { User } from '../../api/types.ts'
import { Badge } from '../../components/ui/badge.tsx'
import { Button } from '../../components/ui/button.tsx'
import { useResendConfirmation } from './profile-changes.ts'

/** False where this installation sends no mail; undefined until it is known. */
export function useSendsMail(): boolean | undefined {
  return useQuery(configQuery).data?.mail?.available
}

/** Whether the address is confirmed, or what happens when the typed one is saved. */
export function EmailState({ user, typed }: { user: User; typed: string }) {
  const sendsMail = useSendsMail()
  if (typed !== (user.email ?? '')) return <ChangeHint user={user} typed={typed} sendsMail={sendsMail} />
  if (!user.email) {
    return <Hint>Without an address you get no mail, and a forgotten password cannot be reset.</Hint>
  }
  if (user.emailConfirmed) {
    return (
      <div>
        <Badge tone="good" icon={<CircleCheck aria-hidden />}>
          Confirmed
        </Badge>
      </div>
    )
  }
  return <Unconfirmed address={user.email} sendsMail={sendsMail} />
}

function Unconfirmed({ address, sendsMail }: { address: string; sendsMail: boolean | undefined }) {
  const resend = useResendConfirmation(address)
  return (
    <div className="grid gap-3 rounded-md bg-warn-soft px-4 py-3">
      <div className="grid justify-items-start gap-1">
        {/* Its text starts where the lines below it do: the badge has the color of the box. */}
        <div className="-ml-2.5">
          <Badge tone="warn" icon={<MailWarning aria-hidden />}>
            Not confirmed
          </Badge>
        </div>
        <p className="text-sm text-pretty wrap-anywhere">
          {sendsMail === false
            ? 'This installation sends no mail, so addresses cannot be confirmed.'
            : `Open the link in the mail to ${address}. Until then this address gets no notices and cannot reset a forgotten password.`}
        </p>
      </div>
      {sendsMail && (
        <Button
          size="small"
          className="justify-self-start"
          aria-disabled={resend.isPending}
          aria-busy={resend.isPending}
          onClick={() => !resend.isPending && resend.mutate()}
        >
          {resend.isPending ? 'Sending the mail' : 'Send the mail again'}
        </Button>
      )}
    </div>
  )
}

interface ChangeHintProps {
  user: User
  typed: string
  sendsMail: boolean | undefined
}

function ChangeHint({ user, typed, sendsMail }: ChangeHintProps) {
  if (typed === '') {
    return <Hint>Without an address you get no mail, and a forgotten password cannot be reset.</Hint>
  }
  if (sendsMail === false) return <Hint>This installation sends no mail, so addresses cannot be confirmed.</Hint>
  return (
    <Hint>
      After saving, we send a link to the new address. Opening it and entering your password confirms the address.
      {user.email && user.emailConfirmed && ` ${user.email} gets a notice with a link that takes the change back.`}
    </Hint>
  )
}

function Hint({ children }: { children: ReactNode }) {
  return (
    <p role="status" className="text-sm text-pretty wrap-anywhere text-muted">
      {children}
    </p>
  )
}
