import { useMutation, useQueryClient } from '@tanstack/react-query'
import { api, apiPage } from '../../api/client.ts'
import { useGuardedMutation } from '../../api/guarded-mutation.ts'
import { foldersQuery } from '../../api/queries.ts'
import { toast, toastFailure } from '../../components/ui/toast.tsx'
import { cacheFolder } from '../../photos/folder-changes.ts'

/**
 * Makes a folder public or private. The request contains the target state, so that repeating it changes nothing. Its photos
 * get the same state: Undo is offered unless it would show photos that were private by themselves.
 */
export function useSetFolderPublic(id: number) {
  const client = useQueryClient()
  const change = useMutation({
    mutationFn: async (isPublic: boolean) => {
      const undoable = isPublic || (await allPublic(id))
      const body = { isPublic }
      return { undoable, folder: await api('patch', '/api/folders/{id}/toggle-public', { path: { id }, body }) }
    },
    onSuccess: ({ folder, undoable }, isPublic) => {
      cacheFolder(client, folder)
      for (const key of ['photos', 'folder-photos', 'rankings']) client.invalidateQueries({ queryKey: [key] })
      toast({
        title: 'Folder updated',
        description: isPublic ? `${folder.name} is public.` : `${folder.name} is private.`,
        action: undoable ? { label: 'Undo', onSelect: () => change.mutate(!isPublic) } : undefined,
      })
    },
    onError: (error) => toastFailure('Failed to update folder', error),
  })
  return change
}

const PAGE_LIMIT = 500

/** Whether all photos of a folder are public, as far as one request tells. */
async function allPublic(id: number): Promise<boolean> {
  try {
    const input = { path: { id }, query: { limit: PAGE_LIMIT } }
    const { items, next } = await apiPage('/api/folders/{id}/photos', input)
    return next === null && items.every(({ isPublic }) => isPublic)
  } catch {
    return false
  }
}

/** Deletes a folder; of an administrator who deletes another's, the password may be demanded. */
export function useDeleteFolder() {
  const client = useQueryClient()
  return useGuardedMutation({
    run: (id: number) => api('delete', '/api/folders/{id}', { path: { id } }),
    onSuccess: (_, id) => {
      client.setQueryData(foldersQuery.queryKey, (folders) => folders?.filter((folder) => folder.id !== id))
      for (const key of ['folders', 'photos']) client.invalidateQueries({ queryKey: [key] })
      toast({ title: 'Folder deleted' })
    },
    onError: (error) => toastFailure('Failed to delete folder', error),
  })
}
