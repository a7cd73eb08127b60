import { Pencil } from 'lucide-react'
import { Fragment, type ReactNode, type RefObject, useId, useRef, useState } from 'react'
import type { ManagedUser } from '../../api/types.ts'
import { RelativeTime } from '../../components/relative-time.tsx'
import { Badge } from '../../components/ui/badge.tsx'
import { Button } from '../../components/ui/button.tsx'
import { cx } from '../../lib/cx.ts'
import { formatBytes, formatNumber } from '../../lib/format.ts'
import { indexesToShow, indexOfItem } from '../../photos/grid/indexes-to-show.ts'
import { useVisibleRows } from '../../photos/grid/use-visible-rows.ts'
import { ColumnHeading } from './admin-parts.tsx'
import { badgesOf, dayOf, fullName } from './user-texts.ts'

const ROW_HEIGHT = 84

/** The users on a wide screen. Rows out of view are replaced by one of their height: there may be 100,000. */
export function UserTable({ users, total, ownId, onEdit }: UserListProps) {
  const list = useRef<HTMLDivElement>(null)
  const { indexes, keepFocused } = useVisibleItems(list, {
    count: users.length,
    rowHeight: ROW_HEIGHT,
    columnsOf: () => 1,
  })
  return (
    <div ref={list} className="overflow-clip rounded-lg bg-surface shadow-low ring ring-line">
      <table
        aria-label="Users"
        aria-rowcount={total === null ? -1 : total + 1}
        className="w-full table-fixed border-collapse"
        {...keepFocused}
      >
        <colgroup>
          <col />
          <col className="w-38" />
          <col className="w-29" />
          <col className="w-32" />
          <col className="w-20" />
          <col className="w-38" />
          <col className="w-24" />
        </colgroup>
        <thead>
          <tr aria-rowindex={1} className="h-10 border-b border-line text-left text-sm text-muted">
            <ColumnHeading>User</ColumnHeading>
            <ColumnHeading>Status</ColumnHeading>
            {USER_FACTS.map(({ label, numeric }) => (
              <ColumnHeading key={label} className={cx(numeric && 'text-right')}>
                {label}
              </ColumnHeading>
            ))}
            <td />
          </tr>
        </thead>
        <tbody>
          {indexes.map((index, at) => {
            const user = users[index]
            const skipped = index - (indexes[at - 1] ?? -1) - 1
            return (
              <Fragment key={user?.id}>
                <Spacer rows={skipped} />
                {user && <Row user={user} index={index} own={user.id === ownId} onEdit={onEdit} />}
              </Fragment>
            )
          })}
          <Spacer rows={users.length - 1 - (indexes.at(-1) ?? -1)} />
        </tbody>
      </table>
    </div>
  )
}

function Spacer({ rows }: { rows: number }) {
  if (rows <= 0) return null
  return (
    <tr aria-hidden>
      <td colSpan={7} className="p-0" style={{ height: rows * ROW_HEIGHT }} />
    </tr>
  )
}

interface RowProps extends Pick<UserListProps, 'onEdit'> {
  user: ManagedUser
  index: number
  own: boolean
}

function Row({ user, index, own, onEdit }: RowProps) {
  return (
    <tr
      data-index={index}
      aria-rowindex={index + 2}
      className="border-b border-line last:border-b-0 hover:bg-sunken/40"
      style={{ height: ROW_HEIGHT }}
    >
      <th scope="row" className="px-3 py-0 pl-5 text-left font-normal">
        <UserName user={user} own={own} />
        <UserEmail user={user} />
      </th>
      <td className="px-3 py-0">
        <span className="flex flex-wrap gap-1">
          <UserBadges user={user} />
        </span>
      </td>
      {USER_FACTS.map(({ label, value, numeric }) => (
        <td key={label} className={cx('px-3 py-0 text-sm', numeric && 'text-right tabular-nums')}>
          {value(user)}
        </td>
      ))}
      <td className="py-0 pr-4 text-right">
        <EditButton user={user} onEdit={onEdit} />
      </td>
    </tr>
  )
}

const CARD_HEIGHT = 248
const GAP = 12
/** Two columns from here on, as the `sm:` classes. */
const TWO_COLUMNS = 640

/** The users on a phone or a tablet. Only cards near the viewport are rendered. */
export function UserCards({ users, total, ownId, onEdit }: UserListProps) {
  const list = useRef<HTMLUListElement>(null)
  const { indexes, columns, height, topOf, keepFocused } = useVisibleItems(list, {
    count: users.length,
    rowHeight: CARD_HEIGHT + GAP,
    columnsOf: (viewportWidth) => (viewportWidth >= TWO_COLUMNS ? 2 : 1),
  })
  return (
    <ul ref={list} aria-label="Users" className="relative" style={{ height }} {...keepFocused}>
      {indexes.map((index) => {
        const user = users[index]
        if (!user) return null
        return (
          <li
            key={user.id}
            data-index={index}
            aria-setsize={total ?? -1}
            aria-posinset={index + 1}
            className="absolute top-0"
            style={{
              height: CARD_HEIGHT,
              left: `calc((100% + ${GAP}px) / ${columns} * ${index % columns})`,
              width: `calc((100% + ${GAP}px) / ${columns} - ${GAP}px)`,
              transform: `translateY(${topOf(Math.floor(index / columns))}px)`,
            }}
          >
            <UserCard user={user} own={user.id === ownId} onEdit={onEdit} />
          </li>
        )
      })}
    </ul>
  )
}

interface UserCardProps extends Pick<UserListProps, 'onEdit'> {
  user: ManagedUser
  own: boolean
}

function UserCard({ user, own, onEdit }: UserCardProps) {
  const id = useId()
  return (
    <article
      aria-labelledby={id}
      className="flex h-full flex-col overflow-clip rounded-lg bg-surface p-4 shadow-low ring ring-line"
    >
      <div className="flex items-start justify-between gap-3">
        <h2 id={id} className="min-w-0 text-base font-normal">
          <UserName user={user} own={own} />
        </h2>
        <EditButton user={user} onEdit={onEdit} />
      </div>
      <UserEmail user={user} />
      <div className="mt-2 flex flex-wrap gap-1 empty:hidden">
        <UserBadges user={user} />
      </div>
      <dl className="mt-auto grid grid-cols-2 gap-x-4 gap-y-2 border-t border-line pt-3 text-sm">
        {USER_FACTS.map(({ label, value }) => (
          <div key={label} className="min-w-0">
            <dt className="text-muted">{label}</dt>
            <dd className="truncate">{value(user)}</dd>
          </div>
        ))}
      </dl>
    </article>
  )
}

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
function useVisibleItems(list: RefObject<HTMLElement | null>, { count, rowHeight, columnsOf }: Items) {
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

function UserName({ user, own }: { user: ManagedUser; own: boolean }) {
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
function UserEmail({ user }: { user: ManagedUser }) {
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

function UserBadges({ user }: { user: ManagedUser }) {
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
const USER_FACTS: { label: string; value: (user: ManagedUser) => ReactNode; numeric?: boolean }[] = [
  { label: 'Created', value: ({ createdAt }) => <time dateTime={createdAt}>{dayOf(createdAt)}</time> },
  {
    label: 'Last active',
    value: ({ lastActiveAt }) => (lastActiveAt ? <RelativeTime at={lastActiveAt} /> : 'Never'),
  },
  { label: 'Photos', value: ({ photoCount }) => formatNumber(photoCount), numeric: true },
  { label: 'Storage', value: (user) => <Storage user={user} />, numeric: true },
]

function EditButton({
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
