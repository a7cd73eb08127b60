import { useQuery } from '@tanstack/react-query'
import { CircleCheck } from 'lucide-react'
import { Link, Navigate, useLocation } from 'react-router-dom'
import { configQuery } from '../../api/queries.ts'
import { Button } from '../../components/ui/button.tsx'
import type { DeletedState } from './deletion-changes.ts'
import { formatMoment } from './deletion-texts.ts'
import { LinkActions, LinkCard, LinkText } from './email-link-card.tsx'

/** What follows the request to delete the own account: the user is signed out. */
export function AccountDeletedScreen() {
  const state = useLocation().state as DeletedState | null
  const { data: config } = useQuery(configQuery)
  if (!state?.deletesAt) return <Navigate to="/auth" replace />
  if (config?.accounts.deletionDays === 0) {
    return (
      <LinkCard title="Your account is being deleted" icon={<CircleCheck className="size-5" />}>
        <LinkText>You are signed out everywhere. Your photos, folders and print orders are being erased.</LinkText>
      </LinkCard>
    )
  }
  const date = formatMoment(state.deletesAt)
  return (
    <LinkCard title="Your account is scheduled for deletion" icon={<CircleCheck className="size-5" />}>
      <LinkText>
        Your account will be deleted on <span className="font-semibold text-text">{date}</span>. Sign in before then to
        keep it.
      </LinkText>
      <LinkText>You are signed out on all devices, and nobody sees your public folders any more.</LinkText>
      <LinkActions>
        <Button asChild>
          <Link to="/auth">Login</Link>
        </Button>
      </LinkActions>
    </LinkCard>
  )
}
