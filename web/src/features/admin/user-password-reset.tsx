import { useQuery } from '@tanstack/react-query'
import { KeyRound } from 'lucide-react'
import { useId } from 'react'
import { configQuery } from '../../api/queries.ts'
import type { ManagedUser } from '../../api/types.ts'
import { Button } from '../../components/ui/button.tsx'
import { useSendPasswordReset } from './user-changes.ts'

/** Sends the user a mail with a link that sets a new password; the administrator learns neither. */
export function PasswordReset({ user }: { user: ManagedUser }) {
  const id = useId()
  const send = useSendPasswordReset(user)
  const obstacle = useObstacle(user)
  const blocked = obstacle !== null || send.isPending
  return (
    <section aria-labelledby={id} className="grid gap-2 border-t border-line pt-5">
      <h3 id={id} className="font-semibold">
        Password
      </h3>
      <p className="text-sm text-pretty wrap-anywhere text-muted">
        {obstacle ?? `Sends a link to ${user.email} that sets a new password. You never see the password.`}
      </p>
      <Button
        size="small"
        className="justify-self-start max-sm:w-full"
        aria-disabled={blocked}
        aria-busy={send.isPending}
        onClick={() => !blocked && send.mutate()}
      >
        <KeyRound aria-hidden /> Send password reset
      </Button>
    </section>
  )
}

/** Why no mail can be sent; null if it can. */
function useObstacle(user: ManagedUser): string | null {
  const { data: config } = useQuery(configQuery)
  if (config?.mail?.available === false) return 'This installation sends no mail, so no password reset can be sent.'
  if (!user.email) return 'The user has no address to which a password reset could be sent.'
  if (!user.emailConfirmed) return 'The address is not confirmed, so no password reset can be sent to it.'
  return null
}
