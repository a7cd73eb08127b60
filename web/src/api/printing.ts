import { useMutation, useQueryClient } from '@tanstack/react-query'
import { toast } from '../components/ui/toast.tsx'
import { noticeOf, request } from '../lib/http.ts'
import { putPhotos } from './photo-lists.ts'
import { foldersQuery } from './queries.ts'
import type { Folder, Photo } from './types.ts'

/** The folder of the photos that are marked for printing; the server keeps its name to one folder for each user. */
export const PRINTED = 'Printed'
const FAILED = 'Failed to mark photo for printing'
const NOT_ADDED = 'Failed to add photo to Printed folder'

/** Marks a photo for printing: moves it into the folder 'Printed', which is made with the first one. */
export function useMarkForPrinting() {
  const client = useQueryClient()

  async function printedFolder(): Promise<Folder> {
    const folders = await client.fetchQuery(foldersQuery)
    const found = folders.find((folder) => folder.name === PRINTED)
    if (found) return found
    // Made meanwhile by another click or another tab, it answers that one.
    return request<Folder>('/api/folders', {
      method: 'POST',
      body: { name: PRINTED, description: 'Photos marked for printing' },
    })
  }

  const mark = useMutation({
    mutationFn: async (photo: Photo) => {
      const folder = await printedFolder().catch((error: unknown) => {
        throw new Error(FAILED, { cause: error })
      })
      const path = `/api/photos/${photo.id}/folder`
      return request<Photo>(path, { method: 'PATCH', body: { folderId: folder.id } }).catch((error: unknown) => {
        throw new Error(NOT_ADDED, { cause: error })
      })
    },
    onSuccess: (photo) => {
      putPhotos(client, [photo.id], [photo])
      toast({ title: 'Added to Printed', description: 'Photo has been marked for printing' })
    },
    onError: (error, photo) =>
      toast({
        title: error.message,
        description: noticeOf(error.cause),
        tone: 'danger',
        action: { label: 'Retry', onSelect: () => mark.mutate(photo) },
      }),
    onSettled: () => {
      for (const key of ['rankings', 'folders', 'folder']) client.invalidateQueries({ queryKey: [key] })
    },
  })
  return mark
}
