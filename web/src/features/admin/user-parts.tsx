import { Pencil } from 'lucide-react'
import { type ReactNode, type RefObject, useState } from 'react'
import type { ManagedUser } from '../../api/types.ts'
import { RelativeTime } from '../../components/relative-time.tsx'
import { Badge } from '../../components/ui/badge.tsx'
import { Button } from '../../components/ui/button.tsx'
import { formatBytes, formatNumber } from '../../lib/format.ts'
import { indexesToShow, indexOfItem, useVisibleRows } from '../../photos/grid/use-visible-rows.ts'
import { badgesOf, dayOf, fullName } from './user-texts.ts'

/** What the table and the cards show. */
export interface UserListProps {
  /** The loaded users. */
  users: readonly ManagedUser[]
  /** The number of all that match; null where it is not known. */
  total: number | null
  /** The administrator's own id. */
  ownId: number | undefined
  onEdit: (user: ManagedUser) => void
}

interface Items {
  count: number
  rowHeight: number
  columnsOf: (viewportWidth: number) => number
}

/** Which items of a long list are rendered: those near the viewport, and the one with the focus. */
export function useVisibleItems(list: RefObject<HTMLElement | null>, { count, rowHeight, columnsOf }: Items) {
  const { layout, first, last, height, topOf } = useVisibleRows(list, (_, viewportWidth) => {
    const columns = columnsOf(viewportWidth)
    return { columns, rows: Math.ceil(count / columns), rowHeight }
  })
  const { columns } = layout
  // The focused item stays rendered when it is scrolled out of view.
  const [focused, setFocused] = useState<number | null>(null)
  return {
    indexes: indexesToShow(first * columns, Math.min((last + 1) * columns, count) - 1, focused),
    columns,
    height,
    topOf,
    keepFocused: {
      onFocus: ({ target }: { target: Element }) => setFocused(indexOfItem(target)),
      onBlur: () => setFocused(null),
    },
  }
}

export function UserName({ user, own }: { user: ManagedUser; own: boolean }) {
  const name = fullName(user)
  return (
    <>
      <span className="flex min-w-0 items-center gap-2">
        <span className="truncate font-semibold" dir="auto">
          {name ?? user.username}
        </span>
        {own && <Badge>You</Badge>}
      </span>
      {name && <span className="block truncate text-sm text-muted">{user.username}</span>}
    </>
  )
}

/** The address, marked if it is not confirmed. */
export function UserEmail({ user }: { user: ManagedUser }) {
  if (!user.email) return <span className="block text-sm text-muted">No email</span>
  return (
    <span className="flex min-w-0 gap-1.5 text-sm text-muted">
      <span className="truncate" title={user.email}>
        {user.email}
      </span>
      {!user.emailConfirmed && <span className="shrink-0 font-semibold text-warn">Not confirmed</span>}
    </span>
  )
}

export function UserBadges({ user }: { user: ManagedUser }) {
  return badgesOf(user).map(({ text, tone }) => (
    <Badge key={text} tone={tone}>
      {text}
    </Badge>
  ))
}

/** What is used, and the own limit; without one the installation's default holds. */
function Storage({ user }: { user: ManagedUser }) {
  return (
    <>
      <span className="inline-block">{formatBytes(user.storageUsed)}</span>{' '}
      {user.quota !== null && <span className="inline-block text-muted">of {formatBytes(user.quota)}</span>}
    </>
  )
}

/** The columns of the table and the facts of a card. */
export const USER_FACTS: { label: string; value: (user: ManagedUser) => ReactNode; numeric?: boolean }[] = [
  { label: 'Created', value: ({ createdAt }) => <time dateTime={createdAt}>{dayOf(createdAt)}</time> },
  {
    label: 'Last active',
    value: ({ lastActiveAt }) => (lastActiveAt ? <RelativeTime at={lastActiveAt} /> : 'Never'),
  },
  { label: 'Photos', value: ({ photoCount }) => formatNumber(photoCount), numeric: true },
  { label: 'Storage', value: (user) => <Storage user={user} />, numeric: true },
]

export function EditButton({
  user,
  onEdit,
  className,
}: Pick<UserListProps, 'onEdit'> & { user: ManagedUser; className?: string }) {
  return (
    <Button size="small" className={className} onClick={() => onEdit(user)}>
      <Pencil aria-hidden /> Edit
      <span className="sr-only"> {user.username}</span>
    </Button>
  )
}
