import { useQuery } from '@tanstack/react-query'
import { useRef, useState } from 'react'
import { sessionsQuery } from '../../api/account.ts'
import type { AccountSession } from '../../api/types.ts'
import { Button } from '../../components/ui/button.tsx'
import { ConfirmDialog } from '../../components/ui/confirm-dialog.tsx'
import { ErrorState } from '../../components/ui/empty-state.tsx'
import { Skeleton } from '../../components/ui/skeleton.tsx'
import { countOf } from '../../lib/format.ts'
import { errorMessage } from '../../lib/http.ts'
import { useEndOtherSessions } from './sessions-changes.ts'
import { SessionRow } from './sessions-row.tsx'

/** A user with more sessions sees the rest on demand. */
const SHOWN_AT_FIRST = 8

/** The devices that are signed in to the account. */
export function SessionsSection() {
  const { data: sessions, error, refetch } = useQuery(sessionsQuery)
  const heading = useRef<HTMLHeadingElement>(null)
  return (
    <section aria-labelledby="sessions-heading">
      <h2 ref={heading} tabIndex={-1} id="sessions-heading" className="outline-none text-lg font-semibold sm:text-xl">
        Devices
      </h2>
      <p className="mb-4 max-w-2xl text-pretty text-muted">
        Where your account is signed in. Sign out what you do not know or have lost, then change your password.
      </p>
      {sessions && <SessionList sessions={sessions} onEnded={() => heading.current?.focus()} />}
      {!sessions && error && (
        <ErrorState
          title="The devices could not be loaded"
          description={errorMessage(error)}
          onRetry={() => void refetch()}
        />
      )}
      {!sessions && !error && <SessionsSkeleton />}
    </section>
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
      <ul className="divide-y divide-line rounded-lg bg-surface shadow-low ring ring-line">
        {shown.map((session) => (
          <li key={session.id}>
            <SessionRow session={session} onEnded={onEnded} />
          </li>
        ))}
      </ul>
      <div className="mt-4 flex flex-wrap gap-2 max-sm:*:w-full">
        {others > 0 && <SignOutElsewhere others={others} />}
        {shown.length < ordered.length && (
          <Button variant="quiet" onClick={() => setShowsAll(true)}>
            Show all {countOf(ordered.length, 'device')}
          </Button>
        )}
      </div>
      {others === 0 && <p className="text-muted">No other device is signed in.</p>}
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
    <div role="status" className="divide-y divide-line rounded-lg bg-surface shadow-low ring ring-line">
      <span className="sr-only">Loading devices</span>
      {[1, 2].map((row) => (
        <div key={row} className="flex items-center gap-4 p-4 sm:px-5">
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
