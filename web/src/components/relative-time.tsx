import { useEffect, useState } from 'react'
import { formatDateTime, formatRelative } from '../lib/format.ts'
import { Tooltip } from './ui/tooltip.tsx'

const TICK_MS = 20_000

/** '5 minutes ago', updated while it is shown; hover, focus or tap shows the exact time. */
export function RelativeTime({ at }: { at: string }) {
  const [now, setNow] = useState(Date.now)
  useEffect(() => {
    const timer = setInterval(() => setNow(Date.now()), TICK_MS)
    return () => clearInterval(timer)
  }, [])
  return (
    <Tooltip text={formatDateTime(at) ?? at}>
      <time dateTime={at}>{formatRelative(at, Math.max(now, Date.parse(at)))}</time>
    </Tooltip>
  )
}
