import { LogOut } from 'lucide-react'
import type { User } from '../api/types.ts'
import { Button } from '../components/ui/button.tsx'
import { DeletionCard } from '../features/account/deletion-card.tsx'
import { useLogout } from './session.ts'

/** Instead of every screen that needs an account, while the account is being deleted. */
export default function DeletionScreen({ user }: { user: User }) {
  const logout = useLogout()
  return (
    <DeletionCard
      user={user}
      deletesAt={user.deletesAt ?? ''}
      logout={
        <Button busy={logout.isPending} onClick={() => logout.mutate()}>
          <LogOut aria-hidden /> Log out
        </Button>
      }
    />
  )
}
