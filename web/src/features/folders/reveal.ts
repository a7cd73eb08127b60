import type { Rank } from '../../api/types.ts'
import { RANK_NAMES } from '../../components/ui/badge.tsx'
import { PLACES } from './voting-texts.ts'

/** How many places are revealed, the last one first; null: all are shown, and follow the votes. */
export type Reveal = number | null
export type Step = 'toggle' | 'next' | 'back'

/** What a step makes of it with this number of places. */
export function afterStep(reveal: Reveal, step: Step, places: number): Reveal {
  // A remote has no other key to begin with.
  if (reveal === null) return step === 'back' || places === 0 ? null : 0
  if (step === 'toggle') return null
  return step === 'next' ? Math.min(places, reveal + 1) : Math.max(0, reveal - 1)
}

/** True for a place that is seen; the first has index 0. */
export function isShown(reveal: Reveal, index: number, places: number): boolean {
  return reveal === null || index >= places - reveal
}

/** The step of a key; presenter remotes send the pages. */
export function stepOf(key: string): Step | null {
  if (key === 'r') return 'toggle'
  if (key === ' ' || key === 'arrowright' || key === 'pagedown') return 'next'
  return key === 'arrowleft' || key === 'pageup' ? 'back' : null
}

export interface Place {
  title: string
  points: number
}

/** '1st place: Harbor, 12 points.' */
function sentenceOf(rank: Rank, { title, points }: Place): string {
  return `${RANK_NAMES[rank]}: ${title || 'Untitled'}, ${points === 1 ? '1 point' : `${points} points`}.`
}

/** What screen readers read of the podium: all of it, while it is revealed only what was revealed last. */
export function announce(places: readonly Place[], reveal: Reveal): string {
  const sentences = places.flatMap((place, index) => {
    const rank = PLACES[index]?.rank
    return rank ? [sentenceOf(rank, place)] : []
  })
  if (reveal === null) return sentences.join(' ')
  return sentences[places.length - reveal] ?? 'All places are covered.'
}
