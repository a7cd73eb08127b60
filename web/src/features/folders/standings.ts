import type { Photo, Rankings } from '../../api/types.ts'

/** The votes for one photo; 3 points for a first, 2 for a second, 1 for a third rank. */
export type Tally = Rankings['tallies'][number]
type Votes = Omit<Tally, 'photoId'>
type Ranked = Pick<Photo, 'id' | 'createdAt'>

/** One row of the rankings table; `position` is null for a photo without votes. */
export interface Standing<P extends Ranked> extends Votes {
  photo: P
  position: number | null
  /** Points as a fraction of the leader's. */
  fraction: number
}

const NO_VOTES: Votes = { first: 0, second: 0, third: 0, points: 0, voters: 0 }

/** All photos in the order of the standings: by points, then firsts, then seconds, then the earlier upload. */
export function standings<P extends Ranked>(photos: readonly P[], tallies: readonly Tally[]): Standing<P>[] {
  const byPhoto = new Map(tallies.map(({ photoId, ...votes }) => [photoId, votes]))
  const rows = photos.map((photo) => ({ photo, ...(byPhoto.get(photo.id) ?? NO_VOTES) })).sort(compare)
  const leader = rows[0]?.points ?? 0
  return rows.map((row, index) => ({
    ...row,
    position: row.points > 0 ? index + 1 : null,
    fraction: leader > 0 ? row.points / leader : 0,
  }))
}

function compare(a: Votes & { photo: Ranked }, b: typeof a): number {
  return (
    b.points - a.points ||
    b.first - a.first ||
    b.second - a.second ||
    Date.parse(a.photo.createdAt) - Date.parse(b.photo.createdAt) ||
    a.photo.id - b.photo.id
  )
}
