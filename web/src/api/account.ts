import { queryOptions } from '@tanstack/react-query'
import { api } from './client.ts'
import type { AccountExport, User } from './types.ts'

/** What the user may change of the own account; an empty name or address is removed. */
export type ProfileChanges = Partial<
  Pick<User, 'firstName' | 'lastName' | 'displayName' | 'email' | 'publicByDefault' | 'emailNotifications'>
>

/** The totals of the user's photos. They follow a change of the photos within a second. */
export const statisticsQuery = queryOptions({
  queryKey: ['account-statistics'],
  queryFn: ({ signal }) => api('get', '/api/user/statistics', { signal }),
  refetchOnMount: 'always',
})

/** The user's storage by folder and by year, and the quota. */
export const storageQuery = queryOptions({
  queryKey: ['storage'],
  queryFn: ({ signal }) => api('get', '/api/photos/storage', { signal }),
  refetchOnMount: 'always',
})

/** The user's sessions, last used first. */
export const sessionsQuery = queryOptions({
  queryKey: ['sessions'],
  queryFn: ({ signal }) => api('get', '/api/user/sessions', { signal }),
  refetchOnMount: 'always',
})

/** Asks for a mail with a link to set a new password. The response does not tell whether there is such an account. */
export async function requestPasswordReset(email: string): Promise<void> {
  await api('post', '/api/password-reset', { body: { email } })
}

const POLL_MS = 2_000

/** The user's export, polled while it is being prepared. */
export const exportQuery = queryOptions({
  queryKey: ['account-export'],
  queryFn: ({ signal }) => api('get', '/api/user/export', { signal }),
  refetchOnMount: 'always',
  // Photos that were deleted in another tab make it useless.
  refetchOnWindowFocus: 'always',
  refetchInterval: ({ state }) => (state.data?.status === 'preparing' ? POLL_MS : false),
})

/** Starts the preparation; `renew` replaces an export that could still be downloaded. */
export function prepareExport(renew: boolean): Promise<AccountExport> {
  return api('post', '/api/user/export', { body: renew ? { renew } : {} })
}
