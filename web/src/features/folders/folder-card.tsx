import { Download, Ellipsis, GripHorizontal, Pencil, Share2, Trash2 } from 'lucide-react'
import { Link } from 'react-router-dom'
import type { Folder } from '../../api/types.ts'
import { IconButton } from '../../components/ui/button.tsx'
import { Menu, MenuItem, MenuSeparator } from '../../components/ui/menu.tsx'
import { toast } from '../../components/ui/toast.tsx'
import { VisibilityBadge, VisibilityMenuSwitch } from '../../components/visibility.tsx'
import { countOf } from '../../lib/format.ts'
import { PhotoCovers } from '../../photos/cards/photo-covers.tsx'
import type { FolderAction } from './folder-dialogs.tsx'

interface FolderCardProps {
  folder: Folder
  onAction: (action: FolderAction) => void
}

export function FolderCard({ folder, onAction }: FolderCardProps) {
  return (
    <article aria-label={folder.name} className="relative min-w-0">
      <PhotoCovers covers={folder.covers} />
      <div className="absolute top-2.5 left-2.5">
        <VisibilityBadge isPublic={folder.isPublic} overlay />
      </div>
      <div className="flex items-start gap-1 pt-2 pl-0.5">
        <div className="min-w-0 flex-1">
          <h3 className="truncate font-semibold tracking-normal">
            <Link
              to={`/folders/${folder.id}`}
              className="after:absolute after:inset-0 after:rounded-lg focus-visible:outline-none focus-visible:after:outline-2 focus-visible:after:outline-offset-2 focus-visible:after:outline-accent"
            >
              {folder.name}
            </Link>
          </h3>
          <p className="text-sm text-muted">{countOf(folder.photoCount, 'photo')}</p>
          {folder.description && <p className="line-clamp-2 text-sm text-muted">{folder.description}</p>}
        </div>
        <FolderMenu folder={folder} onAction={onAction} withSharing />
      </div>
    </article>
  )
}

interface FolderMenuProps extends FolderCardProps {
  withSharing?: boolean
  /** False for an administrator who views another user's folder. */
  own?: boolean
}

/** The menu of a folder. On the folder's own screen, a button and a switch replace sharing and visibility. */
export function FolderMenu({ folder, onAction, withSharing, own = true }: FolderMenuProps) {
  return (
    <Menu
      trigger={
        <IconButton
          label={`Actions for ${folder.name}`}
          icon={<Ellipsis />}
          className={withSharing ? 'relative z-10 -mt-1.5 -mr-1.5' : undefined}
        />
      }
    >
      {withSharing && (
        <MenuItem icon={<Share2 />} onSelect={() => (folder.isPublic ? onAction('share') : showPrivateToast())}>
          Share
        </MenuItem>
      )}
      {withSharing && <VisibilityMenuSwitch isPublic={folder.isPublic} onChange={() => onAction('visibility')} />}
      {own && (
        <>
          <MenuItem icon={<Pencil />} onSelect={() => onAction('edit')}>
            Edit
          </MenuItem>
          {folder.photoCount > 1 && (
            <MenuItem icon={<GripHorizontal />} onSelect={() => onAction('arrange')}>
              Arrange photos
            </MenuItem>
          )}
          <MenuItem
            icon={<Download />}
            hint={folder.photoCount === 0 ? 'The folder is empty.' : undefined}
            disabled={folder.photoCount === 0}
            onSelect={() => onAction('download')}
          >
            Download
          </MenuItem>
          <MenuSeparator />
        </>
      )}
      <MenuItem icon={<Trash2 />} danger onSelect={() => onAction('delete')}>
        Delete
      </MenuItem>
    </Menu>
  )
}

function showPrivateToast(): void {
  toast({ title: 'Folder is private', description: 'Make the folder public first to share it.', tone: 'danger' })
}
