import { infiniteQueryOptions, type QueryClient, queryOptions } from '@tanstack/react-query'
import { hasStatus, jsonOf, send } from '../lib/http.ts'
import { api, apiPage, FIRST_PAGE } from './client.ts'
import type { FailedJob, ManagedUser, PrintEnvironment } from './types.ts'

/** Another administrator may switch the environment. */
const ENVIRONMENT_POLL_MS = 5_000
const STATISTICS_POLL_MS = 30_000
const DELETIONS_POLL_MS = 30_000
const FAILED_JOBS_POLL_MS = 30_000
const ENTRIES_PER_PAGE = 50
const USERS_PER_PAGE = 100
/** The server counts the matches of a search up to one more than this. */
export const USER_COUNT_LIMIT = 1000

/** Polls until the administrator has lost the rights. */
const pollUnlessForbidden =
  (interval: number) =>
  ({ state }: { state: { error: unknown } }) =>
    hasStatus(state.error, 403) ? (false as const) : interval

/** Which partner environment receives new orders. */
export const environmentQuery = queryOptions({
  queryKey: ['partner-environment'],
  queryFn: ({ signal }) => api('get', '/api/admin/environment', { signal }),
  refetchOnMount: 'always',
  refetchInterval: pollUnlessForbidden(ENVIRONMENT_POLL_MS),
})

/** Switches the partner environment. A poll that started earlier does not show the old one again. */
export async function setEnvironment(client: QueryClient, environment: PrintEnvironment): Promise<void> {
  const { queryKey } = environmentQuery
  const changed = await api('post', '/api/admin/environment', { body: { environment } })
  await client.cancelQueries({ queryKey })
  client.setQueryData(queryKey, changed)
  await client.invalidateQueries({ queryKey: ['config'] }) // Says whether prints are made in the sandbox.
}

/** The partner's calls that administrators can test, by the last part of their path. */
export type PartnerEndpoint =
  | 'v3/fetch-credentials'
  | 'product-details'
  | 'store-search'
  | 'submit-order-official'
  | 'validate-coupon-official'

/** Calls a partner endpoint and returns the whole response. */
export async function callPartner(endpoint: PartnerEndpoint, body: object): Promise<unknown> {
  return jsonOf(await send(`/api/walgreens/${endpoint}`, { method: 'post', body }))
}

/** Which users are listed, and in which order of registration. */
export interface UserFilters {
  /** A part of the username, the address or the name; empty: everybody. */
  q: string
  role: 'all' | 'admin' | 'user'
  sort: 'newest' | 'oldest'
}

/**
 * The users that match, in pages. They are not kept after the list has closed: reading a long list again would take a
 * request for each of its pages.
 */
export const usersQuery = (filters: UserFilters) =>
  infiniteQueryOptions({
    queryKey: ['managed-users', filters],
    queryFn: ({ signal, pageParam }) =>
      apiPage('/api/admin/users', { query: { ...filters, limit: USERS_PER_PAGE }, next: pageParam, signal }),
    initialPageParam: FIRST_PAGE,
    getNextPageParam: ({ next }) => next,
    gcTime: 0,
  })

/** One user, read for each edit: another administrator may have changed it. */
export const managedUserQuery = (id: number) =>
  queryOptions({
    queryKey: ['managed-user', id],
    queryFn: ({ signal }) => api('get', '/api/admin/users/{id}', { path: { id }, signal }),
    refetchOnMount: 'always',
    gcTime: 0,
  })

/** What an administrator may change of a user; an empty name or address is removed, the quota is in bytes. */
export type UserChanges = Partial<
  Pick<ManagedUser, 'firstName' | 'lastName' | 'email' | 'isAdmin' | 'disabled' | 'quota'>
>

/** Changes the given fields of a user and shows the result in all lists. */
export async function changeUser(client: QueryClient, id: number, changes: UserChanges): Promise<ManagedUser> {
  const user = await api('patch', '/api/admin/users/{id}', { path: { id }, body: changes })
  showUser(client, user)
  return user
}

