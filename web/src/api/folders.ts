import { infiniteQueryOptions, type QueryClient, queryOptions } from '@tanstack/react-query'
import { send } from '../lib/http.ts'
import { api, apiPage, apiResponse, FIRST_PAGE, type Page, pageOf } from './client.ts'
import { foldersQuery } from './queries.ts'
import type { Folder, Rankings, Voter } from './types.ts'

/** The fields of the folder form. */
export interface FolderFields {
  name: string
  description: string | null
  isPublic?: boolean
  coverPhotoId?: number | null
}

/** Creates a folder, which the list of folders has at once. Creating 'Printed' again returns the existing one. */
export async function createFolder(client: QueryClient, fields: FolderFields): Promise<Folder> {
  const created = await api('post', '/api/folders', { body: fields })
  client.setQueryData(
    foldersQuery.queryKey,
    (folders) => folders && [created, ...folders.filter((folder) => folder.id !== created.id)],
  )
  client.invalidateQueries({ queryKey: foldersQuery.queryKey })
  return created
}

/** The links of one folder of the user, the main one first. How often they were opened comes without live events. */
export const folderLinksQuery = (folderId: number) =>
  queryOptions({
    queryKey: ['links', folderId],
    queryFn: ({ signal }) => api('get', '/api/folders/{id}/links', { path: { id: folderId }, signal }),
    refetchOnMount: 'always',
  })

/** The standings of one folder of the user. */
export const rankingsQuery = (folderId: number) =>
  queryOptions({
    queryKey: ['rankings', folderId],
    queryFn: async ({ signal }): Promise<Rankings> => {
      const rankings = await api('get', '/api/folders/{id}/rankings', { path: { id: folderId }, signal })
      if ('userRankings' in rankings) throw new Error('these are the ranks of a voter')
      return rankings
    },
  })

export const VOTERS_PER_PAGE = 25
const ENTRIES_PER_PAGE = 100

/** The numbers of a folder's ballots: all, and the excluded ones among them. */
export interface VoterCounts {
  total: number
  excluded: number
}

/**
 * A page of the voters of one of the user's folders, latest change first; `flagged` keeps only flagged ballots. `next` comes from the page
 * before, and is null for the first one.
 */
export const votersQuery = (id: number, flagged: boolean, next: string | null = FIRST_PAGE) =>
  queryOptions({
    queryKey: ['voters', id, flagged, next],
    queryFn: async ({ signal }): Promise<Page<Voter> & VoterCounts> => {
      const query = { limit: VOTERS_PER_PAGE, flagged }
      const input = { path: { id }, query, next, signal }
      const { body, headers } = await apiResponse('get', '/api/folders/{id}/voters', input)
      return { ...pageOf(body, headers), excluded: Number(headers.get('x-excluded-count')) }
    },
  })

/** The log of what the owner changed about a folder's voting. */
export const votingLogQuery = (folderId: number) =>
  infiniteQueryOptions({
    queryKey: ['voting-log', folderId],
    queryFn: ({ signal, pageParam }) =>
      apiPage('/api/folders/{id}/voting-log', {
        path: { id: folderId },
        query: { limit: ENTRIES_PER_PAGE },
        next: pageParam,
        signal,
      }),
    initialPageParam: FIRST_PAGE,
    getNextPageParam: ({ next }) => next,
  })

/** The standings of a folder as CSV. */
export async function readRankingsFile(folderId: number): Promise<Blob> {
  return (await send(`/api/folders/${folderId}/rankings.csv`)).blob()
}
