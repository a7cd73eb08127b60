/** The ranks of a ballot, best first. */
export const RANKS = ['first', 'second', 'third'] as const

export type Rank = (typeof RANKS)[number]

/** The photo id of each rank, 0 where the rank is empty. */
export type RankedPhotos = Record<Rank, number>

export const NO_RANKED_PHOTOS: RankedPhotos = { first: 0, second: 0, third: 0 }