/** Requests the deletion of an account. Returns when it becomes final. */
export async function deleteUser(client: QueryClient, id: number): Promise<string> {
  const { deletesAt } = await api('delete', '/api/admin/users/{id}', { path: { id } })
  showUser(client, { id, deletesAt, deletionByAdmin: true })
  await client.invalidateQueries({ queryKey: deletionsQuery.queryKey })
  return deletesAt
}

/** Revokes the requested deletion of an account. */
export async function restoreUser(client: QueryClient, id: number): Promise<void> {
  await api('post', '/api/admin/users/{id}/restore', { path: { id } })
  showUser(client, { id, deletesAt: null, deletionByAdmin: false })
  await client.invalidateQueries({ queryKey: deletionsQuery.queryKey })
}

/** Shows what has changed of a user without reading the lists again: each user stays at its place until they are opened anew. */
function showUser(client: QueryClient, changes: Partial<ManagedUser> & { id: number }): void {
  const { id } = changes
  client.setQueryData(managedUserQuery(id).queryKey, (user) => user && { ...user, ...changes })
  client.setQueriesData<{ pages: { items: ManagedUser[] }[] }>({ queryKey: ['managed-users'] }, (list) => {
    if (!list) return list
    const change = (user: ManagedUser) => (user.id === id ? { ...user, ...changes } : user)
    return { ...list, pages: list.pages.map((page) => ({ ...page, items: page.items.map(change) })) }
  })
}

/** The deletions that are not complete, newest first. */
export const deletionsQuery = queryOptions({
  queryKey: ['account-deletions'],
  queryFn: ({ signal }) => api('get', '/api/admin/deletions', { signal }),
  refetchOnMount: 'always',
  refetchInterval: pollUnlessForbidden(DELETIONS_POLL_MS),
})

/** The figures of the installation. */
export const installationStatisticsQuery = queryOptions({
  queryKey: ['installation-statistics'],
  queryFn: ({ signal }) => api('get', '/api/admin/stats', { signal }),
  refetchOnMount: 'always',
  refetchInterval: pollUnlessForbidden(STATISTICS_POLL_MS),
})

/** What administrators did, newest first; `q` is a part of a username, an action or what it concerned. */
export const auditQuery = (q: string) =>
  infiniteQueryOptions({
    queryKey: ['audit-log', q],
    queryFn: ({ signal, pageParam }) =>
      apiPage('/api/admin/audit', { query: { q: q || undefined, limit: ENTRIES_PER_PAGE }, next: pageParam, signal }),
    initialPageParam: FIRST_PAGE,
    getNextPageParam: ({ next }) => next,
    gcTime: 0,
  })

/** The jobs of photos, print images and exports whose attempts all failed, the latest first. */
export const failedJobsQuery = queryOptions({
  queryKey: ['failed-jobs'],
  queryFn: ({ signal }) => api('get', '/api/admin/failed-jobs', { signal }),
  refetchOnMount: 'always',
  refetchInterval: pollUnlessForbidden(FAILED_JOBS_POLL_MS),
})

/** Gives a failed job one more attempt. False when it is no failed job any more: somebody else has retried it. */
export async function retryFailedJob(client: QueryClient, { queue, id }: FailedJob): Promise<boolean> {
  const { queryKey } = failedJobsQuery
  const isRetried = await api('post', '/api/admin/failed-jobs/{queue}/{id}/retry', { path: { queue, id } }).then(
    () => true,
    (error: unknown) => {
      if (!hasStatus(error, 404)) throw error
      return false
    },
  )
  await client.cancelQueries({ queryKey }) // An earlier response must not show it again.
  client.setQueryData(queryKey, (jobs) => jobs?.filter((job) => job.id !== id))
  void client.invalidateQueries({ queryKey })
  return isRetried
}
