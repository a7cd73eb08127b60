import { useQuery } from '@tanstack/react-query'
import { CircleCheck, Hourglass, UserRoundX } from 'lucide-react'
import { useId } from 'react'
import { Link } from 'react-router-dom'
import { deletionsQuery } from '../../api/admin.ts'
import type { AccountDeletion, ServiceErasure } from '../../api/types.ts'
import { Badge } from '../../components/ui/badge.tsx'
import { Button } from '../../components/ui/button.tsx'
import { EmptyState } from '../../components/ui/empty-state.tsx'
import { Skeleton, Spinner } from '../../components/ui/loading.tsx'
import { RelativeTime } from '../../components/ui/tooltip.tsx'
import { formatDateTime } from '../../lib/format.ts'
import { describeService, isHeldUp, nameOf, nameOfService, waitsForOrder } from './deletion-texts.ts'
import { Failure } from './failures.tsx'
import { useRestoreUser } from './user-changes.ts'

/** The accounts whose deletion is requested or not complete, and what it waits for. */
export function DeletionsTab() {
  const { data: deletions, error, refetch } = useQuery(deletionsQuery)
  return (
    <>
      <p className="mb-4 max-w-3xl text-pretty text-muted">
        A requested deletion can be revoked until its time has passed. Then every service erases what it has of the user
        and confirms it; a deletion stays in this list until all have done so.
      </p>
      {deletions ? (
        <Deletions deletions={deletions} />
      ) : error ? (
        <Failure title="The deletions could not be loaded" error={error} onRetry={() => void refetch()} />
      ) : (
        <DeletionsSkeleton />
      )}
    </>
  )
}

function Deletions({ deletions }: { deletions: readonly AccountDeletion[] }) {
  if (deletions.length === 0) {
    const description = 'No account is to be deleted, and every earlier deletion is complete.'
    return <EmptyState icon={<UserRoundX />} title="No deletions" description={description} />
  }
  return (
    <ul aria-label="Deletions" className="grid gap-3">
      {deletions.map((deletion) => (
        <li key={deletion.userId}>
          <Deletion deletion={deletion} />
        </li>
      ))}
    </ul>
  )
}

function Deletion({ deletion }: { deletion: AccountDeletion }) {
  const id = useId()
  const name = nameOf(deletion)
  const erasing = deletion.status === 'erasing'
  return (
    <article aria-labelledby={id} className="grid gap-3 rounded-lg bg-surface p-4 shadow-low ring ring-line sm:p-5">
      <div className="flex flex-wrap items-start justify-between gap-x-4 gap-y-3">
        <div className="min-w-0">
          <h2 id={id} className="flex flex-wrap items-center gap-x-2 gap-y-1 font-semibold wrap-anywhere">
            {name}
            <StatusBadge deletion={deletion} />
          </h2>
          <p className="text-sm text-pretty text-muted">
            Requested by {deletion.byAdmin ? 'an administrator' : 'the user'} <RelativeTime at={deletion.requestedAt} />
            {erasing ? <ErasingSince deletion={deletion} /> : `. Final on ${formatDateTime(deletion.deletesAt)}.`}
          </p>
        </div>
        {!erasing && <RevokeButton userId={deletion.userId} name={name} />}
      </div>
      {erasing && (
        <ul
          aria-label={`Services erasing ${name}`}
          className="grid gap-x-6 gap-y-2 border-t border-line pt-3 md:grid-cols-3"
        >
          {deletion.services.map((service) => (
            <li key={service.service} className="min-w-0">
              <Service service={service} />
            </li>
          ))}
        </ul>
      )}
    </article>
  )
}

function ErasingSince({ deletion }: { deletion: AccountDeletion }) {
  if (!deletion.erasingSince) return '.'
  return (
    <>
      {', being erased since '}
      {formatDateTime(deletion.erasingSince)}.
    </>
  )
}

function StatusBadge({ deletion }: { deletion: AccountDeletion }) {
  if (deletion.status === 'requested') return <Badge>Can be revoked</Badge>
  if (!isHeldUp(deletion)) return <Badge tone="accent">Being erased</Badge>
  return (
    <Badge tone="warn" icon={<Hourglass aria-hidden />}>
      Not complete
    </Badge>
  )
}

function Service({ service }: { service: ServiceErasure }) {
  return (
    <div className="flex gap-2.5">
      {service.complete ? (
        <CircleCheck aria-hidden className="mt-0.5 size-5 shrink-0 text-good" />
      ) : service.waitsFor ? (
        <Hourglass aria-hidden className="mt-0.5 size-5 shrink-0 text-warn" />
      ) : (
        <Spinner className="mt-0.5 shrink-0" />
      )}
      <div className="min-w-0 text-sm">
        <p className="font-semibold">{nameOfService(service)}</p>
        <p className="text-pretty text-muted">{describeService(service)}</p>
        {waitsForOrder(service) && (
          <Link to="?tab=printing" className="font-semibold text-accent hover:underline">
            Resolve orders
          </Link>
        )}
      </div>
    </div>
  )
}

function RevokeButton({ userId, name }: { userId: number; name: string }) {
  const restore = useRestoreUser({ id: userId, username: name })
  return (
    <Button
      size="small"
      className="max-sm:w-full"
      aria-disabled={restore.isPending}
      aria-busy={restore.isPending}
      onClick={() => !restore.isPending && restore.mutate()}
    >
      Revoke deletion<span className="sr-only"> of {name}</span>
    </Button>
  )
}

function DeletionsSkeleton() {
  return (
    <div role="status" className="grid gap-3">
      <span className="sr-only">Loading the deletions</span>
      <Skeleton className="h-24 rounded-lg" />
      <Skeleton className="h-24 rounded-lg" />
    </div>
  )
}
