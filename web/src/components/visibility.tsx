import { Globe, Lock } from 'lucide-react'
import { useId } from 'react'
import type { Folder } from '../api/types.ts'
import { Badge } from './ui/badge.tsx'
import { MenuSwitch } from './ui/menu.tsx'
import { Switch } from './ui/switch.tsx'

export function VisibilityIcon({ isPublic, className }: { isPublic: boolean; className?: string }) {
  const Icon = isPublic ? Globe : Lock
  return <Icon aria-hidden className={className} />
}

/** 'Public' or 'Private'; `overlay` is for badges on top of a photograph. */
export function VisibilityBadge({ isPublic, overlay }: { isPublic: boolean; overlay?: boolean }) {
  return (
    <Badge tone={overlay ? 'overlay' : 'neutral'} icon={<VisibilityIcon isPublic={isPublic} />}>
      {isPublic ? 'Public' : 'Private'}
    </Badge>
  )
}

interface VisibilityControlProps {
  isPublic: boolean
  /** What the current state means. */
  explanation?: string
  onChange: (isPublic: boolean) => void
}

/** The visibility of a photo or a folder as an item of a menu. */
export function VisibilityMenuSwitch({ isPublic, explanation, onChange }: VisibilityControlProps) {
  return (
    <MenuSwitch
      icon={<VisibilityIcon isPublic={isPublic} />}
      hint={explanation}
      checked={isPublic}
      onCheckedChange={onChange}
    >
      Public
    </MenuSwitch>
  )
}

/** Who sees a photo with this visibility in this folder: a public photo is visible only in a public folder. */
export function describeVisibility(isPublic: boolean, folder: Pick<Folder, 'name' | 'isPublic'> | null): string {
  if (!isPublic) return 'Only you can see this photo.'
  if (!folder) return 'Only you can see this photo until it is in a public folder.'
  if (!folder.isPublic) return `Only you can see this photo while the folder ${folder.name} is private.`
  return `Everyone with the link to the folder ${folder.name} can see this photo.`
}

/** The visibility of a photo or a folder as a labelled switch. The explanation has room for two lines, so that nothing moves. */
export function VisibilitySwitch({ isPublic, explanation, onChange }: VisibilityControlProps) {
  const id = useId()
  return (
    <div className="flex min-h-11 items-center justify-between gap-3 sm:min-h-9">
      <div>
        <p id={`${id}-label`} className="font-semibold">
          Public
        </p>
        {explanation && (
          <p id={`${id}-explanation`} className="min-h-10 text-sm text-pretty text-muted">
            {explanation}
          </p>
        )}
      </div>
      <Switch
        checked={isPublic}
        onCheckedChange={onChange}
        aria-labelledby={`${id}-label`}
        aria-describedby={explanation && `${id}-explanation`}
      />
    </div>
  )
}
