import { formatDateTime, formatRelative } from '../lib/format.ts'
import { useNow } from '../lib/use-now.ts'
import { Tooltip } from './ui/tooltip.tsx'

/** '5 minutes ago', updated while it is shown; hover, focus or tap shows the exact time. */
export function RelativeTime({ at }: { at: string }) {
  const now = useNow()
  return (
    <Tooltip text={formatDateTime(at) ?? at}>
      <time dateTime={at}>{formatRelative(at, Math.max(now, Date.parse(at)))}</time>
    </Tooltip>
  )
}
