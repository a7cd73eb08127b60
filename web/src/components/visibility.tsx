import { Globe, Lock } from 'lucide-react'
import { Badge } from './ui/badge.tsx'

export function VisibilityIcon({ isPublic, className }: { isPublic: boolean; className?: string }) {
  const Icon = isPublic ? Globe : Lock
  return <Icon aria-hidden className={className} />
}

/** 'Public' or 'Private'; `overlay` lies on a photograph. */
export function VisibilityBadge({ isPublic, overlay }: { isPublic: boolean; overlay?: boolean }) {
  return (
    <Badge tone={overlay ? 'overlay' : 'neutral'} icon={<VisibilityIcon isPublic={isPublic} />}>
      {isPublic ? 'Public' : 'Private'}
    </Badge>
  )
}
