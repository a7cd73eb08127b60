import { useQuery } from '@tanstack/react-query'
import { Link } from 'react-router-dom'
import { userQuery } from '../../api/queries.ts'
import { Button } from '../../components/ui/button.tsx'
import type { SignInState } from '../../lib/routing.ts'

interface AccountLinkProps {
  /** What it leads to for a signed-in user: the profile. */
  signedIn: string
  signedOut: string
  variant?: 'primary' | 'secondary' | 'quiet'
}

/** Leads to the profile, for signed-out users by the login. */
export function AccountLink({ signedIn, signedOut, variant }: AccountLinkProps) {
  const { data: user } = useQuery(userQuery)
  return (
    <Button asChild variant={variant}>
      {user ? (
        <Link to="/profile">{signedIn}</Link>
      ) : (
        <Link to="/auth" state={{ from: '/profile' } satisfies SignInState}>
          {signedOut}
        </Link>
      )}
    </Button>
  )
}

export function ForgotPasswordLink({
  children,
  variant,
}: {
  children: string
  variant?: 'primary' | 'secondary' | 'quiet'
}) {
  return (
    <Button asChild variant={variant}>
      <Link to="/forgot-password">{children}</Link>
    </Button>
  )
}
