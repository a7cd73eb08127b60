import { queryOptions } from '@tanstack/react-query'
import { request } from '../lib/http.ts'
import type { AccountExport } from './types.ts'

const POLL_MS = 2_000

/** The user's export, polled while it is being prepared. */
export const exportQuery = queryOptions({
  queryKey: ['account-export'],
  queryFn: ({ signal }) => request<AccountExport>('/api/user/export', { signal }),
  refetchOnMount: 'always',
  // Photos that were deleted in another tab make it useless.
  refetchOnWindowFocus: 'always',
  refetchInterval: ({ state }) => (state.data?.status === 'preparing' ? POLL_MS : false),
})

/** Starts the preparation; `renew` replaces an export that could still be downloaded. */
export function prepareExport(renew: boolean): Promise<AccountExport> {
  return request<AccountExport>('/api/user/export', { method: 'POST', body: renew ? { renew } : {} })
}
