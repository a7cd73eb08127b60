import { Eye, Share2 } from 'lucide-react'
import { Badge } from '../../components/ui/badge.tsx'

interface PublicHeaderProps {
  /** Visitors vote; otherwise they only look. */
  voting?: boolean
  name: string
  description: string | null
  /** '24 photos'; undefined until it is known. */
  count: string | undefined
}

/**
 * Name, description and size of a public folder. The server renders the same at the same position before this runs
 * (`.prerendered-folder` in styles.css).
 */
export function PublicHeader({ voting = false, name, description, count }: PublicHeaderProps) {
  return (
    <>
      <div className="flex">
        <Badge tone={voting ? 'accent' : 'neutral'} icon={voting ? <Share2 aria-hidden /> : <Eye aria-hidden />}>
          {voting ? 'Shared Folder' : 'View Only'}
        </Badge>
      </div>
      <h1 className="mt-3 text-3xl font-bold wrap-anywhere sm:text-[34px]/[42px]">{name}</h1>
      {description && (
        <p className="mt-1.5 max-w-[62ch] whitespace-pre-line text-pretty wrap-anywhere text-muted">{description}</p>
      )}
      {count && <p className="mt-1.5 text-muted">{count}</p>}
    </>
  )
}
