import { Pencil } from 'lucide-react'
import { Fragment, type ReactNode, type RefObject, useId, useRef, useState } from 'react'
import type { ManagedUser } from '../../api/types.ts'
import { Badge } from '../../components/ui/badge.tsx'
import { Button } from '../../components/ui/button.tsx'
import { RelativeTime } from '../../components/ui/tooltip.tsx'
import { cx } from '../../lib/cx.ts'
import { formatBytes, formatNumber } from '../../lib/format.ts'
import { indexesToShow, indexOfItem, useVisibleRows } from '../../photos/grid/use-visible-rows.ts'
import { ColumnHeading } from './admin-parts.tsx'
import { badgesOf, dayOf, fullName } from './users.ts'

const ROW_HEIGHT = 84
const CARD_HEIGHT = 248
const GAP = 12
/** Two columns of cards from here on, as the `sm:` classes. */
const TWO_COLUMNS = 640

interface UserListProps {
  /** The loaded users. */
  users: readonly ManagedUser[]
  /** The number of all that match; null where it is not known. */
  total: number | null
  /** The administrator's own id. */
  ownId: number | undefined
  onEdit: (user: ManagedUser) => void
}

interface UserProps extends Pick<UserListProps, 'onEdit'> {
  user: ManagedUser
  own: boolean
}

/** The facts of a card, which are columns of the table. */
const FACTS: { label: string; column: string; value: (user: ManagedUser) => ReactNode }[] = [
  { label: 'Created', column: 'w-29', value: ({ createdAt }) => <time dateTime={createdAt}>{dayOf(createdAt)}</time> },
  {
    label: 'Last active',
    column: 'w-32',
    value: ({ lastActiveAt }) => (lastActiveAt ? <RelativeTime at={lastActiveAt} /> : 'Never'),
  },
  { label: 'Photos', column: 'w-20 text-right tabular-nums', value: ({ photoCount }) => formatNumber(photoCount) },
  {
    label: 'Storage',
    column: 'w-38 text-right tabular-nums',
    // With the own limit; without one the installation's default holds.
    value: ({ storageUsed, quota }) => (
      <>
        <span className="inline-block">{formatBytes(storageUsed)}</span>{' '}
        {quota !== null && <span className="inline-block text-muted">{`of ${formatBytes(quota)}`}</span>}
      </>
    ),
  },
]

/** The users on a wide screen. Rows out of view are replaced by one of their height: there may be 100,000. */
export function UserTable({ users, total, ownId, onEdit }: UserListProps) {
  const list = useRef<HTMLDivElement>(null)
  const { indexes, keepFocused } = useVisibleItems(list, users.length, ROW_HEIGHT, () => 1)
  return (
    <div ref={list} className="overflow-clip rounded-lg bg-surface shadow-low ring ring-line">
      <table
        aria-label="Users"
        aria-rowcount={total === null ? -1 : total + 1}
        className="w-full table-fixed border-collapse"
        {...keepFocused}
      >
        <thead>
          <tr aria-rowindex={1} className="h-10 border-b border-line text-left text-sm text-muted">
            <ColumnHeading>User</ColumnHeading>
            <ColumnHeading className="w-38">Status</ColumnHeading>
            {FACTS.map(({ label, column }) => (
              <ColumnHeading key={label} className={column}>
                {label}
              </ColumnHeading>
            ))}
            <td className="w-24" />
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

function Row({ user, own, onEdit, index }: UserProps & { index: number }) {
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
        <UserBadges user={user} className="flex flex-wrap gap-1" />
      </td>
      {FACTS.map(({ label, column, value }) => (
        <td key={label} className={cx('px-3 py-0 text-sm', column)}>
          {value(user)}
        </td>
      ))}
      <td className="py-0 pr-4 text-right">
        <EditButton user={user} onEdit={onEdit} />
      </td>
    </tr>
  )
}

/** The users on a phone or a tablet. Only cards near the viewport are rendered. */
export function UserCards({ users, total, ownId, onEdit }: UserListProps) {
  const list = useRef<HTMLUListElement>(null)
  const { indexes, columns, height, topOf, keepFocused } = useVisibleItems(
    list,
    users.length,
    CARD_HEIGHT + GAP,
    (viewportWidth) => (viewportWidth >= TWO_COLUMNS ? 2 : 1),
  )
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

function UserCard({ user, own, onEdit }: UserProps) {
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
      <UserBadges user={user} className="mt-2 flex flex-wrap gap-1 empty:hidden" />
      <dl className="mt-auto grid grid-cols-2 gap-x-4 gap-y-2 border-t border-line pt-3 text-sm">
        {FACTS.map(({ label, value }) => (
          <div key={label} className="min-w-0">
            <dt className="text-muted">{label}</dt>
            <dd className="truncate">{value(user)}</dd>
          </div>
        ))}
      </dl>
    </article>
  )
}

function UserName({ user, own }: Omit<UserProps, 'onEdit'>) {
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
function UserEmail({ user: { email, emailConfirmed } }: Pick<UserProps, 'user'>) {
  if (!email) return <span className="block text-sm text-muted">No email</span>
  return (
    <span className="flex min-w-0 gap-1.5 text-sm text-muted">
      <span className="truncate" title={email}>
        {email}
      </span>
      {!emailConfirmed && <span className="shrink-0 font-semibold text-warn">Not confirmed</span>}
    </span>
  )
}

function UserBadges({ user, className }: { user: ManagedUser; className: string }) {
  return (
    <div className={className}>
      {badgesOf(user).map(({ text, tone }) => (
        <Badge key={text} tone={tone}>
          {text}
        </Badge>
      ))}
    </div>
  )
}

function EditButton({ user, onEdit }: Omit<UserProps, 'own'>) {
  return (
    <Button size="small" onClick={() => onEdit(user)}>
      <Pencil aria-hidden /> Edit
      <span className="sr-only">{` ${user.username}`}</span>
    </Button>
  )
}

/** Which items of a long list are rendered: those near the viewport, and the one with the focus. */
function useVisibleItems(
  list: RefObject<HTMLElement | null>,
  count: number,
  rowHeight: number,
  columnsOf: (viewportWidth: number) => number,
) {
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
