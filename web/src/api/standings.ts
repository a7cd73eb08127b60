import { infiniteQueryOptions, queryOptions } from '@tanstack/react-query'
import { request, requestPage } from '../lib/http.ts'
import type { Rankings, Voter, VotingEntry } from './types.ts'

/** The standings of one folder of the user. */
export const rankingsQuery = (folderId: number) =>
  queryOptions({
    queryKey: ['rankings', folderId],
    queryFn: ({ signal }) => request<Rankings>(`/api/folders/${folderId}/rankings`, { signal }),
  })

/** The path of the first page of a folder's voters, latest change first; `flagged` keeps only flagged ballots. */
export const firstVotersPath = (folderId: number, flagged: boolean) =>
  `/api/folders/${folderId}/voters?limit=25${flagged ? '&flagged=true' : ''}`

/** A page of the voters of one of the user's folders; `path` comes from `firstVotersPath` or from the previous page. */
export const votersQuery = (folderId: number, path: string) =>
  queryOptions({
    queryKey: ['voters', folderId, path],
    queryFn: ({ signal }) => requestPage<Voter>(path, { signal }),
  })

/** The log of what the owner changed about a folder's voting. */
export const votingLogQuery = (folderId: number) =>
  infiniteQueryOptions({
    queryKey: ['voting-log', folderId],
    queryFn: ({ signal, pageParam }) => requestPage<VotingEntry>(pageParam, { signal }),
    initialPageParam: `/api/folders/${folderId}/voting-log`,
    getNextPageParam: ({ next }) => next,
  })
