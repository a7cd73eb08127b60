import { formatDateTime, formatRelative } from '../../lib/format.ts'
import { useNow } from '../../lib/use-now.ts'
import { lazyComponent } from '../lazy.tsx'
import type { TooltipProps } from './interactive-tooltip.tsx'

/** A word with an explanation, shown by hover, focus or tap; screen readers read it with the word. */
export const Tooltip = lazyComponent<TooltipProps>(
  () => import('./interactive-tooltip.tsx').then((code) => code.InteractiveTooltip),
  { Loading: Word, afterFirstScreen: true },
)

function Word({ children, className }: TooltipProps) {
  return <span className={className}>{children}</span>
}

/** '5 minutes ago', updated while it is shown; hover, focus or tap shows the exact time. */
export function RelativeTime({ at }: { at: string }) {
  const now = useNow()
  return (
    <Tooltip text={formatDateTime(at) ?? at}>
      <time dateTime={at}>{formatRelative(at, Math.max(now, Date.parse(at)))}</time>
    </Tooltip>
  )
}
