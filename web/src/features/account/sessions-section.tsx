import { type QueryClient, useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { type LucideIcon, Monitor, MonitorSmartphone, Smartphone } from 'lucide-react'
import { useRef, useState } from 'react'
import { sessionsQuery } from '../../api/account.ts'
import { api } from '../../api/client.ts'
import type { AccountSession } from '../../api/types.ts'
import { Badge } from '../../components/ui/badge.tsx'
import { Button } from '../../components/ui/button.tsx'
import { ConfirmDialog } from '../../components/ui/confirm-dialog.tsx'
import { LoadingState } from '../../components/ui/empty-state.tsx'
import { AlertText } from '../../components/ui/field.tsx'
import { Skeleton } from '../../components/ui/loading.tsx'
import { toast, toastFailure } from '../../components/ui/toast.tsx'
import { RelativeTime } from '../../components/ui/tooltip.tsx'
import { countOf } from '../../lib/format.ts'
import { errorMessage, hasStatus } from '../../lib/http.ts'
import { Section } from './section.tsx'

/** A user with more sessions sees the rest on demand. */
const SHOWN_AT_FIRST = 8

export function SessionsSection() {
  const { data: sessions, error, refetch } = useQuery(sessionsQuery)
  const heading = useRef<HTMLHeadingElement>(null)
  return (
    <Section
      title="Devices"
      description="Where your account is logged in. Log out what you do not know or have lost, then change your password."
      headingRef={heading}
    >
      {/* The button that ended a session, and had the focus, is no longer there. */}
      {sessions && <SessionList sessions={sessions} onEnded={() => heading.current?.focus()} />}
      {!sessions && error && (
        <div className="grid justify-items-start gap-3">
          <AlertText>{errorMessage(error)}</AlertText>
          <Button onClick={() => void refetch()}>Try again</Button>
        </div>
      )}
      {!sessions && !error && <SessionsSkeleton />}
    </Section>
  )
}

function SessionList({ sessions, onEnded }: { sessions: AccountSession[]; onEnded: () => void }) {
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
            {`Show all ${countOf(ordered.length, 'device')}`}
          </Button>
        )}
        {others === 0 && <p className="text-sm text-muted">No other device is logged in.</p>}
      </div>
    </>
  )
}

/** A device that is signed in, with when it was used. */
function SessionRow({ session, onEnded }: { session: AccountSession; onEnded: () => void }) {
  const client = useQueryClient()
  const end = useMutation({
    mutationFn: () =>
      api('delete', '/api/user/sessions/{id}', { path: { id: session.id } }).catch((error: unknown) => {
        // One that is already signed out is a success.
        if (!hasStatus(error, 404)) throw error
      }),
    onSuccess: async () => {
      await keepSessions(client, ({ id }) => id !== session.id)
      onEnded()
      toast({ title: 'Logged out', description: `${session.device} has to log in again.` })
    },
    onError: (error) => toastFailure('Failed to log out the device', error, () => end.mutate()),
  })
  const Icon = iconOf(session.device)
  return (
    <div className="flex flex-wrap items-center gap-x-4 gap-y-3 py-4">
      <span aria-hidden className="grid size-10 shrink-0 place-items-center rounded-md bg-sunken text-muted">
        <Icon className="size-5" />
      </span>
      <div className="min-w-0 flex-1">
        <h3 className="flex flex-wrap items-center gap-x-2 gap-y-1 font-semibold wrap-anywhere">
          <span>{session.device}</span> {session.current && <Badge tone="good">This device</Badge>}
        </h3>
        <p className="flex flex-wrap gap-x-3 text-sm text-muted">
          <span>
            Last used <RelativeTime at={session.lastUsedAt} />
          </span>
          <span>
            Logged in <RelativeTime at={session.createdAt} />
          </span>
        </p>
      </div>
      {!session.current && (
        <Button size="small" busy={end.isPending} onClick={() => end.mutate()} className="max-sm:w-full">
          Log out<span className="sr-only">{` ${session.device}`}</span>
        </Button>
      )}
    </div>
  )
}

function iconOf(device: string): LucideIcon {
  if (/iOS|Android/.test(device)) return Smartphone
  return /Windows|macOS|Linux|Chrome OS/.test(device) ? Monitor : MonitorSmartphone
}

function SignOutElsewhere({ others }: { others: number }) {
  const [open, setOpen] = useState(false)
  const client = useQueryClient()
  const end = useMutation({
    mutationFn: () => api('delete', '/api/user/sessions', {}),
    onSuccess: async () => {
      setOpen(false)
      await keepSessions(client, ({ current }) => current)
      toast({ title: 'Logged out everywhere else', description: 'Only this device is still logged in.' })
    },
    // The confirmation stays open.
    onError: (error) => toastFailure('Failed to log out the devices', error),
  })
  return (
    <>
      <Button onClick={() => setOpen(true)}>Log out everywhere else</Button>
      <ConfirmDialog
        open={open}
        onOpenChange={setOpen}
        title="Log out everywhere else?"
        description={`${others === 1 ? 'One other device has' : `${countOf(others, 'other device')} have`} to log in again. This device stays logged in.`}
        confirmLabel={end.isError ? 'Retry' : 'Log out everywhere else'}
        onConfirm={() => end.mutate()}
        busy={end.isPending}
        danger
      />
    </>
  )
}

/** Shows the list without those that ended, then reads it again. */
async function keepSessions(client: QueryClient, isKept: (session: AccountSession) => boolean): Promise<void> {
  const { queryKey } = sessionsQuery
  await client.cancelQueries({ queryKey }) // An earlier response must not show them again.
  client.setQueryData(queryKey, (sessions) => sessions?.filter(isKept))
  void client.invalidateQueries({ queryKey })
}

function SessionsSkeleton() {
  return (
    <LoadingState label="Loading devices" className="-my-2 divide-y divide-line">
      {[1, 2].map((row) => (
        <div key={row} className="flex items-center gap-4 py-4">
          <Skeleton className="size-10 rounded-md" />
          <div className="grid gap-2">
            <Skeleton className="h-4 w-40" />
            <Skeleton className="h-3.5 w-56" />
          </div>
        </div>
      ))}
    </LoadingState>
  )
}
