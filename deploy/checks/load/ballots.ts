// The ballots that votes may result in. Imports nothing, so that every check of votes can use it.

/** What clients call the ranks. */
export const RANKS = ['', 'first', 'second', 'third'] as const

/** Photos with rank first, second and third; 0 for an empty rank. */
export type Ranks = [first: number, second: number, third: number]

/** One vote as its sender observed it. */
export interface SentVote {
  voter: string
  folder: number
  photo: number
  /** 0 removes the photo from the ballot. */
  rank: 0 | 1 | 2 | 3
  /** `unknown`: no response, or one that does not say whether the vote was recorded. */
  outcome: 'acknowledged' | 'rejected' | 'unknown'
  /** The ballot in the acknowledgement, if all its photos count. */
  returned?: Ranks
}

/** Without a response, or with a server error, the vote may still have been recorded. */
export function outcomeOf(status: number): SentVote['outcome'] {
  if (status === 200) return 'acknowledged'
  return status === 0 || status >= 500 ? 'unknown' : 'rejected'
}

/** Applies one vote to a ballot: a photo has one rank, a rank has one photo. */
export function applyVote(ranks: Ranks, { photo, rank }: Pick<SentVote, 'photo' | 'rank'>): Ranks {
  return ranks.map((held, index) => {
    if (index + 1 === rank) return photo
    return held === photo ? 0 : held
  }) as Ranks
}

const keyOf = (ranks: Ranks) => ranks.join()

/**
 * Returns every ballot that these votes of one voter in one folder may result in, sent one after the other. Only votes
 * with an unknown outcome lead to more than one; none is possible if an acknowledgement contradicts the votes.
 */
export function possibleBallots(votes: SentVote[]): Ranks[] {
  let states = new Map<string, Ranks>([[keyOf([0, 0, 0]), [0, 0, 0]]])
  for (const vote of votes) {
    if (vote.outcome === 'rejected') continue
    const { returned } = vote
    const after = [...states.values()]
      .map((ranks) => applyVote(ranks, vote))
      .filter((ranks) => !returned || keyOf(ranks) === keyOf(returned))
    const kept = vote.outcome === 'unknown' ? [...states.values()] : []
    states = new Map([...kept, ...after].map((ranks) => [keyOf(ranks), ranks]))
  }
  return [...states.values()]
}

export interface Ballot {
  voter: string
  folder: number
  votes: SentVote[]
}

/** Groups votes by voter and folder, keeping their order. */
export function groupByBallot(votes: SentVote[]): Ballot[] {
  const groups = Map.groupBy(votes, ({ voter, folder }) => `${folder} ${voter}`)
  return [...groups.values()].map((group) => {
    const { voter, folder } = group[0] as SentVote
    return { voter, folder, votes: group }
  })
}

/** Returns what is wrong with a stored ballot, or null. `deleted` are photos that no longer exist. */
export function checkBallot(
  { voter, folder, votes }: Ballot,
  found: Ranks,
  deleted = new Set<number>(),
): string | null {
  const withoutDeleted = (ranks: Ranks) => keyOf(ranks.map((photo) => (deleted.has(photo) ? 0 : photo)) as Ranks)
  const possible = possibleBallots(votes).map(withoutDeleted)
  if (possible.includes(withoutDeleted(found))) return null
  if (possible.length === 0)
    return `voter ${voter} in folder ${folder} got an acknowledgement that contradicts its votes`
  return `voter ${voter} in folder ${folder} has ${keyOf(found)} instead of ${[...new Set(possible)].join(' or ')}`
}
