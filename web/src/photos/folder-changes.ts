import { type QueryClient, useMutation, useQueryClient } from '@tanstack/react-query'
import { api } from '../api/client.ts'
import { createFolder, type FolderFields } from '../api/folders.ts'
import { folderQuery, foldersQuery } from '../api/queries.ts'
import type { Folder } from '../api/types.ts'
import { toast, toastFailure } from '../components/ui/toast.tsx'

export function useCreateFolder() {
  const client = useQueryClient()
  return useMutation({
    mutationFn: (fields: FolderFields) => createFolder(client, fields),
    onSuccess: () => toast({ title: 'Folder created' }),
    onError: (error) => toastFailure('Failed to create folder', error),
  })
}

export function useUpdateFolder(id: number) {
  const client = useQueryClient()
  return useMutation({
    mutationFn: (fields: FolderFields) => saveFolder(client, id, fields),
    onSuccess: () => toast({ title: 'Folder updated' }),
    onError: (error) => toastFailure('Failed to update folder', error),
  })
}

/** Without a photo no cover is chosen, so that the newest photos are shown. */
export type CoverChange = { folder: Folder; photoId: number | null }

export function useSetCover() {
  const client = useQueryClient()
  const change = useMutation({
    mutationFn: ({ folder, photoId }: CoverChange) => saveFolder(client, folder.id, { coverPhotoId: photoId }),
    onSuccess: (saved, { folder, photoId }) =>
      toast({
        title: photoId === null ? 'Cover removed' : 'Cover changed',
        description: photoId === null ? `“${saved.name}” shows its newest photos.` : undefined,
        action: { label: 'Undo', onSelect: () => change.mutate({ folder: saved, photoId: folder.coverPhotoId }) },
      }),
    onError: (error, asked) => toastFailure('Failed to change the cover', error, () => change.mutate(asked)),
  })
  return change
}

async function saveFolder(client: QueryClient, id: number, fields: Partial<FolderFields>): Promise<Folder> {
  const saved = await api('put', '/api/folders/{id}', { path: { id }, body: fields })
  cacheFolder(client, saved)
  return saved
}

export function cacheFolder(client: QueryClient, folder: Folder): void {
  client.setQueryData(folderQuery(folder.id).queryKey, folder)
  client.setQueryData(foldersQuery.queryKey, (folders) =>
    folders?.map((other) => (other.id === folder.id ? folder : other)),
  )
  client.invalidateQueries({ queryKey: foldersQuery.queryKey })
}
