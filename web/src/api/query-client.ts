import { MutationCache, QueryCache, QueryClient } from '@tanstack/react-query'
import { concernsSession } from '../lib/http.ts'
import { userQuery } from './queries.ts'

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

/**
 * After an error about the session the server says who is signed in: it has ended, or another one has replaced it while
 * the request was on its way. Resolves with true if there is a session that may send the request again.
 */
export async function checkSession(client: QueryClient): Promise<boolean> {
  const { queryKey } = userQuery
  // A wrong password at the login is an error of this kind, too.
  if (client.getQueryData(queryKey)) await client.refetchQueries({ queryKey })
  const user = client.getQueryData(queryKey)
  return Boolean(user) && !user?.deletesAt
}
