/** The votes for one photo; 3 points for a first, 2 for a second, 1 for a third rank. */
export interface Tally {
  photoId: number
  first: number
  second: number
  third: number
  points: number
  /** How many voters ranked it. */
  voters: number
}

interface Ranked {
  id: number
  createdAt: string
}

/** One row of the rankings table; `position` is null for a photo without votes. */
export interface Standing<P extends Ranked> extends Omit<Tally, 'photoId'> {
  photo: P
  position: number | null
  /** Points as a fraction of the leader's. */
  fraction: number
}

const NO_VOTES: Omit<Tally, 'photoId'> = { first: 0, second: 0, third: 0, points: 0, voters: 0 }

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

function compare(a: Omit<Standing<Ranked>, 'position' | 'fraction'>, b: typeof a): number {
  return (
    b.points - a.points ||
    b.first - a.first ||
    b.second - a.second ||
    Date.parse(a.photo.createdAt) - Date.parse(b.photo.createdAt) ||
    a.photo.id - b.photo.id
  )
}
