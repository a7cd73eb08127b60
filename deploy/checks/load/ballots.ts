// What a ballot must be after the votes that were sent. Imports nothing: whatever checks votes uses this.

/** Photos at the first, second and third place; 0 where a place is empty. */
export type Places = [first: number, second: number, third: number]

/** One vote as its sender saw it. */
export interface SentVote {
  voter: string
  folder: number
  photo: number
  /** 0 takes the photo off the ballot. */
  place: 0 | 1 | 2 | 3
  /** `unknown`: no answer came, or one that leaves open whether the vote was recorded. */
  outcome: 'acknowledged' | 'refused' | 'unknown'
  /** The ballot that the acknowledgement told, where all its photos count. */
  answered?: Places
}

/** The ballot after one more vote: a photo has one place, a place has one photo. */
export function afterVote(places: Places, { photo, place }: Pick<SentVote, 'photo' | 'place'>): Places {
  return places.map((held, index) => {
    if (index + 1 === place) return photo
    return held === photo ? 0 : held
  }) as Places
}

const keyOf = (places: Places) => places.join()

/**
 * Every ballot that may be there after these votes of one voter in one folder, sent one after the other. Only votes
 * without a clear answer make it more than one; none when an acknowledgement told another ballot than it could be.
 */
export function possibleBallots(votes: SentVote[]): Places[] {
  let states = new Map<string, Places>([[keyOf([0, 0, 0]), [0, 0, 0]]])
  for (const vote of votes) {
    if (vote.outcome === 'refused') continue
    const { answered } = vote
    const after = [...states.values()]
      .map((places) => afterVote(places, vote))
      .filter((places) => !answered || keyOf(places) === keyOf(answered))
    const kept = vote.outcome === 'unknown' ? [...states.values()] : []
    states = new Map([...kept, ...after].map((places) => [keyOf(places), places]))
  }
  return [...states.values()]
}

export interface Ballot {
  voter: string
  folder: number
  votes: SentVote[]
}

/** The votes of each voter in each folder, in their order. */
export function byBallot(votes: SentVote[]): Ballot[] {
  const groups = Map.groupBy(votes, ({ voter, folder }) => `${folder} ${voter}`)
  return [...groups.values()].map((group) => {
    const { voter, folder } = group[0] as SentVote
    return { voter, folder, votes: group }
  })
}

/** What is wrong with a ballot that was found, or null. `gone` are photos that were deleted. */
export function judge({ voter, folder, votes }: Ballot, found: Places, gone = new Set<number>()): string | null {
  const left = (places: Places) => keyOf(places.map((photo) => (gone.has(photo) ? 0 : photo)) as Places)
  const possible = possibleBallots(votes).map(left)
  if (possible.includes(left(found))) return null
  if (possible.length === 0) return `voter ${voter} in folder ${folder} was answered another ballot than it had`
  return `voter ${voter} in folder ${folder} has ${keyOf(found)} instead of ${[...new Set(possible)].join(' or ')}`
}
