import { useMutation, useMutationState, useQueryClient } from '@tanstack/react-query'
import { shareQuery } from '../../api/queries.ts'
import type { Places, Share } from '../../api/types.ts'
import { toast } from '../../components/ui/toast.tsx'
import { ApiError, noticeOf, request } from '../../lib/http.ts'
import { applyVote, type Ballot, ballotOf, type Vote } from './ballot.ts'

/**
 * This voter's ballot and how to change it. What is shown is the ballot that the server confirmed with the votes under
 * way laid over it: a vote that fails rolls back by itself, without touching those that were cast after it.
 */
export function useBallot(share: Share, shareCode: string, fingerprint: string) {
  const client = useQueryClient()
  const { queryKey } = shareQuery(shareCode, fingerprint)
  const mutationKey = ['rank', shareCode]

  const { mutate } = useMutation({
    mutationKey,
    scope: { id: mutationKey.join() }, // One after the other, so that the last choice is the last to arrive.
    mutationFn: ({ photoId, rank }: Vote) =>
      request<{ rankings: Places }>(`/api/photos/${photoId}/rank`, {
        method: 'POST',
        body: { fingerprint, rank, folderId: share.folder.id },
      }),
    onSuccess: async ({ rankings }) => {
      await client.cancelQueries({ queryKey }) // A reading from before this vote must not come after it.
      client.setQueryData(queryKey, (old) => old && { ...old, voteCounts: ballotOf(rankings) })
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
  const ballot = underWay.reduce(applyVote, share.voteCounts as Ballot)

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
