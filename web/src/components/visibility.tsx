import { Globe, Lock } from 'lucide-react'
import type { Folder } from '../api/types.ts'
import { cx } from '../lib/cx.ts'
import { Badge } from './ui/badge.tsx'

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

interface VisibilityToggleProps {
  title: string
  isPublic: boolean
  /** What the current state means. */
  explanation: string
  onChange: (isPublic: boolean) => void
  tabIndex?: number
  /** On top of the photograph. */
  overlay: boolean
}

/** The visibility badge of the user's own photo as a button. It is small, but its click target is 44 px high. */
export function VisibilityToggle({ title, isPublic, explanation, onChange, tabIndex, overlay }: VisibilityToggleProps) {
  return (
    <button
      type="button"
      tabIndex={tabIndex}
      aria-label={isPublic ? `Public: make ${title} private` : `Private: make ${title} public`}
      title={`${explanation} Click to make it ${isPublic ? 'private' : 'public'}.`}
      onClick={() => onChange(!isPublic)}
      className={cx(
        'relative block rounded-full transition after:absolute after:-inset-2.5 hover:ring-2',
        overlay ? 'hover:brightness-150 hover:ring-white/70' : 'hover:ring-line',
      )}
    >
      <VisibilityBadge isPublic={isPublic} overlay={overlay} />
    </button>
  )
}

/** Who sees a photo with this visibility in this folder: a public photo is visible only in a public folder. */
export function describeVisibility(isPublic: boolean, folder: Pick<Folder, 'name' | 'isPublic'> | null): string {
  if (!isPublic) return 'Visitors never see this photo.'
  if (!folder) return 'Nobody else sees this photo as long as it is in no public folder.'
  if (!folder.isPublic) return `Nobody else sees this photo as long as the folder ${folder.name} is private.`
  return `Everyone with the link of the folder ${folder.name} sees this photo.`
}
