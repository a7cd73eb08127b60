import type { Rank } from '../../api/types.ts'
import { RANK_NAMES } from '../../components/ui/badge.tsx'

interface BallotState {
  /** The rank that the next photo gets. */
  armed: Rank | null
  /** How many ranks have a photo. */
  chosen: number
  /** How many photos there are. */
  photos: number
}

/** What a voter can do next: one sentence, and one for which phones have no room. */
export function instruction({ armed, chosen, photos }: BallotState): [sentence: string, more: string] {
  if (armed) return [`Choose the photo for ${RANK_NAMES[armed]}.`, 'Press the place again, or Escape, to cancel.']
  const more = 'You can change them at any time.'
  if (chosen === 3) return ['All three chosen.', more]
  if (chosen === photos) return ['All photos chosen.', more]
  return ['Choose your three favourites.', more]
}
