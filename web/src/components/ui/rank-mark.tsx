import type { Rank } from '../../api/types.ts'
import { cx } from '../../lib/cx.ts'

/** The colours of the three ranks: gold, silver, bronze. */
export const RANK_COLOURS: Record<Rank, string> = {
  first: 'bg-first-soft text-first',
  second: 'bg-second-soft text-second',
  third: 'bg-third-soft text-third',
}
/** The ranks in words. */
export const RANK_NAMES: Record<Rank, string> = { first: '1st place', second: '2nd place', third: '3rd place' }
const NUMERALS: Record<Rank, number> = { first: 1, second: 2, third: 3 }

/** A rank's numeral in its colour; put the rank in words beside it. */
export function RankMark({ rank, className }: { rank: Rank; className?: string }) {
  return (
    <span
      aria-hidden
      className={cx(
        'inline-grid size-6 shrink-0 place-items-center rounded-full text-sm font-bold',
        RANK_COLOURS[rank],
        className,
      )}
    >
      {NUMERALS[rank]}
    </span>
  )
}
