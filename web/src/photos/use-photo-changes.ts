import { type QueryClient, useMutation, useMutationState, useQueryClient } from '@tanstack/react-query'
import { useGuardedMutation } from '../api/guarded-mutation.ts'
import {
  type Correction,
  correctPhoto,
  deletePhoto,
  movePhoto,
  reprocessPhoto,
  setPhotoVisibility,
  undoMove,
} from '../api/photo-changes.ts'
import { foldersQuery } from '../api/queries.ts'
import type { Photo } from '../api/types.ts'
import { toast } from '../components/ui/toast.tsx'
import { errorMessage } from '../lib/http.ts'

/** Deletes a photo for good; of an administrator who deletes another's, the password may be demanded. The title of the failure differs by screen. */
export function useDeletePhoto(failureTitle: string, onDeleted?: (photo: Photo) => void) {
  const client = useQueryClient()
  return useGuardedMutation({
    run: (photo: Photo) => deletePhoto(client, photo),
    onSuccess: (_, photo) => {
      toast({ title: 'Photo deleted', description: 'The photo has been successfully deleted' })
      onDeleted?.(photo)
    },
    onError: (error) =>
      toast({ title: failureTitle, description: errorMessage(error, 'Failed to delete photo'), tone: 'danger' }),
  })
}

interface Move {
  photo: Photo
  /** Null takes the photo out of its folder. */
  folderId: number | null
}

/**
 * Moves a photo into a folder or out of it. The lists show it at once; a failure reverts it and offers Retry. A toast names
 * the folder and offers Undo.
 */
export function useMovePhoto() {
  const client = useQueryClient()
  const undo = useUndoMove()
  const move = useMutation({
    mutationFn: ({ photo, folderId }: Move) => movePhoto(client, photo, folderId),
    onSuccess: (moved, { photo }) =>
      toast({
        title: describePlace(client, moved.folderId),
        description: describeVisibility(moved, photo),
        action: { label: 'Undo', onSelect: () => undo({ moved, before: photo }) },
      }),
    onError: (error, variables) =>
      toast({
        title: 'Failed to update folder',
        description: errorMessage(error),
        tone: 'danger',
        action: { label: 'Retry', onSelect: () => move.mutate(variables) },
      }),
  })
  return move
}

interface UndoneMove {
  moved: Photo
  before: Photo
  /** What comes back with the photo. */
  effect?: string
}

/** Moves a photo back to where it was, with the visibility that it had. */
export function useUndoMove(): (move: UndoneMove) => void {
  const client = useQueryClient()
  const { mutate } = useMutation({
    mutationFn: ({ moved, before }: UndoneMove) => undoMove(client, moved, before),
    onSuccess: (_, { before, effect }) => toast({ title: describePlace(client, before.folderId), description: effect }),
    onError: (error, variables) =>
      toast({
        title: 'Failed to update folder',
        description: errorMessage(error),
        tone: 'danger',
        action: { label: 'Retry', onSelect: () => mutate(variables) },
      }),
  })
  return mutate
}

/** What a move has made of the photo's visibility; undefined if nothing. */
function describeVisibility(moved: Photo, before: Photo): string | undefined {
  if (moved.isPublic === before.isPublic) return undefined
  return moved.isPublic ? 'The photo is public now, like the folder.' : 'The photo is private now, like the folder.'
}

/** 'Moved to Brighton Beach' */
export function describePlace(client: QueryClient, folderId: number | null): string {
  if (folderId === null) return 'Taken out of the folder'
  const folder = client.getQueryData(foldersQuery.queryKey)?.find(({ id }) => id === folderId)
  return folder ? `Moved to ${folder.name}` : 'Photo moved'
}

/**
 * A photo's own visibility setting and a function that changes it. While a change is pending its value is shown instead
 * of the photo's: a failure rolls back by itself, and no response in between shows the old value.
 */
export function usePhotoVisibility(photo: Photo, describe: (isPublic: boolean) => string) {
  const client = useQueryClient()
  const mutationKey = ['privacy', photo.id]
  const { mutate } = useMutation({
    mutationKey,
    scope: { id: mutationKey.join() }, // One at a time, so that the last choice arrives last.
    mutationFn: (isPublic: boolean) => setPhotoVisibility(client, photo.id, isPublic),
    onSuccess: ({ isPublic }) => {
      const title = isPublic ? 'Photo made public' : 'Photo made private'
      toast({
        title,
        description: describe(isPublic),
        action: { label: 'Undo', onSelect: () => mutate(!isPublic) },
      })
    },
    onError: (_, isPublic) =>
      toast({
        title: 'Error',
        description: 'Failed to update photo privacy settings',
        tone: 'danger',
        action: { label: 'Retry', onSelect: () => mutate(isPublic) },
      }),
  })
  const pending = useMutationState({
    filters: { mutationKey, status: 'pending' },
    select: (mutation) => mutation.state.variables as boolean,
  })
  return { isPublic: pending.at(-1) ?? photo.isPublic, setPublic: mutate }
}

/** Corrects a photo. The form shows the errors of single fields. */
export function useCorrectPhoto(photo: Photo) {
  const client = useQueryClient()
  return useMutation({
    mutationFn: (correction: Correction) => correctPhoto(client, photo.id, correction),
    onSuccess: () => toast({ title: 'Photo updated' }),
    onError: (error) => toast({ title: 'Failed to update photo', description: errorMessage(error), tone: 'danger' }),
  })
}

/** Processes a photo again; its card shows at once that it is being processed. */
export function useReprocess(photo: Photo) {
  const client = useQueryClient()
  const reprocess = useMutation({
    mutationFn: () => reprocessPhoto(client, photo.id),
    onError: (error) =>
      toast({
        title: 'Error',
        description: errorMessage(error),
        tone: 'danger',
        action: { label: 'Retry', onSelect: () => reprocess.mutate() },
      }),
  })
  return reprocess
}
