import { useIsLive } from '../../api/live-events.ts'
import { Badge } from '../../components/ui/badge.tsx'

/** Says whether the standings follow by themselves at this moment. */
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
