import { type QueryClient, useMutation, useQueryClient } from '@tanstack/react-query'
import { api } from '../../api/client.ts'
import { folderLinksQuery } from '../../api/folders.ts'
import { folderQuery, foldersQuery } from '../../api/queries.ts'
import type { FolderLink, LinkFields } from '../../api/types.ts'
import { toast, toastFailure } from '../../components/ui/toast.tsx'
import { hasStatus } from '../../lib/http.ts'
import { cacheFolder } from '../../photos/folder-changes.ts'

/** A new link, or changes of the one with this id. */
export type LinkSave = { id: number; fields: Partial<LinkFields> } | { id: null; fields: LinkFields }

/** Adds or changes a link of a folder. Its form says what fails. */
export function useSaveLink(folderId: number) {
  const client = useQueryClient()
  return useMutation({
    mutationFn: ({ id, fields }: LinkSave) => {
      if (id === null) return api('post', '/api/folders/{id}/links', { path: { id: folderId }, body: fields })
      return api('patch', '/api/folders/{id}/links/{linkId}', { path: { id: folderId, linkId: id }, body: fields })
    },
    onSuccess: async (saved, { id }) => {
      await changeLinks(client, folderId, (links) =>
        id === null ? [...links, saved] : links.map((link) => (link.id === id ? saved : link)),
      )
      toast({ title: id === null ? 'Link added' : 'Link updated', description: saved.name })
      // The folder tells whether its main link shows a map.
      if (!saved.main) return
      client.invalidateQueries(foldersQuery)
      client.invalidateQueries(folderQuery(folderId))
    },
  })
}

/** Withdraws a link of a folder. One that is gone already is a success. */
export function useWithdrawLink(folderId: number, { id, name }: Pick<FolderLink, 'id' | 'name'>) {
  const client = useQueryClient()
  return useMutation({
    mutationFn: () =>
      api('delete', '/api/folders/{id}/links/{linkId}', { path: { id: folderId, linkId: id } }).catch(
        (error: unknown) => {
          if (!hasStatus(error, 404)) throw error
        },
      ),
    onSuccess: async () => {
      await changeLinks(client, folderId, (links) => links.filter((link) => link.id !== id))
      toast({ title: 'Link withdrawn', description: `${name} does not work any more.` })
    },
    onError: (error) => toastFailure('Failed to withdraw the link', error),
  })
}

/** Gives the main link of a folder a new address; the old one stops working. */
export function useNewLink(folderId: number) {
  const client = useQueryClient()
  return useMutation({
    mutationFn: () => api('post', '/api/folders/{id}/share-code', { path: { id: folderId } }),
    onSuccess: async (folder) => {
      cacheFolder(client, folder)
      await changeLinks(client, folderId, (links) =>
        links.map((link) => (link.main ? { ...link, code: folder.shareCode } : link)),
      )
      toast({ title: 'New links made', description: 'The old links do not work any more.' })
    },
    onError: (error) => toastFailure('Failed to make new links', error),
  })
}

/** Shows what became of the links, then reads them again. */
async function changeLinks(client: QueryClient, folderId: number, change: (links: FolderLink[]) => FolderLink[]) {
  const { queryKey } = folderLinksQuery(folderId)
  await client.cancelQueries({ queryKey }) // An earlier response must not show the old ones again.
  client.setQueryData(queryKey, (links) => links && change(links))
  void client.invalidateQueries({ queryKey })
}
