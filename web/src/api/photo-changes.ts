import { type QueryClient, useMutation, useMutationState, useQueryClient } from '@tanstack/react-query'
import { toast } from '../components/ui/toast.tsx'
import { noticeOf, request } from '../lib/http.ts'
import { PHOTO_PAGES, putPhotos, readPhotosAgain } from './photo-lists.ts'
import { placesQuery } from './queries.ts'
import type { Photo } from './types.ts'

/** Deletes a photo for good. The caller says what a failure is called on its screen. */
export function useDeletePhoto(failureTitle: string) {
  const client = useQueryClient()
  return useMutation({
    mutationFn: (photo: Photo) => request<void>(`/api/photos/${photo.id}`, { method: 'DELETE' }),
    onSuccess: (_, photo) => {
      putPhotos(client, [photo.id], [])
      readFoldersAgain(client)
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
      await Promise.all([PHOTO_PAGES, 'folder-photos'].map((key) => client.cancelQueries({ queryKey: [key] })))
      putPhotos(client, [photo.id], [{ ...photo, folderId }])
    },
    onSuccess: (photo) => putPhotos(client, [photo.id], [photo]),
    onError: (error, variables) => {
      const { photo } = variables
      putPhotos(client, [photo.id], [photo])
      readPhotosAgain(client, [photo.id]).catch(() => {}) // The live events will say how it is.
      toast({
        title: 'Failed to update folder',
        description: noticeOf(error),
        tone: 'danger',
        action: { label: 'Retry', onSelect: () => move.mutate(variables) },
      })
    },
    onSettled: () => readFoldersAgain(client),
  })
  return move
}

/**
 * A photo's own flag and how to change it. The wanted flag is laid over the photo while the change is under way, so that
 * a refused one rolls back by itself and no reading in between shows the old one.
 */
export function usePrivacy(photo: Photo, meaning: (isPublic: boolean) => string) {
  const client = useQueryClient()
  const mutationKey = ['privacy', photo.id]
  const { mutate } = useMutation({
    mutationKey,
    scope: { id: mutationKey.join() }, // One after the other, so that the last wish is the last to arrive.
    mutationFn: (isPublic: boolean) =>
      request<Photo>(`/api/photos/${photo.id}/privacy`, { method: 'PATCH', body: { isPublic } }),
    onSuccess: (changed) => {
      putPhotos(client, [changed.id], [changed])
      readFoldersAgain(client)
      const title = changed.isPublic ? 'Photo made public' : 'Photo made private'
      toast({ title, description: meaning(changed.isPublic) })
    },
    onError: (_, isPublic) =>
      toast({
        title: 'Error',
        description: 'Failed to update photo privacy settings',
        tone: 'danger',
        action: { label: 'Retry', onSelect: () => mutate(isPublic) },
      }),
  })
  const wanted = useMutationState({
    filters: { mutationKey, status: 'pending' },
    select: (mutation) => mutation.state.variables as boolean,
  })
  return { isPublic: wanted.at(-1) ?? photo.isPublic, setPublic: mutate }
}

/** What the owner may correct of a photo; what is absent stays, null empties. */
export interface Correction {
  title?: string
  description?: string | null
  city?: string | null
  state?: string | null
  /** Decimal degrees; both or neither. */
  latitude?: string | null
  longitude?: string | null
  /** ISO 8601, with a zone or without. */
  dateTaken?: string | null
}

/** Corrects a photo. The form shows what was refused. */
export function useCorrectPhoto(photo: Photo) {
  const client = useQueryClient()
  return useMutation({
    mutationFn: (correction: Correction) =>
      request<Photo>(`/api/photos/${photo.id}`, { method: 'PATCH', body: correction }),
    onSuccess: (corrected) => {
      putPhotos(client, [corrected.id], [corrected])
      client.invalidateQueries({ queryKey: placesQuery.queryKey })
      toast({ title: 'Photo updated' })
    },
    onError: (error) => toast({ title: 'Failed to update photo', description: noticeOf(error), tone: 'danger' }),
  })
}

/** Has a photo processed once more; the card shows at once that it runs. */
export function useReprocess(photo: Photo) {
  const client = useQueryClient()
  const again = useMutation({
    mutationFn: () => request<Photo>(`/api/photos/${photo.id}/reprocess`, { method: 'POST' }),
    onSuccess: (changed) => putPhotos(client, [changed.id], [changed]),
    onError: (error) =>
      toast({
        title: 'Error',
        description: noticeOf(error),
        tone: 'danger',
        action: { label: 'Retry', onSelect: () => again.mutate() },
      }),
  })
  return again
}

/** Reads again what a change of a photo touches beside the lists of photos. */
function readFoldersAgain(client: QueryClient): void {
  for (const key of ['rankings', 'folders', 'folder']) client.invalidateQueries({ queryKey: [key] })
}
