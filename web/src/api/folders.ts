import { infiniteQueryOptions, type QueryClient, queryOptions } from '@tanstack/react-query'
import { request, requestPage } from '../lib/http.ts'
import { foldersQuery } from './queries.ts'
import type { Folder, Rankings, Voter, VotingEntry } from './types.ts'

/** The fields of the folder form. */
export interface FolderFields {
  name: string
  description: string | null
  isPublic?: boolean
  coverPhotoId?: number | null
  showMap?: boolean
}

/** Creates a folder, which the list of folders has at once. Creating 'Printed' again returns the existing one. */
export async function createFolder(client: QueryClient, fields: FolderFields): Promise<Folder> {
  const created = await request<Folder>('/api/folders', { method: 'POST', body: fields })
  client.setQueryData(
    foldersQuery.queryKey,
    (folders) => folders && [created, ...folders.filter((folder) => folder.id !== created.id)],
  )
  client.invalidateQueries({ queryKey: foldersQuery.queryKey })
  return created
}

/** Deletes a folder; its photos stay, in none. */
export function deleteFolder(id: number): Promise<void> {
  return request<void>(`/api/folders/${id}`, { method: 'DELETE' })
}

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
