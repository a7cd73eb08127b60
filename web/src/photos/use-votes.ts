import { type QueryKey, useMutation, useMutationState, useQueryClient } from '@tanstack/react-query'
import { useEffect, useRef } from 'react'
import type { PhotosByRank } from '../api/types.ts'
import { applyVote, type Ballot, sendVote, undoOf, useVotesOfOtherTabs, type Vote, type Voting } from '../api/votes.ts'
import { toast, toastFailure } from '../components/ui/toast.tsx'
import type { ToastContent } from '../components/ui/toast-store.ts'
import { ApiError } from '../lib/http.ts'

interface VotesOptions extends Voting {
  /** The ballot that the server confirmed, and the query that it comes from. */
  confirmed: Ballot
  queryKey: QueryKey
  /** Writes the confirmed ranks into that query's data. */
  onConfirmed: (ranks: PhotosByRank) => void
  /** Names a photo that loses its rank to another one. */
  titleOf: (photoId: number) => string
}

/** A vote and the one that undoes it, or a vote that undoes another one. */
type Change = { vote: Vote; undo?: Vote; isUndo?: true }

const RECORDED = { title: 'Ranking recorded', description: 'Your ranking has been saved. Thank you for participating!' }

/**
 * A voter's ballot in a folder and a function that votes. The ballot shown is the confirmed one with the pending votes
 * applied: a failed vote rolls back by itself and leaves later votes untouched.
 */
export function useVotes({ confirmed, queryKey, onConfirmed, titleOf, ...voting }: VotesOptions) {
  const { folderId, fingerprint } = voting
  const client = useQueryClient()
  const mutationKey = ['rank', folderId]
  const notifyOtherTabs = useVotesOfOtherTabs(folderId, () => client.invalidateQueries({ queryKey }))

  // A toast about votes does not outlive the screen on which they are cast.
  const dismissToast = useRef<() => void>(null)
  useEffect(() => () => dismissToast.current?.(), [])
  const showToast = (content: ToastContent) => {
    dismissToast.current = toast(content)
  }

  const { mutate } = useMutation({
    mutationKey,
    scope: { id: mutationKey.join() }, // One at a time, so that the last choice arrives last.
    mutationFn: ({ vote }: Change) => sendVote(voting, vote),
    onMutate: () => dismissToast.current?.(), // A new choice supersedes what was said of the last one.
    onSuccess: async (ranks, { vote, undo, isUndo }) => {
      await client.cancelQueries({ queryKey }) // A response from before this vote must not overwrite it.
      onConfirmed(ranks)
      notifyOtherTabs()
      // A later vote is on its way: it may have taken the rank.
      const offered = client.isMutating({ mutationKey }) === 1 ? undo : undefined
      if (isUndo) return showToast({ title: 'Undone' })
      const loser = offered && vote.rank !== '' ? `“${titleOf(offered.photoId)}” no longer has a place.` : undefined
      showToast({
        ...(vote.rank === '' ? { title: 'Vote removed' } : RECORDED),
        note: loser,
        action: offered && { label: 'Undo', onSelect: () => mutate({ vote: offered, isUndo: true }) },
      })
    },
    onError: (error, change) => {
      const isRejection = error instanceof ApiError && error.status >= 400 && error.status < 500
      if (isRejection) client.invalidateQueries({ queryKey })
      dismissToast.current = toastFailure('Ranking failed', error, () => mutate(change))
    },
  })

  const pending = useMutationState({
    filters: { mutationKey, status: 'pending' },
    select: (mutation) => (mutation.state.variables as Change).vote,
  })
  const ballot = pending.reduce(applyVote, confirmed)

  function castVote(vote: Vote): void {
    const description = 'Unable to generate a unique identifier for ranking.'
    if (fingerprint === '') showToast({ title: 'Cannot rank', description, tone: 'danger' })
    else mutate({ vote, undo: undoOf(ballot, vote) })
  }

  return { ballot, castVote }
}
