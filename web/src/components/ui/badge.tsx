import type { ReactNode } from 'react'
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
      {children}
    </span>
  )
}
