import { Hourglass } from 'lucide-react'
import type { ReactNode } from 'react'
import type { User } from '../../api/types.ts'
import { useNow } from '../../lib/use-now.ts'
import { useRestoreAccount } from './deletion-changes.ts'
import { formatMoment, formatUntil } from './deletion-texts.ts'
import { LinkActions, LinkCard, LinkText } from './email-link-card.tsx'
import { AttemptFailure, SubmitButton } from './email-link-submit.tsx'
import { ExportSection } from './export-section.tsx'

interface DeletionCardProps {
  user: User
  deletesAt: string
  /** The button that signs out. */
  logout: ReactNode
}

/** All that a user sees whose account is being deleted: when, how to take it back, and the export. */
export function DeletionCard({ user, deletesAt, logout }: DeletionCardProps) {
  const now = useNow()
  const restore = useRestoreAccount()
  return (
    <LinkCard
      title="Your account is scheduled for deletion"
      icon={<Hourglass className="size-5" />}
      tone="warn"
      isResult
      below={<ExportSection />}
    >
      <LinkText>
        It will be deleted on{' '}
        <time dateTime={deletesAt} className="font-semibold text-text">
          {formatMoment(deletesAt)}
        </time>{' '}
        ({formatUntil(deletesAt, now)}), with all photos, folders and print orders. Until then nobody sees your public
        folders.
      </LinkText>
      {!user.canRestore && (
        <LinkText>
          An administrator has requested this. Only an administrator can revoke it: ask one if it is a mistake.
        </LinkText>
      )}
      <div className="mt-4 empty:hidden">
        <AttemptFailure busy={restore.isPending} error={restore.error} />
      </div>
      <LinkActions>
        {user.canRestore && (
          <SubmitButton busy={restore.isPending} error={restore.error} onClick={() => restore.mutate()}>
            Keep my account
          </SubmitButton>
        )}
        {logout}
      </LinkActions>
    </LinkCard>
  )
}
