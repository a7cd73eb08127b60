import { useMutation, useQueryClient } from '@tanstack/react-query'
import { foldersQuery } from '../../api/queries.ts'
import type { Folder } from '../../api/types.ts'
import { useGuardedMutation } from '../../api/use-guarded-mutation.ts'
import { toast } from '../../components/ui/toast.tsx'
import { errorMessage, request } from '../../lib/http.ts'
import { cacheFolder } from '../../photos/folder-changes.ts'

/** Makes a folder public or private. The request contains the target state, so that repeating it changes nothing. */
export function useSetFolderPublic(id: number) {
  const client = useQueryClient()
  return useMutation({
    mutationFn: (isPublic: boolean) =>
      request<Folder>(`/api/folders/${id}/toggle-public`, { method: 'PATCH', body: { isPublic } }),
    onSuccess: (folder) => {
      cacheFolder(client, folder)
      for (const key of ['photos', 'folder-photos', 'rankings']) client.invalidateQueries({ queryKey: [key] })
      toast({ title: 'Folder updated' })
    },
    onError: (error) => showFailure('Failed to update folder', error),
  })
}

/** Creates a new share link for a folder; the old link stops working. */
export function useNewLink(id: number) {
  const client = useQueryClient()
  return useMutation({
    mutationFn: () => request<Folder>(`/api/folders/${id}/share-code`, { method: 'POST' }),
    onSuccess: (folder) => {
      cacheFolder(client, folder)
      toast({ title: 'New links made', description: 'The old links do not work any more.' })
    },
    onError: (error) => showFailure('Failed to make new links', error),
  })
}

/** Deletes a folder; of an administrator who deletes another's, the password may be demanded. */
export function useDeleteFolder() {
  const client = useQueryClient()
  return useGuardedMutation({
    run: (id: number) => request<void>(`/api/folders/${id}`, { method: 'DELETE' }),
    onSuccess: (_, id) => {
      client.setQueryData(foldersQuery.queryKey, (folders) => folders?.filter((folder) => folder.id !== id))
      for (const key of ['folders', 'photos']) client.invalidateQueries({ queryKey: [key] })
      toast({ title: 'Folder deleted' })
    },
    onError: (error) => showFailure('Failed to delete folder', error),
  })
}

function showFailure(title: string, error: unknown): void {
  toast({ title, description: errorMessage(error), tone: 'danger' })
}
