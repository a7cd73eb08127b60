import { ChevronLeft, Share2 } from 'lucide-react'
import type { ReactNode } from 'react'
import { Link } from 'react-router-dom'
import { PRINTED } from '../../api/photo-changes.ts'
import type { Folder } from '../../api/types.ts'
import { Button } from '../../components/ui/button.tsx'
import { VisibilityBadge, VisibilitySwitch } from '../../components/visibility.tsx'
import { countOf } from '../../lib/format.ts'
import { FolderMenu } from './folder-card.tsx'
import type { FolderAction } from './folder-dialogs.tsx'
import { PrintFolderButton } from './print-folder-button.tsx'

interface FolderHeaderProps {
  folder: Folder
  photoCount: number
  /** Undefined until it is known. */
  voters: number | undefined
  /** The folder is the user's own: an administrator also sees others', and may only delete them. */
  own: boolean
  /** The button that uploads photos into the folder. */
  upload: ReactNode
  onAction: (action: FolderAction) => void
}

export function FolderHeader({ folder, photoCount, voters, own, upload, onAction }: FolderHeaderProps) {
  return (
    <header className="mb-4">
      <BackLink />
      <div className="flex flex-wrap items-end justify-between gap-x-6 gap-y-4">
        <div className="min-w-0">
          <h1 className="text-2xl font-bold wrap-anywhere sm:text-3xl">{folder.name}</h1>
          {folder.description && (
            <p className="max-w-2xl whitespace-pre-line text-pretty text-muted wrap-anywhere">{folder.description}</p>
          )}
          <p className="mt-1 flex items-center gap-2.5 text-muted">
            <VisibilityBadge isPublic={folder.isPublic} />
            {countOf(photoCount, 'photo')}
            {Boolean(voters) && ` · ${countOf(voters ?? 0, 'voter')}`}
          </p>
        </div>
        <div className="flex flex-wrap items-center gap-2">
          {own && <VisibilitySwitch isPublic={folder.isPublic} onChange={() => onAction('visibility')} />}
          {own && folder.name === PRINTED && <PrintFolderButton folderId={folder.id} photoCount={photoCount} />}
          {upload}
          {own && folder.isPublic && (
            <Button variant="primary" onClick={() => onAction('share')}>
              <Share2 aria-hidden /> Share
            </Button>
          )}
          <FolderMenu folder={folder} own={own} onAction={onAction} />
        </div>
      </div>
    </header>
  )
}

export function BackLink() {
  return (
    <Button asChild variant="quiet" size="small" className="-ml-3 mb-1">
      <Link to="/folders">
        <ChevronLeft aria-hidden /> Back
      </Link>
    </Button>
  )
}
