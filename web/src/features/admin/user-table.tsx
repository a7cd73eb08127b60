import { Fragment, useRef } from 'react'
import type { ManagedUser } from '../../api/types.ts'
import { cx } from '../../lib/cx.ts'
import {
  EditButton,
  USER_FACTS,
  UserBadges,
  UserEmail,
  type UserListProps,
  UserName,
  useVisibleItems,
} from './user-parts.tsx'

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
            <Heading>User</Heading>
            <Heading>Status</Heading>
            {USER_FACTS.map(({ label, numeric }) => (
              <Heading key={label} numeric={numeric}>
                {label}
              </Heading>
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

function Heading({ children, numeric }: { children: string; numeric?: boolean }) {
  return (
    <th scope="col" className={cx('px-3 font-semibold first:pl-5', numeric && 'text-right')}>
      {children}
    </th>
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
