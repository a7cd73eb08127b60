import { Eye, Share2 } from 'lucide-react'
import { Badge } from '../../components/ui/badge.tsx'

export function SharedFolderBadge() {
  return (
    <Badge tone="accent" icon={<Share2 aria-hidden />}>
      Shared Folder
    </Badge>
  )
}

export function ViewOnlyBadge() {
  return <Badge icon={<Eye aria-hidden />}>View Only</Badge>
}
