import { BookmarkPlus, Download, Ellipsis, Eye, FolderInput, Image, Printer, Trash2 } from 'lucide-react'
import { memo } from 'react'
import { PRINTED } from '../../api/photo-changes.ts'
import type { Folder, Photo } from '../../api/types.ts'
import { PhotoImage } from '../../components/photo-image.tsx'
import { Badge, SphereBadge } from '../../components/ui/badge.tsx'
import { IconButton } from '../../components/ui/button.tsx'
import { Menu, MenuItem } from '../../components/ui/menu.tsx'
import { describeVisibility, VisibilityBadge, VisibilityMenuSwitch } from '../../components/visibility.tsx'
import { altText } from '../../lib/format.ts'
import type { CoverChange } from '../folder-changes.ts'
import { type Box, isDng, sourcesForBox } from '../renditions.ts'
import { usePhotoVisibility } from '../use-photo-changes.ts'
import { CardActions } from './card-actions.tsx'
import { FailedPlaceholder, RawPlaceholder } from './card-placeholders.tsx'
import { CompactCard } from './compact-card.tsx'
import { DenseCard } from './dense-card.tsx'
import { PhotoCaption } from './photo-caption.tsx'

interface PhotoCardProps {
  photo: Photo
  /** The photo's folder, if it is known. */
  folder: Folder | null
  /** It is named. */
  showFolder: boolean
  /** The photo is the user's own: an administrator also sees others'. */
  own: boolean
  /** The user may delete it: it is the user's own, or the user is an administrator. */
  deletable: boolean
  /** The box of the picture, for choosing a rendition. */
  box: Box
  /** A card, a small picture alone, or a row. */
  view: 'grid' | 'dense' | 'list'
  inFirstRow: boolean
  /** The Tab key reaches its controls. */
  inTabOrder: boolean
  onOpen: (photo: Photo) => void
  /** Marks it for printing. */
  onMark: (photo: Photo) => void
  /** Orders prints of it. */
  onPrint: (photo: Photo) => void
  /** Why prints cannot be ordered; null if they can. */
  printingReason: string | null
  onMove: (photo: Photo) => void
  /** In a folder: chooses its cover, or none. */
  onCover?: (change: CoverChange) => void
  onDelete: (photo: Photo) => void
}

/**
 * One photo of the signed-in user: picture, facts and actions. The grid handles clicks, which open the photo, and sets
 * the height: 88 px plus the picture for a card, 84 px for a compact row.
 */
export const PhotoCard = memo(function PhotoCard(props: PhotoCardProps) {
  const { photo, folder, box, view, inFirstRow, inTabOrder } = props
  const compact = view === 'list'
  const folderName = (props.showFolder && folder?.name) || null
  const title = photo.title || 'Untitled'
  const privacy = usePhotoVisibility(photo, (flag) => describeVisibility(flag, folder))
  const meaning = describeVisibility(privacy.isPublic, folder)
  const tabIndex = inTabOrder ? undefined : -1
  if (view === 'dense') return <DenseCard photo={photo} box={box} inFirstRow={inFirstRow} isPublic={privacy.isPublic} />
  const badges = (
    <>
      <VisibilityBadge isPublic={privacy.isPublic} overlay={!compact} />
      {isDng(photo) && <Badge tone={compact ? 'neutral' : 'overlay'}>DNG</Badge>}
      {photo.projection === 'sphere' && <SphereBadge overlay={!compact} />}
    </>
  )
  const menu = <CardMenu {...props} title={title} tabIndex={tabIndex} privacy={privacy} meaning={meaning} />
  if (compact) {
    const actions = <CardActions {...props} className="lg:pointer-fine:flex" />
    const shown = { photo, title, folderName, isPublic: privacy.isPublic }
    return <CompactCard {...shown} badges={badges} actions={actions} menu={menu} />
  }
  return (
    <article aria-label={altText(photo)} tabIndex={-1} className="group min-w-0 outline-none">
      <div data-ring className="relative rounded-lg">
        <PhotoImage
          {...sourcesForBox(box, photo)}
          alt={altText(photo)}
          thumbhash={photo.thumbhash}
          pending={photo.status === 'processing' ? 'Processing' : undefined}
          eager={inFirstRow && 'first'}
          fallback={isDng(photo) ? <RawPlaceholder {...props} tabIndex={tabIndex} /> : undefined}
        />
        {photo.status === 'failed' && <FailedPlaceholder photo={photo} />}
        <div className="absolute top-2.5 left-2.5 flex gap-1.5">{badges}</div>
        <CardActions {...props} className="absolute right-2.5 bottom-2.5 pointer-fine:flex" />
      </div>
      <div className="flex items-start gap-1 pt-2 pl-0.5">
        <div className="h-20 min-w-0 flex-1 overflow-hidden text-sm/5 text-muted">
          <h3 className="truncate text-base font-semibold tracking-normal text-text">{title}</h3>
          <PhotoCaption photo={photo} folder={folderName} />
        </div>
        {menu}
      </div>
    </article>
  )
})

interface CardMenuProps extends PhotoCardProps {
  title: string
  tabIndex: number | undefined
  privacy: ReturnType<typeof usePhotoVisibility>
  meaning: string
}

function CardMenu(props: CardMenuProps) {
  const { photo, folder, own, deletable, title, tabIndex, privacy, meaning } = props
  const { isPublic, setPublic } = privacy
  const marked = folder?.name === PRINTED
  return (
    <Menu
      trigger={
        <IconButton
          label={`Actions for ${title}`}
          icon={<Ellipsis />}
          tabIndex={tabIndex}
          className="-mt-1.5 -mr-1.5"
        />
      }
    >
      <MenuItem icon={<Eye />} onSelect={() => props.onOpen(photo)}>
        View Details
      </MenuItem>
      {own && (
        <>
          <VisibilityMenuSwitch isPublic={isPublic} explanation={meaning} onChange={setPublic} />
          <MenuItem icon={<FolderInput />} onSelect={() => props.onMove(photo)}>
            Choose folder
          </MenuItem>
          {folder && props.onCover && photo.thumbnailUrl !== null && (
            <CoverItem photo={photo} folder={folder} onCover={props.onCover} />
          )}
          <MenuItem icon={<BookmarkPlus />} checked={marked} onSelect={() => !marked && props.onMark(photo)}>
            {marked ? 'Marked for printing' : 'Mark for printing'}
          </MenuItem>
        </>
      )}
      {photo.status === 'ready' && (
        <MenuItem
          icon={<Printer />}
          hint={props.printingReason}
          disabled={props.printingReason !== null}
          onSelect={() => props.onPrint(photo)}
        >
          Order prints
        </MenuItem>
      )}
      <MenuItem icon={<Download />} download={{ href: photo.url, name: photo.originalName }}>
        Download
      </MenuItem>
      {deletable && (
        <MenuItem icon={<Trash2 />} danger onSelect={() => props.onDelete(photo)}>
          Delete
        </MenuItem>
      )}
    </Menu>
  )
}

interface CoverItemProps {
  photo: Photo
  folder: Folder
  onCover: (change: CoverChange) => void
}

function CoverItem({ photo, folder, onCover }: CoverItemProps) {
  const isCover = folder.coverPhotoId === photo.id
  return (
    <MenuItem
      icon={<Image />}
      checked={isCover}
      hint={isCover ? 'Choose again to show the newest photos.' : undefined}
      onSelect={() => onCover({ folder, photoId: isCover ? null : photo.id })}
    >
      {isCover ? 'Folder cover' : 'Use as cover'}
    </MenuItem>
  )
}
