import { useQuery } from '@tanstack/react-query'
import { CircleCheck } from 'lucide-react'
import { Navigate, useLocation } from 'react-router-dom'
import { configQuery } from '../../api/queries.ts'
import { LinkButton } from '../../components/ui/link-button.tsx'
import { formatMoment } from './deletion-texts.ts'
import { LinkCard, LinkText } from './link-card.tsx'

export interface DeletedState {
  deletesAt: string
}

/** What follows the request to delete the own account: the user is signed out. */
export function AccountDeletedScreen() {
  const state = useLocation().state as DeletedState | null
  const { data: config } = useQuery(configQuery)
  if (!state?.deletesAt) return <Navigate to="/auth" replace />
  if (config?.accounts.deletionDays === 0) {
    return (
      <LinkCard title="Your account is being deleted" Icon={CircleCheck}>
        <LinkText>You are logged out everywhere. Your photos, folders and print orders are being erased.</LinkText>
      </LinkCard>
    )
  }
  const login = <LinkButton to="/auth">Login</LinkButton>
  return (
    <LinkCard title="Your account is scheduled for deletion" Icon={CircleCheck} actions={login}>
      <LinkText>
        Your account will be deleted on <span className="font-semibold text-text">{formatMoment(state.deletesAt)}</span>
        . Log in before then to keep it.
      </LinkText>
      <LinkText>You are logged out on all devices, and nobody sees your public folders any more.</LinkText>
    </LinkCard>
  )
}
