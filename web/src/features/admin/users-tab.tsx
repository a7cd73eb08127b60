import { keepPreviousData, useInfiniteQuery, useQuery } from '@tanstack/react-query'
import { Users } from 'lucide-react'
import { useState } from 'react'
import { USER_COUNT_LIMIT, type UserFilters, usersQuery } from '../../api/admin.ts'
import { userQuery } from '../../api/queries.ts'
import type { ManagedUser } from '../../api/types.ts'
import { Button } from '../../components/ui/button.tsx'
import { EmptyState } from '../../components/ui/empty-state.tsx'
import { Select } from '../../components/ui/field.tsx'
import { Skeleton } from '../../components/ui/loading.tsx'
import { useUrlSearch } from '../../lib/routing.ts'
import { NothingFound, PagedList, RowsSkeleton, readSearch, SearchField, useWideScreen } from './admin-parts.tsx'
import { DeletionsNotice } from './deletions-tab.tsx'
import { UserDialog } from './user-dialog.tsx'
import { UserCards, UserTable } from './user-list.tsx'
import { describeCount } from './users.ts'

const ROLES = ['all', 'admin', 'user'] as const
const SORTS = ['newest', 'oldest'] as const
/** What the list shows without a choice. */
const DEFAULTS: UserFilters = { q: '', role: 'all', sort: 'newest' }

/** The users of the installation. The URL has search, filter and order. */
export function UsersTab() {
  const [search, setSearch] = useUrlSearch()
  const filters = readUserFilters(search)
  const [edited, setEdited] = useState<ManagedUser | null>(null)
  const change = (some: Partial<UserFilters>) =>
    setSearch((now) => writeUserFilters(now, { ...readUserFilters(now), ...some }), { replace: 'q' in some })
  return (
    <>
      <DeletionsNotice />
      <div className="mb-4 flex flex-wrap gap-3">
        <SearchField
          aria-label="Search users"
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

function UserList(props: { filters: UserFilters; onEdit: (user: ManagedUser) => void; onClear: () => void }) {
  const { filters, onEdit, onClear } = props
  const list = useInfiniteQuery({ ...usersQuery(filters), placeholderData: keepPreviousData })
  const { data: me } = useQuery(userQuery)
  const List = useWideScreen() ? UserTable : UserCards
  const searched = filters.q !== ''
  const filtered = isFiltered(filters)
  return (
    <PagedList
      query={list}
      what="users"
      items="users"
      skeleton={
        <RowsSkeleton rows={6}>
          <Skeleton className="h-4 w-44" />
          <Skeleton className="h-3.5 w-64 max-w-full" />
        </RowsSkeleton>
      }
      empty={
        filtered ? (
          <NothingFound
            icon={<Users />}
            title="No users found"
            description="No user matches the search and the filter."
            action={<Button onClick={onClear}>Clear filters</Button>}
          />
        ) : (
          <EmptyState icon={<Users />} title="No users yet" description="Who registers is listed here." />
        )
      }
    >
      {(users, total) => (
        <>
          <p role="status" className="mb-3 text-sm text-muted">
            {describeCount(total, filtered, searched)}
          </p>
          <List
            users={users}
            total={searched && total > USER_COUNT_LIMIT ? null : total}
            ownId={me?.id}
            onEdit={onEdit}
          />
        </>
      )}
    </PagedList>
  )
}

/** Reads the filters from a URL and ignores invalid values. */
export function readUserFilters(search: URLSearchParams): UserFilters {
  return {
    q: readSearch(search),
    role: ROLES.find((role) => role === search.get('role')) ?? DEFAULTS.role,
    sort: SORTS.find((sort) => sort === search.get('sort')) ?? DEFAULTS.sort,
  }
}

/** The URL with these filters; its other parameters are kept. What is the default is not written. */
export function writeUserFilters(search: URLSearchParams, filters: UserFilters): URLSearchParams {
  const result = new URLSearchParams(search)
  for (const name of ['q', 'role', 'sort'] as const) {
    if (filters[name] === DEFAULTS[name]) result.delete(name)
    else result.set(name, filters[name])
  }
  return result
}

/** True when the filters may hide users; sorting hides none. */
export function isFiltered({ q, role }: UserFilters): boolean {
  return q !== '' || role !== DEFAULTS.role
}
