import { queryOptions } from '@tanstack/react-query'
import { hasCode } from '../lib/http.ts'
import { api, apiResponse } from './client.ts'
import { linkKey, unlessLocked } from './queries.ts'

const POLL_MS = 15_000

/** Where the published result of a contest is; as CSV with '.csv' behind it. */
export const resultsPath = (shareCode: string) => `/api/share/${encodeURIComponent(shareCode)}/results`

/** Exchanges the secret of an invitation's link for the cookie that votes with it. */
export function acceptInvitation(shareCode: string, secret: string): Promise<undefined> {
  return api('post', '/api/share/{shareCode}/invitation', { path: { shareCode }, body: { secret } })
}

/** The standings of a contest, or that this voter may not see them now. */
export const voterStandingsQuery = (shareCode: string, fingerprint: string) =>
  queryOptions({
    queryKey: [...linkKey(shareCode), 'standings', fingerprint],
    queryFn: ({ signal }) =>
      unless('standings_hidden', () =>
        api('get', '/api/share/{shareCode}/standings', {
          path: { shareCode },
          query: { fingerprint: fingerprint || undefined },
          signal,
        }),
      ),
    staleTime: 0,
    gcTime: 0,
    refetchInterval: POLL_MS,
  })

/** The published result of a contest; null: the link is locked by a password. Polled while it is hidden. */
export const resultsQuery = (shareCode: string) =>
  queryOptions({
    queryKey: [...linkKey(shareCode), 'results'],
    queryFn: ({ signal }) =>
      unless('results_hidden', () =>
        unlessLocked(apiResponse('get', '/api/share/{shareCode}/results', { path: { shareCode }, signal })),
      ),
    refetchInterval: ({ state }) => (state.data === 'results_hidden' ? POLL_MS : false),
  })

/** What is read, or the code of the error that says that it is hidden. */
async function unless<T, Code extends string>(code: Code, read: () => Promise<T>): Promise<T | Code> {
  try {
    return await read()
  } catch (error) {
    if (hasCode(error, code)) return code
    throw error
  }
}
