import { keepPreviousData, useInfiniteQuery, useQuery } from '@tanstack/react-query'
import { Users } from 'lucide-react'
import { useState } from 'react'
import { USER_COUNT_LIMIT, type UserFilters, usersQuery } from '../../api/admin.ts'
import { userQuery } from '../../api/queries.ts'
import type { ManagedUser } from '../../api/types.ts'
import { Button } from '../../components/ui/button.tsx'
import { EmptyState } from '../../components/ui/empty-state.tsx'
import { Select } from '../../components/ui/field.tsx'
import { LoadMore } from '../../components/ui/load-more.tsx'
import { Skeleton } from '../../components/ui/loading.tsx'
import { cx } from '../../lib/cx.ts'
import { useUrlSearch } from '../../lib/routing.ts'
import { DeletionsNotice } from './deletions-notice.tsx'
import { Failure } from './failures.tsx'
import { SearchField } from './search-field.tsx'
import { usePages } from './use-pages.ts'
import { useWideScreen } from './use-wide-screen.ts'
import { UserCards } from './user-cards.tsx'
import { UserDialog } from './user-dialog.tsx'
import { isFiltered, readUserFilters, writeUserFilters } from './user-filters.ts'
import { UserTable } from './user-table.tsx'
import { describeCount } from './user-texts.ts'

/** The users of the installation. The URL has search, filter and order. */
export function UsersTab() {
  const [search, setSearch] = useUrlSearch()
  const filters = readUserFilters(search)
  const [edited, setEdited] = useState<ManagedUser | null>(null)
  const change = (some: Partial<UserFilters>) =>
    setSearch((now) => writeUserFilters(now, { ...readUserFilters(now), ...some }), {
      replace: 'q' in some,
    })
  return (
    <>
      <DeletionsNotice />
      <div className="mb-4 flex flex-wrap gap-3">
        <SearchField
          label="Search users"
          placeholder="Search by username, email or name"
          value={filters.q}
          onSearch={(q) => change({ q })}
        />
        <Select
          aria-label="Role"
          className="grow sm:w-36 sm:grow-0"
          value={filters.role}
          onChange={({ target }) => change({ role: target.value as UserFilters['role'] })}
        >
          <option value="all">All</option>
          <option value="admin">Admin</option>
          <option value="user">User</option>
        </Select>
        <Select
          aria-label="Sort"
          className="grow sm:w-44 sm:grow-0"
          value={filters.sort}
          onChange={({ target }) => change({ sort: target.value as UserFilters['sort'] })}
        >
          <option value="newest">Newest first</option>
          <option value="oldest">Oldest first</option>
        </Select>
      </div>
      <UserList filters={filters} onEdit={setEdited} onClear={() => change({ q: '', role: 'all' })} />
      {edited && <UserDialog key={edited.id} user={edited} onClose={() => setEdited(null)} />}
    </>
  )
}

interface UserListProps {
  filters: UserFilters
  onEdit: (user: ManagedUser) => void
  onClear: () => void
}

function UserList({ filters, onEdit, onClear }: UserListProps) {
  const list = useInfiniteQuery({ ...usersQuery(filters), placeholderData: keepPreviousData })
  const { items, total, hasMore, loadMore } = usePages(list)
  const { data: me } = useQuery(userQuery)
  const wide = useWideScreen()
  if (!items) {
    if (!list.error) return <UsersSkeleton />
    return <Failure title="The users could not be loaded" error={list.error} onRetry={() => void list.refetch()} />
  }
  if (items.length === 0) return <NobodyFound filtered={isFiltered(filters)} onClear={onClear} />
  const List = wide ? UserTable : UserCards
  return (
    <div aria-busy={list.isPlaceholderData} className={cx('transition', list.isPlaceholderData && 'opacity-60')}>
      <p role="status" className="mb-3 text-sm text-muted">
        {describeCount(total, isFiltered(filters), filters.q !== '')}
      </p>
      <List
        users={items}
        total={filters.q !== '' && total > USER_COUNT_LIMIT ? null : total}
        ownId={me?.id}
        onEdit={onEdit}
      />
      {hasMore && <LoadMore what="users" {...loadMore} />}
    </div>
  )
}

function NobodyFound({ filtered, onClear }: { filtered: boolean; onClear: () => void }) {
  if (!filtered) return <EmptyState icon={<Users />} title="No users yet" description="Who registers is listed here." />
  return (
    <div role="status">
      <EmptyState
        icon={<Users />}
        title="No users found"
        description="No user matches the search and the filter."
        action={<Button onClick={onClear}>Clear filters</Button>}
      />
    </div>
  )
}

function UsersSkeleton() {
  return (
    <div role="status" className="grid gap-px overflow-hidden rounded-lg bg-line shadow-low ring ring-line">
      <span className="sr-only">Loading users</span>
      {[0, 1, 2, 3, 4, 5].map((row) => (
        <div key={row} className="grid h-21 content-center gap-2 bg-surface px-4 sm:px-5">
          <Skeleton className="h-4 w-44" />
          <Skeleton className="h-3.5 w-64 max-w-full" />
        </div>
      ))}
    </div>
  )
}
