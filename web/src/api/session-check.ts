import type { QueryClient } from '@tanstack/react-query'
import { userQuery } from './queries.ts'

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
