import type { QueryClient } from '@tanstack/react-query'
import { request } from '../lib/http.ts'
import { foldersQuery } from './queries.ts'
import type { Folder } from './types.ts'

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
