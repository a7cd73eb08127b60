import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { CircleCheck } from 'lucide-react'
import { revertEmail } from '../../api/account.ts'
import { userQuery } from '../../api/queries.ts'
import { hasStatus } from '../../lib/http.ts'
import { tellAccountChanged } from './account-channel.ts'
import { AccountLink, ForgotPasswordLink } from './email-link-account.tsx'
import { LinkActions, LinkCard, LinkText } from './email-link-card.tsx'
import { LinkExpired, LinkMissing } from './email-link-missing.tsx'
import { Submit } from './email-link-submit.tsx'
import { useLinkToken } from './email-link-token.ts'

/** Takes a change of the address back by the link of the notice that the former address got. */
export function RevertEmailScreen() {
  const { token, forget } = useLinkToken()
  if (token) return <Reverting key={token} token={token} forget={forget} />
  return (
    <LinkMissing>
      <AccountLink signedIn="Back to your profile" signedOut="Back to login" />
    </LinkMissing>
  )
}

function Reverting({ token, forget }: { token: string; forget: () => void }) {
  const client = useQueryClient()
  const revert = useMutation({
    mutationFn: () => revertEmail(token),
    onSuccess: async () => {
      forget()
      tellAccountChanged()
      await client.invalidateQueries({ queryKey: userQuery.queryKey })
    },
    onError: (error) => hasStatus(error, 410) && forget(),
  })
  if (revert.isSuccess) return <Reverted />
  if (hasStatus(revert.error, 410)) return <RevertExpired />
  return (
    <LinkCard title="Change your email address back">
      <LinkText>
        The email address of your account was changed. If that was not you, change it back to the one that got this
        mail.
      </LinkText>
      <LinkText>The account is then signed out everywhere, so that nobody else stays in it.</LinkText>
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
    <LinkCard title="Your address is restored" icon={<CircleCheck className="size-5" />} tone="good" isResult>
      <LinkText>The account was signed out {user ? 'on all other devices' : 'everywhere'}.</LinkText>
      <LinkText>
        Whoever changed the address may know your password: {user ? '' : 'sign in and '}change it now. If it does not
        work any more, set a new one by mail.
      </LinkText>
      <LinkActions>
        <AccountLink signedIn="Change password" signedOut="Login" variant="primary" />
        <ForgotPasswordLink>Forgot password?</ForgotPasswordLink>
      </LinkActions>
    </LinkCard>
  )
}

function RevertExpired() {
  return (
    <LinkExpired
      actions={
        <>
          <AccountLink signedIn="Go to your profile" signedOut="Login" variant="primary" />
          <ForgotPasswordLink>Forgot password?</ForgotPasswordLink>
        </>
      }
    >
      A link to change an address back is valid for 7 days and works once. If somebody else has taken over the account,
      ask the person who runs Skyfolio for help.
    </LinkExpired>
  )
}
