import { useQuery } from '@tanstack/react-query'
import { useRef, useState } from 'react'
import { sessionsQuery } from '../../api/account.ts'
import type { AccountSession } from '../../api/types.ts'
import { lazyComponent } from '../../components/lazy.tsx'
import { Button } from '../../components/ui/button.tsx'
import { Skeleton } from '../../components/ui/loading.tsx'
import { countOf } from '../../lib/format.ts'
import { FailureNotice } from './email-link-submit.tsx'
import { Section } from './section.tsx'
import { useEndOtherSessions } from './sessions-changes.ts'
import { SessionRow } from './sessions-row.tsx'

const ConfirmDialog = lazyComponent(
  () => import('../../components/ui/confirm-dialog.tsx').then((code) => code.ConfirmDialog),
  { afterFirstScreen: true },
)

/** A user with more sessions sees the rest on demand. */
const SHOWN_AT_FIRST = 8

/** The devices that are signed in to the account. */
export function SessionsSection() {
  const { data: sessions, error, refetch } = useQuery(sessionsQuery)
  const heading = useRef<HTMLHeadingElement>(null)
  return (
    <Section
      title="Devices"
      description="Where your account is signed in. Sign out what you do not know or have lost, then change your password."
      headingRef={heading}
    >
      {sessions && <SessionList sessions={sessions} onEnded={() => heading.current?.focus()} />}
      {!sessions && error && (
        <div className="grid justify-items-start gap-3">
          <FailureNotice error={error} />
          <Button onClick={() => void refetch()}>Try again</Button>
        </div>
      )}
      {!sessions && !error && <SessionsSkeleton />}
    </Section>
  )
}

interface SessionListProps {
  sessions: AccountSession[]
  /** A row that had the focus is no longer there. */
  onEnded: () => void
}

function SessionList({ sessions, onEnded }: SessionListProps) {
  const [showsAll, setShowsAll] = useState(false)
  const ordered = sessions.toSorted((a, b) => Number(b.current) - Number(a.current))
  const shown = showsAll ? ordered : ordered.slice(0, SHOWN_AT_FIRST)
  const others = sessions.filter(({ current }) => !current).length
  return (
    <>
      <ul className="-my-2 divide-y divide-line">
        {shown.map((session) => (
          <li key={session.id}>
            <SessionRow session={session} onEnded={onEnded} />
          </li>
        ))}
      </ul>
      <div className="flex flex-wrap gap-2 max-sm:*:w-full">
        {others > 0 && <SignOutElsewhere others={others} />}
        {shown.length < ordered.length && (
          <Button variant="quiet" onClick={() => setShowsAll(true)}>
            Show all {countOf(ordered.length, 'device')}
          </Button>
        )}
      </div>
      {others === 0 && <p className="text-sm text-muted">No other device is signed in.</p>}
    </>
  )
}

function SignOutElsewhere({ others }: { others: number }) {
  const [open, setOpen] = useState(false)
  const end = useEndOtherSessions(() => setOpen(false))
  return (
    <>
      <Button onClick={() => setOpen(true)}>Sign out everywhere else</Button>
      <ConfirmDialog
        open={open}
        onOpenChange={setOpen}
        title="Sign out everywhere else?"
        description={`${others === 1 ? 'One other device has' : `${countOf(others, 'other device')} have`} to sign in again. This device stays signed in.`}
        confirmLabel={end.isError ? 'Retry' : 'Sign out everywhere else'}
        onConfirm={() => end.mutate()}
        busy={end.isPending}
        danger
      />
    </>
  )
}

function SessionsSkeleton() {
  return (
    <div role="status" className="-my-2 divide-y divide-line">
      <span className="sr-only">Loading devices</span>
      {[1, 2].map((row) => (
        <div key={row} className="flex items-center gap-4 py-4">
          <Skeleton className="size-10 rounded-md" />
          <div className="grid gap-2">
            <Skeleton className="h-4 w-40" />
            <Skeleton className="h-3.5 w-56" />
          </div>
        </div>
      ))}
    </div>
  )
}
