import type { PhotosByRank, Rank } from './types.ts'

export const RANKS = ['first', 'second', 'third'] as const satisfies Rank[]

/** A voter's ranks by photo id, as the share contains them. */
export type Ballot = Record<string, Rank>

/** One choice; an empty rank removes the photo from the ballot. */
export interface Vote {
  photoId: number
  rank: Rank | ''
}

/** The ballot after a vote: the photo gives up its rank and takes the chosen one from the photo that has it. */
export function applyVote(ballot: Ballot, vote: Vote): Ballot {
  const others = Object.entries(ballot).filter(([id, rank]) => id !== String(vote.photoId) && rank !== vote.rank)
  return Object.fromEntries(vote.rank === '' ? others : [...others, [String(vote.photoId), vote.rank]])
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
