import { Badge } from './ui/badge.tsx'

/** Marks a photo that is looked around in. */
export function SphereBadge({ overlay }: { overlay?: boolean }) {
  return (
    <Badge tone={overlay ? 'overlay' : 'neutral'}>
      360°<span className="sr-only"> picture</span>
    </Badge>
  )
}
