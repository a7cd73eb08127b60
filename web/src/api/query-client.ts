import { QueryCache, QueryClient } from '@tanstack/react-query'
import { hasStatus } from '../lib/http.ts'
import { userQuery } from './queries.ts'

/** Queries are not retried and never become stale by age: live events refresh them. */
export function createQueryClient(): QueryClient {
  const client: QueryClient = new QueryClient({
    queryCache: new QueryCache({
      onError(error) {
        // The session has ended: screens that need a user see it here.
        if (hasStatus(error, 401)) client.setQueryData(userQuery.queryKey, null)
      },
    }),
    defaultOptions: {
      queries: {
        retry: false,
        staleTime: Number.POSITIVE_INFINITY,
        refetchOnWindowFocus: false,
        refetchOnReconnect: false,
        networkMode: 'always',
      },
      mutations: { retry: false, networkMode: 'always' },
    },
  })
  return client
}
