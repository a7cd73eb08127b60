import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { markForPrinting, PrintingError, type VotesLeft, votesLeftBehind } from '../../api/photo-changes.ts'
import { foldersQuery } from '../../api/queries.ts'
import type { Photo } from '../../api/types.ts'
import { toast, toastFailure } from '../../components/ui/toast.tsx'
import { useOpenPhoto } from '../use-open-photo.ts'
import { useUndoMove } from '../use-photo-changes.ts'

/** What the dialogs about single photos of a list show, and the functions that open them. */
export function usePhotoDialogs() {
  const [moving, setMoving] = useState<Photo | null>(null)
  const [deleting, setDeleting] = useState<Photo | null>(null)
  const opened = useOpenPhoto()
  const marking = useMarkForPrinting()
  return { opened, marking, moving, setMoving, deleting, setDeleting }
}

export type PhotoDialogsState = ReturnType<typeof usePhotoDialogs>

const NOT_MARKED = 'Failed to mark photo for printing'

/** A photo that is marked only after a confirmation, since votes stop counting. */
export type MarkQuestion = VotesLeft & { photo: Photo }

/**
 * Marks a photo for printing by moving it into the folder 'Printed', and offers Undo. `question` is set when the photo
 * leaves a folder with votes: `answer` marks it then, or does nothing.
 */
function useMarkForPrinting() {
  const client = useQueryClient()
  const undo = useUndoMove()
  const [question, setQuestion] = useState<MarkQuestion | null>(null)
  const move = useMutation({
    mutationFn: ({ photo }: { photo: Photo; votes: number }) => markForPrinting(client, photo),
    onSuccess: (moved, { photo, votes }) => {
      const left = client.getQueryData(foldersQuery.queryKey)?.find(({ id }) => id === photo.folderId)
      // A voter may have given the place to another photo meanwhile.
      const effect = votes > 0 ? 'Its votes count again, except those that were changed meanwhile.' : undefined
      toast({
        title: 'Added to Printed',
        description: 'Photo has been marked for printing',
        note: left && `It left “${left.name}”${votes > 0 ? ', its votes no longer count' : ''}.`,
        action: { label: 'Undo', onSelect: () => undo({ moved, before: photo, effect }) },
      })
    },
    onError: (error, mark) => {
      const isStart = error instanceof PrintingError && error.step === 'folder'
      toastFailure(isStart ? NOT_MARKED : 'Failed to add photo to Printed folder', error.cause, () => move.mutate(mark))
    },
  })
  const ask = useMutation({
    mutationFn: (photo: Photo) => votesLeftBehind(client, photo),
    onSuccess: (left, photo) => (left ? setQuestion({ photo, ...left }) : move.mutate({ photo, votes: 0 })),
    onError: (error, photo) => toastFailure(NOT_MARKED, error, () => ask.mutate(photo)),
  })

  function answer(mark: boolean): void {
    setQuestion(null)
    if (question && mark) move.mutate(question)
  }

  return { mark: ask.mutate, busy: ask.isPending || move.isPending, question, answer }
}
