import { type QueryClient, useMutation, useMutationState, useQueryClient } from '@tanstack/react-query'
import { movePhoto, type Pairing, setPairing, setPhotoVisibility, undoMove } from '../api/photo-changes.ts'
import { foldersQuery } from '../api/queries.ts'
import type { Folder, Photo } from '../api/types.ts'
import { toast, toastFailure } from '../components/ui/toast.tsx'
import { describeVisibility } from '../components/visibility.tsx'

/**
 * Moves a photo into a folder, or out of it with null. The lists show it at once; a failure reverts it and offers Retry. A toast names
 * the folder and offers Undo.
 */
export function useMovePhoto() {
  const client = useQueryClient()
  const undo = useUndoMove()
  const move = useMutation({
    mutationFn: ({ photo, folderId }: { photo: Photo; folderId: number | null }) => movePhoto(client, photo, folderId),
    onSuccess: (moved, { photo }) =>
      toast({
        title: describePlace(client, moved.folderId),
        description: describeChange(moved, photo),
        action: { label: 'Undo', onSelect: () => undo({ moved, before: photo }) },
      }),
    onError: (error, variables) => toastFailure('Failed to update folder', error, () => move.mutate(variables)),
  })
  return move
}

type UndoneMove = { moved: Photo; before: Photo; effect?: string }

/** Moves a photo back to where it was, with the visibility that it had; `effect` says what comes back with it. */
export function useUndoMove(): (move: UndoneMove) => void {
  const client = useQueryClient()
  const { mutate } = useMutation({
    mutationFn: ({ moved, before }: UndoneMove) => undoMove(client, moved, before),
    onSuccess: (_, { before, effect }) => toast({ title: describePlace(client, before.folderId), description: effect }),
    onError: (error, variables) => toastFailure('Failed to update folder', error, () => mutate(variables)),
  })
  return mutate
}

/** What a move has made of the photo beside its folder; undefined if nothing. */
function describeChange(moved: Photo, before: Photo): string | undefined {
  if (before.pairedWith === null && moved.pairedWith !== null) return PAIRED.description
  if (moved.isPublic === before.isPublic) return undefined
  return moved.isPublic ? 'The photo is public now, like the folder.' : 'The photo is private now, like the folder.'
}

/** 'Moved to Brighton Beach' */
export function describePlace(client: QueryClient, folderId: number | null): string {
  if (folderId === null) return 'Taken out of the folder'
  const folder = client.getQueryData(foldersQuery.queryKey)?.find(({ id }) => id === folderId)
  return folder ? `Moved to ${folder.name}` : 'Photo moved'
}

/** Separates a pair, or makes one of two photos. A toast offers Undo. */
export function usePairing() {
  const client = useQueryClient()
  const change = useMutation({
    mutationFn: (pairing: Pairing) => setPairing(client, pairing),
    onSuccess: (_, pairing) => {
      const undo = () => change.mutate({ ...pairing, paired: !pairing.paired })
      toast({ ...(pairing.paired ? PAIRED : SEPARATED), action: { label: 'Undo', onSelect: undo } })
    },
    onError: (error, pairing) =>
      toastFailure(pairing.paired ? 'Failed to pair the photos' : 'Failed to separate the files', error, () =>
        change.mutate(pairing),
      ),
  })
  return change
}

const PAIRED = { title: 'Photos paired', description: 'The JPEG and its raw file are one photo now.' }
const SEPARATED = { title: 'Files separated', description: 'The raw file is a photo of its own now.' }

/**
 * A photo's own visibility setting and a function that changes it. While a change is pending its value is shown instead
 * of the photo's: a failure rolls back by itself, and no response in between shows the old value.
 */
export function usePhotoVisibility(photo: Photo, folder: Folder | null) {
  const client = useQueryClient()
  const mutationKey = ['privacy', photo.id]
  const { mutate } = useMutation({
    mutationKey,
    scope: { id: mutationKey.join() }, // One at a time, so that the last choice arrives last.
    mutationFn: (isPublic: boolean) => setPhotoVisibility(client, photo.id, isPublic),
    onSuccess: ({ isPublic }) => {
      const title = isPublic ? 'Photo made public' : 'Photo made private'
      const action = { label: 'Undo', onSelect: () => mutate(!isPublic) }
      toast({ title, description: describeVisibility(isPublic, folder), action })
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
  const isPublic = pending.at(-1) ?? photo.isPublic
  return {
    isPublic,
    /** Whether others see the photo. While the folders are not known yet, its folder counts as public. */
    isShared: isPublic && (folder ? folder.isPublic : photo.folderId !== null),
    explanation: describeVisibility(isPublic, folder),
    setPublic: mutate,
  }
}
