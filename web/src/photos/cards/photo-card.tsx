import { BookmarkPlus, Download, Ellipsis, Eye, FolderInput, Printer, Trash2 } from 'lucide-react'
import { memo, type ReactNode } from 'react'
import { PRINTED } from '../../api/printing.ts'
import type { Folder, Photo } from '../../api/types.ts'
import { PhotoImage } from '../../components/photo-image.tsx'
import { Badge } from '../../components/ui/badge.tsx'
import { IconButton } from '../../components/ui/button.tsx'
import { Menu, MenuItem } from '../../components/ui/menu.tsx'
import {
  describeVisibility,
  VisibilityBadge,
  VisibilityIcon,
  VisibilityMenuSwitch,
} from '../../components/visibility.tsx'
import { altText, formatCameraDate, formatCoordinates, formatPlace } from '../../lib/format.ts'
import { type Box, isDng, sourcesForBox, sourcesForRow } from '../renditions.ts'
import { usePhotoVisibility } from '../use-photo-changes.ts'
import { CardActions } from './card-actions.tsx'
import { FailedPlaceholder, RawPlaceholder } from './card-placeholders.tsx'
import { PhotoCaption } from './photo-caption.tsx'

interface PhotoCardProps {
  photo: Photo
  /** The photo's folder, if it is known. */
  folder: Folder | null
  /** The photo is the user's own: an administrator also sees others'. */
  own: boolean
  /** The user may delete it: it is the user's own, or the user is an administrator. */
  deletable: boolean
  /** The box of the picture, for choosing a rendition. */
  box: Box
  /** A row of the compact view. */
  compact: boolean
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
  onDelete: (photo: Photo) => void
}

/**
 * One photo of the signed-in user: picture, facts and actions. The grid handles clicks, which open the photo, and sets
 * the height: 88 px plus the picture for a card, 84 px for a compact row.
 */
export const PhotoCard = memo(function PhotoCard(props: PhotoCardProps) {
  const { photo, folder, box, compact, inFirstRow, inTabOrder } = props
  const title = photo.title || 'Untitled'
  const privacy = usePhotoVisibility(photo, (flag) => describeVisibility(flag, folder))
  const meaning = describeVisibility(privacy.isPublic, folder)
  const tabIndex = inTabOrder ? undefined : -1
  const badges = (
    <>
      <VisibilityBadge isPublic={privacy.isPublic} overlay={!compact} />
      {isDng(photo) && <Badge tone={compact ? 'neutral' : 'overlay'}>DNG</Badge>}
    </>
  )
  const menu = <CardMenu {...props} title={title} tabIndex={tabIndex} privacy={privacy} meaning={meaning} />
  if (compact) {
    const actions = <CardActions {...props} className="lg:pointer-fine:flex" />
    const shown = { photo, title, isPublic: privacy.isPublic }
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
          <PhotoCaption photo={photo} />
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

interface CompactCardProps {
  photo: Photo
  title: string
  isPublic: boolean
  badges: ReactNode
  actions: ReactNode
  menu: ReactNode
}

/** A row of the compact view: a small picture, and the facts for which there is room. */
function CompactCard({ photo, title, isPublic, badges, actions, menu }: CompactCardProps) {
  return (
    <article
      aria-label={altText(photo)}
      tabIndex={-1}
      data-ring
      className="group flex h-[84px] items-center gap-4 border-b border-line pr-3 max-sm:gap-3 max-sm:pr-1 outline-none hover:bg-sunken/60"
    >
      <PhotoImage
        {...sourcesForRow(102, photo)}
        alt=""
        thumbhash={photo.thumbhash}
        pending={photo.status === 'processing' ? 'Processing' : undefined}
        className="h-[68px] w-[102px] shrink-0 rounded-md"
      />
      <div className="min-w-0 flex-1 text-sm/5 text-muted">
        <h3 className="truncate text-base font-semibold tracking-normal text-text">{title}</h3>
        <p className="truncate">
          {/* Where the badges have no room. */}
          <span className="sm:hidden">
            <VisibilityIcon isPublic={isPublic} className="mr-1.5 mb-0.5 inline size-3.5" />
            <span className="sr-only">{isPublic ? 'Public' : 'Private'}</span>
            {isDng(photo) && 'DNG · '}
          </span>
          {statusLine(photo)}
        </p>
        <p className="truncate font-mono text-xs">{formatCoordinates(photo.latitude, photo.longitude)}</p>
      </div>
      <p className="hidden w-52 shrink-0 truncate text-sm text-muted lg:block">{formatCameraDate(photo.dateTaken)}</p>
      <div className="hidden shrink-0 gap-1.5 sm:flex lg:w-40">{badges}</div>
      {actions}
      <div className="mt-1.5">{menu}</div>
    </article>
  )
}

function statusLine(photo: Photo): string {
  if (photo.status === 'processing') return 'Processing'
  if (photo.status === 'failed') return photo.statusMessage ?? 'This photo could not be processed.'
  return formatPlace(photo) ?? (photo.latitude ? 'Location name not available' : 'No GPS data found in this photo')
}
