import type { ReactNode } from 'react'
import type { Rank } from '../../api/types.ts'
import { cx } from '../../lib/cx.ts'

const TONES = {
  neutral: 'bg-sunken text-muted',
  accent: 'bg-accent-soft text-accent',
  good: 'bg-good-soft text-good',
  warn: 'bg-warn-soft text-warn',
  danger: 'bg-danger-soft text-danger',
  /** On top of a photograph. */
  overlay: 'bg-black/65 text-white',
}

interface BadgeProps {
  children: ReactNode
  tone?: keyof typeof TONES
  icon?: ReactNode
}

export function Badge({ children, tone = 'neutral', icon }: BadgeProps) {
  return (
    <span
      className={cx(
        'inline-flex h-6 items-center gap-1.5 rounded-full px-2.5 text-xs font-semibold whitespace-nowrap [&>svg]:size-3',
        TONES[tone],
      )}
    >
      {icon}
      <span>{children}</span>
    </span>
  )
}

/** The colours of the three ranks: gold, silver, bronze. */
export const RANK_COLOURS: Record<Rank, string> = {
  first: 'bg-first-soft text-first',
  second: 'bg-second-soft text-second',
  third: 'bg-third-soft text-third',
}
/** The ranks in words. */
export const RANK_LABELS: Record<Rank, string> = { first: 'First', second: 'Second', third: 'Third' }
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

/** The formats of a photo's files. */
export function FormatBadges({ formats, overlay }: { formats: readonly string[]; overlay?: boolean }) {
  return formats.map((format) => (
    <Badge key={format} tone={overlay ? 'overlay' : 'neutral'}>
      {format}
    </Badge>
  ))
}

/** Marks a photo that is looked around in. */
export function SphereBadge({ overlay }: { overlay?: boolean }) {
  return (
    <Badge tone={overlay ? 'overlay' : 'neutral'}>
      360°<span className="sr-only"> picture</span>
    </Badge>
  )
}
