import { type QueryKey, useMutation, useMutationState, useQueryClient } from '@tanstack/react-query'
import { useEffect, useEffectEvent, useRef } from 'react'
import { toast } from '../components/ui/toast.tsx'
import { applyVote, type Ballot, type Vote } from './ballot.ts'
import { ApiError, mayRetry, noticeOf, request } from '../lib/http.ts'
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
  const tellOtherTabs = useOtherTabs(folderId, () => client.invalidateQueries({ queryKey }))

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
      tellOtherTabs()
      toast({ title: 'Ranking recorded', description: 'Your ranking has been saved. Thank you for participating!' })
    },
    onError: (error, vote) => {
      const wasRefused = error instanceof ApiError && error.status >= 400 && error.status < 500
      if (wasRefused) client.invalidateQueries({ queryKey })
      const afterSeconds = error instanceof ApiError ? error.retryAfter : 0
      toast({
        title: 'Ranking failed',
        description: noticeOf(error),
        tone: 'danger',
        // Where voting is closed or the photo gone, trying again helps nobody.
        action: mayRetry(error) ? { label: 'Retry', onSelect: () => mutate(vote), afterSeconds } : undefined,
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

/** Hears when another tab of this voter has voted in the folder. Answers what tells them. */
function useOtherTabs(folderId: number, onVote: () => void): () => void {
  const channel = useRef<BroadcastChannel>(null)
  const hear = useEffectEvent(onVote)
  useEffect(() => {
    const opened = new BroadcastChannel(`ballot-${folderId}`)
    opened.onmessage = () => hear()
    channel.current = opened
    return () => opened.close()
  }, [folderId])
  // A screen that has gone has a closed channel: its last vote is told by the next reading.
  return () => {
    try {
      channel.current?.postMessage(null)
    } catch {
      // Closed.
    }
  }
}
