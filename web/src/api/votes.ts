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

/**
 * The voter token of the page, where the browser had no cookie of it: it shows that the page was loaded, also if the browser
 * keeps no cookies. The first one, so that this page is one voter however often it reads the folder again.
 */
let voterToken: string | undefined

/** Keeps the token of a page's response, if it has one. */
export function keepVoterToken(headers: Headers): void {
  voterToken ??= headers.get('voter-token') ?? undefined
}

/** Sends a vote and returns the ballot that the server confirmed. */
export async function sendVote(voting: Voting, { photoId, ...choice }: Vote): Promise<PhotosByRank> {
  const { rankings } = await request<{ rankings: PhotosByRank }>(`/api/photos/${photoId}/rank`, {
    method: 'POST',
    // Link and token are also in cookies, which the browser may block.
    body: { ...voting, ...choice, voterToken },
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
