import { MutationCache, QueryCache, QueryClient } from '@tanstack/react-query'
import { concernsSession } from '../lib/http.ts'
import { checkSession } from './session-check.ts'

/** Queries are not retried and never become stale by age: live events refresh them. */
export function createQueryClient(): QueryClient {
  function onError(error: unknown): void {
    if (concernsSession(error)) void checkSession(client)
  }

  const client: QueryClient = new QueryClient({
    queryCache: new QueryCache({ onError }),
    mutationCache: new MutationCache({ onError }),
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
