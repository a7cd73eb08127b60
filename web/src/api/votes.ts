import { type QueryKey, useMutation, useMutationState, useQueryClient } from '@tanstack/react-query'
import { toast } from '../components/ui/toast.tsx'
import { applyVote, type Ballot, type Vote } from '../lib/ballot.ts'
import { ApiError, noticeOf, request } from '../lib/http.ts'
import type { Places } from './types.ts'

interface VotesOptions {
  folderId: number
  fingerprint: string
  /** The ballot that the server confirmed. */
  confirmed: Ballot
  /** The query that it comes from. */
  queryKey: QueryKey
  /** Puts the places of the server's answer into that query's data. */
  onConfirmed: (places: Places) => void
}

/**
 * A voter's ballot in a folder and how to change it. What is shown is the ballot that the server confirmed with the votes
 * under way laid over it: a vote that fails rolls back by itself, without touching those that were cast after it.
 */
export function useVotes({ folderId, fingerprint, confirmed, queryKey, onConfirmed }: VotesOptions) {
  const client = useQueryClient()
  const mutationKey = ['rank', folderId]

  const { mutate } = useMutation({
    mutationKey,
    scope: { id: mutationKey.join() }, // One after the other, so that the last choice is the last to arrive.
    mutationFn: ({ photoId, rank }: Vote) =>
      request<{ rankings: Places }>(`/api/photos/${photoId}/rank`, {
        method: 'POST',
        body: { fingerprint, rank, folderId },
      }),
    onSuccess: async ({ rankings }) => {
      await client.cancelQueries({ queryKey }) // A reading from before this vote must not come after it.
      onConfirmed(rankings)
      toast({ title: 'Ranking recorded', description: 'Your ranking has been saved. Thank you for participating!' })
    },
    onError: (error, vote) => {
      const wasRefused = error instanceof ApiError && error.status >= 400 && error.status < 500
      if (wasRefused) client.invalidateQueries({ queryKey })
      toast({
        title: 'Ranking failed',
        description: noticeOf(error),
        tone: 'danger',
        action: { label: 'Retry', onSelect: () => mutate(vote) },
      })
    },
  })

  const underWay = useMutationState({
    filters: { mutationKey, status: 'pending' },
    select: (mutation) => mutation.state.variables as Vote,
  })
  const ballot = underWay.reduce(applyVote, confirmed)

  function castVote(vote: Vote): void {
    if (fingerprint === '') {
      toast({
        title: 'Cannot rank',
        description: 'Unable to generate a unique identifier for ranking.',
        tone: 'danger',
      })
      return
    }
    mutate(vote)
  }

  return { ballot, castVote }
}
