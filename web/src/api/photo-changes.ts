import { type InfiniteData, type QueryClient, type QueryKey, useMutation, useQueryClient } from '@tanstack/react-query'
import { toast } from '../components/ui/toast.tsx'
import { noticeOf, type Page, request } from '../lib/http.ts'
import { photoPagesQuery } from './queries.ts'
import type { Photo } from './types.ts'

/** Deletes a photo for good. The caller says what a failure is called on its screen. */
export function useDeletePhoto(failureTitle: string) {
  const client = useQueryClient()
  return useMutation({
    mutationFn: (photo: Photo) => request<void>(`/api/photos/${photo.id}`, { method: 'DELETE' }),
    onSuccess: (_, photo) => {
      changeLists(client, (photos) => photos.filter((other) => other.id !== photo.id))
      readListsAgain(client)
      toast({ title: 'Photo deleted', description: 'The photo has been successfully deleted' })
    },
    onError: (error) =>
      toast({ title: failureTitle, description: noticeOf(error, 'Failed to delete photo'), tone: 'danger' }),
  })
}

interface Move {
  photo: Photo
  /** Null takes the photo out of its folder. */
  folderId: number | null
}

/** Puts a photo into a folder or takes it out. Shown at once; a refusal puts it back and offers Retry. */
export function useMovePhoto() {
  const client = useQueryClient()
  const move = useMutation({
    mutationFn: ({ photo, folderId }: Move) =>
      request<Photo>(`/api/photos/${photo.id}/folder`, { method: 'PATCH', body: { folderId } }),
    onMutate: async ({ photo, folderId }: Move) => {
      await Promise.all(LISTS.map((queryKey) => client.cancelQueries({ queryKey })))
      const before = LISTS.flatMap((queryKey) => client.getQueriesData({ queryKey }))
      changeLists(client, (photos, key) =>
        photos
          .map((other) => (other.id === photo.id ? { ...other, folderId } : other))
          .filter((other) => key[0] !== 'folder-photos' || other.folderId === key[1]),
      )
      return { before }
    },
    onError: (error, variables, context) => {
      for (const [key, data] of context?.before ?? []) client.setQueryData(key, data)
      toast({
        title: 'Failed to update folder',
        description: noticeOf(error),
        tone: 'danger',
        action: { label: 'Retry', onSelect: () => move.mutate(variables) },
      })
    },
    onSettled: () => readListsAgain(client),
  })
  return move
}

const LISTS: QueryKey[] = [photoPagesQuery.queryKey, ['folder-photos']]

/** Applies a change to every list of photos that has been read. */
function changeLists(client: QueryClient, change: (photos: Photo[], key: QueryKey) => Photo[]): void {
  client.setQueryData<InfiniteData<Page<Photo>, string>>(photoPagesQuery.queryKey, (data) => {
    if (!data) return data
    const pages = data.pages.map((page) => ({ ...page, items: change(page.items, photoPagesQuery.queryKey) }))
    const removed = countItems(data.pages) - countItems(pages)
    return { ...data, pages: pages.map((page) => ({ ...page, total: page.total - removed })) }
  })
  for (const [key, photos] of client.getQueriesData<Photo[]>({ queryKey: ['folder-photos'] })) {
    if (photos) client.setQueryData(key, change(photos, key))
  }
}

function countItems(pages: Page<Photo>[]): number {
  return pages.reduce((sum, page) => sum + page.items.length, 0)
}

/** Reads again what a change of a photo touches; folders' counts follow by the live events, since they lag a little. */
function readListsAgain(client: QueryClient): void {
  for (const key of ['photos', 'folder-photos', 'rankings', 'folders', 'folder']) {
    client.invalidateQueries({ queryKey: [key] })
  }
}
