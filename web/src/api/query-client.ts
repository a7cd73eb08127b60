import { QueryCache, QueryClient } from '@tanstack/react-query'
import { hasStatus } from '../lib/http.ts'
import { userQuery } from './queries.ts'

/** Queries are not retried and never become stale by age: live events refresh them. */
export function createQueryClient(): QueryClient {
  const client: QueryClient = new QueryClient({
    queryCache: new QueryCache({
      onError(error) {
        // The session has ended, or a new one has replaced it while the request was on its way: the server says which.
        if (hasStatus(error, 401)) void client.invalidateQueries({ queryKey: userQuery.queryKey })
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
