import { useEffect, useEffectEvent, useRef } from 'react'
import { api } from './client.ts'
import type { PhotosByRank, Rank } from './types.ts'

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
  const { rankings } = await api('post', '/api/photos/{id}/rank', {
    path: { id: photoId }, // Link and token are also in cookies, which the browser may block.
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

export const RANKS = ['first', 'second', 'third'] as const satisfies Rank[]

/** A voter's ranks by photo id, as the share contains them. */
export type Ballot = Record<string, Rank>

/** One choice; an empty rank removes the photo from the ballot. */
export interface Vote {
  photoId: number
  rank: Rank | ''
  /** The photo that has the rank gets the one that this photo gives up. */
  swap?: true
}

/**
 * The ballot after a vote: the photo gives up its rank and takes the chosen one from the photo that has it. That photo
 * loses it or, in a swap, gets the one that was given up.
 */
export function applyVote(ballot: Ballot, { photoId, rank, swap }: Vote): Ballot {
  const { [photoId]: former, ...others } = ballot
  const kept = Object.entries(others).filter(([, held]) => held !== rank)
  const loser = Object.keys(others).find((id) => others[id] === rank)
  if (swap && loser && former) kept.push([loser, former])
  if (rank) kept.push([String(photoId), rank])
  return Object.fromEntries(kept)
}

/**
 * The vote that undoes another one on this ballot, if that takes a rank away from a photo; undefined for all others, which the photo's menu
 * changes back.
 */
export function undoOf(ballot: Ballot, { photoId, rank }: Vote): Vote | undefined {
  const former = ballot[photoId]
  if (rank === '') return former && { photoId, rank: former }
  const loser = Object.keys(ballot).find((id) => ballot[id] === rank)
  return loser && !former ? { photoId: Number(loser), rank } : undefined
}

/** The photo id of each rank, 0 for an empty rank. */
export function photosByRank(ballot: Ballot): PhotosByRank {
  const ranks: PhotosByRank = { first: 0, second: 0, third: 0 }
  for (const [id, rank] of Object.entries(ballot)) ranks[rank] = Number(id)
  return ranks
}

/** The ballot with these ranks. */
export function ballotFromRanks(ranks: PhotosByRank): Ballot {
  return Object.fromEntries(RANKS.filter((rank) => ranks[rank] > 0).map((rank) => [String(ranks[rank]), rank]))
}

/**
 * State of a rank in a photo's menu. A ranked photo can only move to a free rank; an unranked one can replace another
 * photo.
 */
export type RankState = 'own' | 'free' | 'replaces' | 'held'

export function rankState(ranks: PhotosByRank, rank: Rank, photoId: number): RankState {
  const holder = ranks[rank]
  if (holder === photoId) return 'own'
  if (holder === 0) return 'free'
  const isRanked = RANKS.some((other) => ranks[other] === photoId)
  return isRanked ? 'held' : 'replaces'
}
