import { later } from '../later.tsx'
import type { TooltipProps } from './interactive-tooltip.tsx'

/** A word with an explanation, shown by hover, focus or tap; screen readers read it with the word. */
export const Tooltip = later<TooltipProps>(
  () => import('./interactive-tooltip.tsx').then((code) => code.InteractiveTooltip),
  Word,
)

function Word({ children, className }: TooltipProps) {
  return <span className={className}>{children}</span>
}
