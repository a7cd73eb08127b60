import { useIsLive } from '../../api/live-events.ts'
import { Badge } from '../../components/ui/badge.tsx'

/** Shows whether the standings are updated live. */
export function LiveBadge() {
  const live = useIsLive()
  return (
    <span role="status">
      <Badge tone={live ? 'good' : 'warn'} icon={<span className="size-1.5 rounded-full bg-current" />}>
        {live ? 'Live' : 'Connecting'}
      </Badge>
    </span>
  )
}
