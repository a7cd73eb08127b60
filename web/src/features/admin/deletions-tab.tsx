import { useQuery } from '@tanstack/react-query'
import { CircleCheck, Hourglass, UserRoundX } from 'lucide-react'
import { useId } from 'react'
import { Link } from 'react-router-dom'
import { deletionsQuery } from '../../api/admin.ts'
import type { AccountDeletion, ServiceErasure } from '../../api/types.ts'
import { Badge } from '../../components/ui/badge.tsx'
import { EmptyState } from '../../components/ui/empty-state.tsx'
import { Skeleton, Spinner } from '../../components/ui/loading.tsx'
import { RelativeTime } from '../../components/ui/tooltip.tsx'
import { formatDateTime } from '../../lib/format.ts'
import { ActionButton, Loaded } from './admin-parts.tsx'
import { useRestoreUser } from './users.ts'

/** A service that is still silent after this time is worth a notice. */
const EXPECTED_MS = 10 * 60_000

/** What the services erase. */
const SERVICES: Record<string, string> = {
  folders: 'Folders and votes',
  media: 'Photos and files',
  'print-orders': 'Print orders',
}

/** The accounts whose deletion is requested or not complete, and what it waits for. */
export function DeletionsTab() {
  return (
    <>
      <p className="mb-4 max-w-3xl text-pretty text-muted">
        A requested deletion can be revoked until its time has passed. Then every service erases what it has of the user
        and confirms it; a deletion stays in this list until all have done so.
      </p>
      <Loaded
        query={useQuery(deletionsQuery)}
        what="deletions"
        skeleton={
          <div className="grid gap-3">
            <Skeleton className="h-24 rounded-lg" />
            <Skeleton className="h-24 rounded-lg" />
          </div>
        }
        empty={
          <EmptyState
            icon={<UserRoundX />}
            title="No deletions"
            description="No account is to be deleted, and every earlier deletion is complete."
          />
        }
      >
        {(deletions) => (
          <ul aria-label="Deletions" className="grid gap-3">
            {deletions.map((deletion) => (
              <li key={deletion.userId}>
                <Deletion deletion={deletion} />
              </li>
            ))}
          </ul>
        )}
      </Loaded>
    </>
  )
}

function Deletion({ deletion }: { deletion: AccountDeletion }) {
  const id = useId()
  const name = nameOf(deletion)
  const restore = useRestoreUser({ id: deletion.userId, username: name })
  const erasing = deletion.status === 'erasing'
  return (
    <article aria-labelledby={id} className="grid gap-3 rounded-lg bg-surface p-4 shadow-low ring ring-line sm:p-5">
      <div className="flex flex-wrap items-start justify-between gap-x-4 gap-y-3">
        <div className="min-w-0">
          <h2 id={id} className="flex flex-wrap items-center gap-x-2 gap-y-1 font-semibold wrap-anywhere">
            <span>{name}</span>
            <StatusBadge deletion={deletion} />
          </h2>
          <p className="text-sm text-pretty text-muted">
            <span>{`Requested by ${deletion.byAdmin ? 'an administrator' : 'the user'}`}</span>{' '}
            <RelativeTime at={deletion.requestedAt} />
            <span>{describeTime(deletion)}</span>
          </p>
        </div>
        {!erasing && (
          <ActionButton className="max-sm:w-full" busy={restore.isPending} onClick={() => restore.mutate()}>
            Revoke deletion<span className="sr-only">{` of ${name}`}</span>
          </ActionButton>
        )}
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

function describeTime({ status, erasingSince, deletesAt }: AccountDeletion): string {
  if (status === 'requested') return `. Final on ${formatDateTime(deletesAt)}.`
  return erasingSince ? `, being erased since ${formatDateTime(erasingSince)}.` : '.'
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
        <p className="font-semibold">{SERVICES[service.service] ?? service.service}</p>
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

/** Says that deletions wait for something; nothing otherwise. */
export function DeletionsNotice() {
  const { data: deletions = [] } = useQuery(deletionsQuery)
  const heldUp = deletions.filter((deletion) => isHeldUp(deletion)).length
  if (heldUp === 0) return null
  return (
    <p role="status" className="mb-4 flex flex-wrap items-center gap-x-3 gap-y-1 rounded-md bg-warn-soft px-4 py-3">
      <Hourglass aria-hidden className="size-5 shrink-0 text-warn" />
      <span className="min-w-0 flex-1 basis-48 text-pretty">
        {`${heldUp === 1 ? '1 deletion is' : `${heldUp} deletions are`} not complete yet.`}
      </span>
      <Link to="?tab=deletions" className="font-semibold text-accent hover:underline">
        Show deletions
      </Link>
    </p>
  )
}

export function describeService({ complete, waitsFor }: ServiceErasure): string {
  if (complete) return 'Erased'
  return waitsFor || 'Not confirmed yet'
}

/** True when an order must be resolved first, which an administrator can do. */
export function waitsForOrder({ service, complete, waitsFor }: ServiceErasure): boolean {
  return service === 'print-orders' && !complete && /\bunknown\b/i.test(waitsFor)
}

/** True for an erasure that waits for something, or that a service has not confirmed in time. */
export function isHeldUp(deletion: AccountDeletion, now = Date.now()): boolean {
  if (deletion.status !== 'erasing') return false
  const open = deletion.services.filter(({ complete }) => !complete)
  if (open.some(({ waitsFor }) => waitsFor)) return true
  return now - Date.parse(deletion.erasingSince ?? deletion.deletesAt) > EXPECTED_MS
}

/** The user's name, or the id where the name is erased. */
export function nameOf({ username, userId }: Pick<AccountDeletion, 'username' | 'userId'>): string {
  return username ?? `User ${userId}`
}
