import { useEffect, useEffectEvent, useRef } from 'react'
import { request } from '../lib/http.ts'
import type { Vote } from './ballot.ts'
import type { PhotosByRank } from './types.ts'

/** Who votes where. */
export interface Voting {
  folderId: number
  fingerprint: string
  /** Of the link that the visitor has; the owner needs none. */
  shareCode?: string
}

/** Sends a vote and returns the ballot that the server confirmed. */
export async function sendVote(voting: Voting, { photoId, ...choice }: Vote): Promise<PhotosByRank> {
  const { rankings } = await request<{ rankings: PhotosByRank }>(`/api/photos/${photoId}/rank`, {
    method: 'POST',
    // The link is also in a cookie, which the browser may block.
    body: { ...voting, ...choice },
  })
  return rankings
}

/** Calls `onVote` when another tab of this voter has voted in the folder. Returns a function that notifies the other tabs. */
export function useVotesOfOtherTabs(folderId: number, onVote: () => void): () => void {
  const channel = useRef<BroadcastChannel>(null)
  const handleVote = useEffectEvent(onVote)
  useEffect(() => {
    const opened = new BroadcastChannel(`ballot-${folderId}`)
    opened.onmessage = () => handleVote()
    channel.current = opened
    return () => opened.close()
  }, [folderId])
  // The channel of an unmounted screen is closed; other tabs then see its last vote with their next request.
  return () => {
    try {
      channel.current?.postMessage(null)
    } catch {
      // Closed.
    }
  }
}
