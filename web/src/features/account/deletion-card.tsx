import { useMutation, useQueryClient } from '@tanstack/react-query'
import { Hourglass } from 'lucide-react'
import type { ReactNode } from 'react'
import { api } from '../../api/client.ts'
import { userQuery } from '../../api/queries.ts'
import type { User } from '../../api/types.ts'
import { AttemptFailure, SubmitButton } from '../../components/ui/submit.tsx'
import { toast } from '../../components/ui/toast.tsx'
import { useNow } from '../../lib/use-now.ts'
import { tellAccountChanged } from './account-channel.ts'
import { formatMoment, formatUntil } from './deletion-texts.ts'
import { ExportSection } from './export-section.tsx'
import { LinkCard, LinkText } from './link-card.tsx'

/** All that a user sees whose account is being deleted: when, how to take it back, the export, and a button that signs out. */
export function DeletionCard({ user, deletesAt, logout }: { user: User; deletesAt: string; logout: ReactNode }) {
  const now = useNow()
  const client = useQueryClient()
  const restore = useMutation({
    mutationFn: () => api('post', '/api/user/restore', {}),
    onSuccess: async () => {
      await client.invalidateQueries()
      tellAccountChanged()
      document.getElementById('main')?.focus({ preventScroll: true })
      toast({ title: 'Your account is kept', description: 'Your public folders are visible again.' })
    },
    // An administrator may have requested it since.
    onError: () => client.invalidateQueries({ queryKey: userQuery.queryKey }),
  })
  return (
    <LinkCard
      title="Your account is scheduled for deletion"
      Icon={Hourglass}
      tone="warn"
      isResult
      below={<ExportSection />}
      actions={
        <>
          {user.canRestore && (
            <SubmitButton busy={restore.isPending} error={restore.error} onClick={() => restore.mutate()}>
              Keep my account
            </SubmitButton>
          )}
          {logout}
        </>
      }
    >
      <LinkText>
        It will be deleted on{' '}
        <time dateTime={deletesAt} className="font-semibold text-text">
          {formatMoment(deletesAt)}
        </time>{' '}
        <span>{`(${formatUntil(deletesAt, now)})`}</span>, with all photos, folders and print orders. Until then nobody
        sees your public folders.
      </LinkText>
      {!user.canRestore && (
        <LinkText>
          An administrator has requested this. Only an administrator can revoke it: ask one if it is a mistake.
        </LinkText>
      )}
      <div className="mt-4 empty:hidden">
        <AttemptFailure busy={restore.isPending} error={restore.error} />
      </div>
    </LinkCard>
  )
}
