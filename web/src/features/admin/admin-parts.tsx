import { type InfiniteData, type UseInfiniteQueryResult, useQueryClient } from '@tanstack/react-query'
import { ShieldOff } from 'lucide-react'
import { type ComponentProps, type ReactNode, useEffect, useMemo, useSyncExternalStore } from 'react'
import { environmentQuery } from '../../api/admin.ts'
import type { Page } from '../../api/client.ts'
import { type GuardedMutation, useGuardedMutation } from '../../api/guarded-mutation.ts'
import { Button } from '../../components/ui/button.tsx'
import { EmptyState, LoadingState, QueryFailure } from '../../components/ui/empty-state.tsx'
import { LinkButton } from '../../components/ui/link-button.tsx'
import { LoadMore } from '../../components/ui/load-more.tsx'
import { Skeleton } from '../../components/ui/loading.tsx'
import { SearchInput } from '../../components/ui/search-input.tsx'
import { cx } from '../../lib/cx.ts'
import { hasStatus } from '../../lib/http.ts'
import { useTypedSearch } from '../../lib/use-typed-search.ts'

const MAX_SEARCH_LENGTH = 100
/** From here on there is room for a table; below, its rows are cards. */
const WIDE = '(width >= 1024px)'

interface LoadedProps<T> {
  query: { data: T | undefined; error: unknown; refetch: () => unknown }
  /** As in 'The audit log could not be loaded'. */
  what: string
  skeleton: ReactNode
  /** Instead of an empty list. */
  empty?: ReactNode
  children: (data: T) => ReactNode
}

/** What a query has read; until then its skeleton, or why it failed: for an administrator who lost the rights, that. */
export function Loaded<T>({ query, what, skeleton, empty, children }: LoadedProps<T>) {
  const client = useQueryClient()
  const { data, error } = query
  const forbidden = hasStatus(error, 403)
  useEffect(() => {
    // The whole screen then says it.
    if (forbidden) void client.invalidateQueries({ queryKey: environmentQuery.queryKey })
  }, [client, forbidden])
  if (data !== undefined) return empty && Array.isArray(data) && data.length === 0 ? empty : children(data)
  if (forbidden) return <NoPermission />
  if (error) return <QueryFailure query={query} title={`The ${what} could not be loaded`} />
  return <LoadingState label={`Loading the ${what}`}>{skeleton}</LoadingState>
}

interface PagedListProps<T> extends Pick<LoadedProps<T>, 'what' | 'skeleton' | 'empty'> {
  query: UseInfiniteQueryResult<InfiniteData<Page<T>>>
  /** As in 'More entries could not be loaded'. */
  items: string
  children: (items: T[], total: number) => ReactNode
}

/** A list that is read in pages. The former one is paler while another search is read. */
export function PagedList<T>({ query, items, children, ...states }: PagedListProps<T>) {
  const { data, error, refetch, isPlaceholderData } = query
  const { hasNextPage, isFetching, isFetchNextPageError, fetchNextPage } = query
  const loaded = useMemo(() => data?.pages.flatMap((page) => page.items), [data])
  return (
    <Loaded query={{ data: loaded, error, refetch }} {...states}>
      {(list) => (
        <div aria-busy={isPlaceholderData} className={cx('transition', isPlaceholderData && 'opacity-60')}>
          {children(list, data?.pages[0]?.total ?? 0)}
          {hasNextPage && (
            <LoadMore
              what={items}
              busy={isFetching && !isFetchNextPageError}
              failed={isFetchNextPageError}
              onLoad={() => void (!isFetching && fetchNextPage())}
            />
          )}
        </div>
      )}
    </Loaded>
  )
}

/** Instead of a list that a search or a filter has emptied. */
export function NothingFound(props: ComponentProps<typeof EmptyState>) {
  return (
    <div role="status">
      <EmptyState {...props} />
    </div>
  )
}

export function RowsSkeleton({ rows, children }: { rows: number; children?: ReactNode }) {
  return (
    <div className="grid gap-px overflow-hidden rounded-lg bg-line shadow-low ring ring-line">
      {[...Array(rows).keys()].map((row) => (
        <div key={row} className={cx('grid content-center gap-2 bg-surface px-4 sm:px-5', children ? 'h-21' : 'h-16')}>
          {children ?? <Skeleton className="h-4 w-72 max-w-full" />}
        </div>
      ))}
    </div>
  )
}

export function ColumnHeading({ children, className }: { children: string; className?: string }) {
  return (
    <th scope="col" className={cx('px-3 font-semibold first:pl-5', className)}>
      {children}
    </th>
  )
}

export function NoPermission({ heading }: { heading?: 'h1' | 'h2' }) {
  return (
    <div role="alert">
      <EmptyState
        heading={heading}
        icon={<ShieldOff />}
        title="You don't have permission to access this page."
        action={<LinkButton to="/">Go to the start page</LinkButton>}
      />
    </div>
  )
}

interface ActionButtonProps extends ComponentProps<typeof Button> {
  busy: boolean
  blocked?: boolean
  onClick: () => void
}

/** A button that takes no clicks while it is busy or blocked, and keeps the focus. */
export function ActionButton({ busy, blocked = false, onClick, ...props }: ActionButtonProps) {
  const disabled = busy || blocked
  return (
    <Button size="small" aria-disabled={disabled} aria-busy={busy} onClick={() => disabled || onClick()} {...props} />
  )
}

interface SearchFieldProps extends ComponentProps<'input'> {
  /** The current search. */
  value: string
  onSearch: (q: string) => void
}

/** Searches after a pause in typing, and immediately on Enter. */
export function SearchField({ value, onSearch, ...input }: SearchFieldProps) {
  const { text, setText, search } = useTypedSearch(value, onSearch)
  return (
    <SearchInput
      className="min-w-0 grow basis-full sm:basis-64"
      {...input}
      enterKeyHint="search"
      maxLength={MAX_SEARCH_LENGTH}
      value={text}
      onChange={(event) => setText(event.target.value)}
      onKeyDown={(event) => event.key === 'Enter' && search()}
    />
  )
}

/** The search text of a URL. */
export function readSearch(search: URLSearchParams): string {
  return (search.get('q') ?? '').trim().slice(0, MAX_SEARCH_LENGTH)
}

/** What an administrator does to others or to the installation. Whoever is rejected may have lost the rights: the screen then says so. */
export function useAdminMutation<Data, Variables = void>(options: GuardedMutation<Data, Variables>) {
  const client = useQueryClient()
  return useGuardedMutation<Data, Variables>({
    ...options,
    onError: (error, variables) => {
      if (hasStatus(error, 403)) void client.invalidateQueries({ queryKey: environmentQuery.queryKey })
      options.onError?.(error, variables)
    },
  })
}

export function useWideScreen(): boolean {
  return useSyncExternalStore(followWidth, () => matchMedia(WIDE).matches)
}

function followWidth(listener: () => void): () => void {
  const wide = matchMedia(WIDE)
  wide.addEventListener('change', listener)
  return () => wide.removeEventListener('change', listener)
}
