import { useId, useRef } from 'react'
import type { ManagedUser } from '../../api/types.ts'
import {
  EditButton,
  USER_FACTS,
  UserBadges,
  UserEmail,
  type UserListProps,
  UserName,
  useVisibleItems,
} from './user-parts.tsx'

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
