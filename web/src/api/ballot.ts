import type { PhotosByRank, Rank } from './types.ts'

export const RANKS = ['first', 'second', 'third'] as const satisfies Rank[]

/** A voter's own places by photo id, as the share carries them. */
export type Ballot = Record<string, Rank>

/** One choice; an empty rank takes the photo's place away. */
export interface Vote {
  photoId: number
  rank: Rank | ''
}

/** The ballot after a vote: the photo leaves its place, and takes over the chosen one from whichever photo holds it. */
export function applyVote(ballot: Ballot, vote: Vote): Ballot {
  const others = Object.entries(ballot).filter(([id, rank]) => id !== String(vote.photoId) && rank !== vote.rank)
  return Object.fromEntries(vote.rank === '' ? others : [...others, [String(vote.photoId), vote.rank]])
}

/** The photo that holds each place, 0 where none does. */
export function photosByRank(ballot: Ballot): PhotosByRank {
  const places: PhotosByRank = { first: 0, second: 0, third: 0 }
  for (const [id, rank] of Object.entries(ballot)) places[rank] = Number(id)
  return places
}

/** The ballot that gives these places. */
export function ballotFromRanks(ranks: PhotosByRank): Ballot {
  return Object.fromEntries(RANKS.filter((rank) => ranks[rank] > 0).map((rank) => [String(ranks[rank]), rank]))
}

/** What a photo's menu says about a place. A ranked photo may only move to a free place; an unranked one may take one over. */
export type RankState = 'own' | 'free' | 'replaces' | 'held'

export function rankState(ranks: PhotosByRank, rank: Rank, photoId: number): RankState {
  const holder = ranks[rank]
  if (holder === photoId) return 'own'
  if (holder === 0) return 'free'
  const isRanked = RANKS.some((other) => ranks[other] === photoId)
  return isRanked ? 'held' : 'replaces'
}
