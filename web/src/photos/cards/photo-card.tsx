import { Download, Eye, Folder, ImageOff, MapPin, Printer, RotateCcw, TriangleAlert } from 'lucide-react'
import { type MouseEvent, memo, type ReactNode } from 'react'
import type { Photo } from '../../api/types.ts'
import { PhotoImage } from '../../components/photo-image.tsx'
import { Badge, SphereBadge } from '../../components/ui/badge.tsx'
import { Button } from '../../components/ui/button.tsx'
import { Skeleton } from '../../components/ui/loading.tsx'
import { VisibilityBadge, VisibilityIcon } from '../../components/visibility.tsx'
import { altText, formatCameraDate, formatCoordinates, formatPlace } from '../../lib/format.ts'
import type { PhotoView } from '../grid/photo-layout.ts'
import { printPhoto } from '../printing.ts'
import { type Box, isDng, sourcesForBox } from '../renditions.ts'
import { usePhotoVisibility, useReprocess } from '../use-photo-changes.ts'
import { CardActions, type CardActionsProps, CardMenu } from './card-actions.tsx'
import { CompactCard, failureOf } from './compact-card.tsx'

export interface PhotoCardProps extends CardActionsProps {
  /** The folder is named. */
  showFolder: boolean
  /** The box of the picture, for choosing a rendition. */
  box: Box
  view: PhotoView
  inFirstRow: boolean
}

/**
 * One photo of the signed-in user: picture, facts and actions. The grid handles clicks, which open the photo, and sets
 * the height: 88 px plus the picture for a card, 84 px for a compact row.
 */
export const PhotoCard = memo(function PhotoCard(props: PhotoCardProps) {
  const { photo, folder, view } = props
  const compact = view === 'list'
  const folderName = (props.showFolder && folder?.name) || null
  const title = photo.title || 'Untitled'
  const visibility = usePhotoVisibility(photo, folder)
  const { isPublic } = visibility
  if (view === 'dense') return <DenseCard {...props} isPublic={isPublic} />
  const badges = (
    <>
      <VisibilityBadge isPublic={isPublic} overlay={!compact} />
      {isDng(photo) && <Badge tone={compact ? 'neutral' : 'overlay'}>DNG</Badge>}
      {photo.projection === 'sphere' && <SphereBadge overlay={!compact} />}
    </>
  )
  const menu = <CardMenu {...props} visibility={visibility} />
  if (compact) {
    const actions = <CardActions {...props} className="lg:pointer-fine:flex" />
    const shown = { photo, title, folderName, isPublic }
    return <CompactCard {...shown} badges={badges} actions={actions} menu={menu} />
  }
  return (
    <article aria-label={altText(photo)} tabIndex={-1} className="group min-w-0 outline-none">
      <div data-ring className="relative rounded-lg">
        <Picture {...props} fallback={isDng(photo) ? <RawPlaceholder {...props} /> : undefined} />
        {photo.status === 'failed' && <FailedPlaceholder photo={photo} />}
        <div className="absolute top-2.5 left-2.5 flex gap-1.5">{badges}</div>
        <CardActions {...props} className="absolute right-2.5 bottom-2.5 pointer-fine:flex" />
      </div>
      <div className="flex items-start gap-1 pt-2 pl-0.5">
        <div className="h-20 min-w-0 flex-1 overflow-hidden text-sm/5 text-muted">
          <h3 className="truncate text-base font-semibold tracking-normal text-text">{title}</h3>
          <Caption photo={photo} folder={folderName} />
        </div>
        {menu}
      </div>
    </article>
  )
})

interface PictureProps extends Pick<PhotoCardProps, 'photo' | 'box' | 'inFirstRow'> {
  fallback?: ReactNode
  className?: string
}

function Picture({ photo, box, inFirstRow, fallback, className }: PictureProps) {
  return (
    <PhotoImage
      {...sourcesForBox(box, photo)}
      alt={altText(photo)}
      thumbhash={photo.thumbhash}
      pending={photo.status === 'processing' ? 'Processing' : undefined}
      eager={inFirstRow && 'first'}
      fallback={fallback}
      className={className}
    />
  )
}

/** A small picture: what can be done with the photo is in its dialog. */
function DenseCard({ photo, box, inFirstRow, isPublic }: PhotoCardProps & { isPublic: boolean }) {
  return (
    <article
      aria-label={altText(photo)}
      title={photo.title}
      tabIndex={-1}
      data-ring
      className="rounded-sm outline-none"
    >
      <Picture photo={photo} box={box} inFirstRow={inFirstRow} className="aspect-3/2 rounded-sm" />
      {photo.projection === 'sphere' && (
        <span className="absolute top-1.5 left-1.5 flex">
          <SphereBadge overlay />
        </span>
      )}
      {!isPublic && (
        <span className="absolute bottom-1.5 left-1.5 grid size-6 place-items-center rounded-full bg-black/65 text-white">
          <VisibilityIcon isPublic={false} className="size-3" />
          <span className="sr-only">Private</span>
        </span>
      )}
      {photo.status === 'failed' && (
        <span className="absolute inset-x-0 bottom-0 truncate rounded-b-sm bg-danger-soft px-2 py-1 text-xs text-danger">
          Processing failed
        </span>
      )}
    </article>
  )
}

/**
 * The known facts under a photo's picture, at most three lines; `folder` is its name, where it is to be shown. Skeleton
 * lines reserve the space during processing.
 */
function Caption({ photo, folder }: { photo: Photo; folder: string | null }) {
  if (photo.status === 'processing') {
    return (
      <>
        <Skeleton className="my-1 h-3 w-2/5" />
        <Skeleton className="my-1 h-2.5 w-3/5" />
        <Skeleton className="my-1 h-2.5 w-1/2" />
      </>
    )
  }
  if (photo.status === 'failed') {
    const message = failureOf(photo)
    return (
      <p title={message} className="line-clamp-2 text-danger wrap-anywhere">
        {message}
      </p>
    )
  }
  const place = formatPlace(photo)
  const coordinates = formatCoordinates(photo.latitude, photo.longitude)
  const taken = formatCameraDate(photo.dateTaken)
  return (
    <>
      {place && <Fact icon={<MapPin />}>{place}</Fact>}
      {(coordinates || folder) && (
        <p className="flex items-center gap-x-3 text-xs/5">
          {coordinates && <span className="shrink-0 font-mono">{coordinates}</span>}
          {folder && (
            <Fact icon={<Folder />}>
              <span className="sr-only">Folder </span>
              {folder}
            </Fact>
          )}
        </p>
      )}
      {taken && <p className="truncate text-xs">{taken}</p>}
    </>
  )
}

function Fact({ icon, children }: { icon: ReactNode; children: ReactNode }) {
  return (
    <span className="flex min-w-0 items-center gap-1.5 [&>svg]:size-3.5 [&>svg]:shrink-0">
      {icon}
      <span className="truncate">{children}</span>
    </span>
  )
}

const PLACEHOLDER =
  'absolute inset-0 grid place-content-center justify-items-center gap-2 px-2 pt-10 pb-8 text-center text-sm'

/** Placeholder of a raw photo, which browsers cannot display. */
function RawPlaceholder({ photo, inTabOrder, handlers, printingReason }: CardActionsProps) {
  const button = { size: 'small', tabIndex: inTabOrder ? undefined : -1 } as const
  return (
    <div className={`${PLACEHOLDER} text-muted`}>
      <PlaceholderText icon={<ImageOff aria-hidden />}>DNG files cannot be displayed</PlaceholderText>
      <div className="flex flex-wrap justify-center gap-1.5">
        <Button {...button} onClick={() => handlers.onOpen(photo)}>
          <Eye aria-hidden /> View Details
        </Button>
        <DownloadButton photo={photo} tabIndex={button.tabIndex} />
        <Button
          {...button}
          disabled={printingReason !== null}
          title={printingReason ?? 'Order prints'}
          onClick={() => printPhoto(photo)}
        >
          <Printer aria-hidden /> Print
        </Button>
      </div>
    </div>
  )
}

/** Placeholder of a photo whose processing failed; the caption shows the reason. */
function FailedPlaceholder({ photo }: { photo: Photo }) {
  const reprocess = useReprocess(photo)

  /** The button disappears while the photo is processed: the focus stays on the card. */
  function retry(event: MouseEvent<HTMLElement>): void {
    event.currentTarget.closest('article')?.focus({ preventScroll: true })
    reprocess.mutate()
  }

  return (
    <div className={`${PLACEHOLDER} rounded-lg bg-danger-soft font-semibold text-danger`}>
      <PlaceholderText icon={<TriangleAlert aria-hidden />}>Processing failed</PlaceholderText>
      <div className="flex gap-2">
        <Button size="small" busy={reprocess.isPending} onClick={retry}>
          {!reprocess.isPending && <RotateCcw aria-hidden />} Try again
        </Button>
        <DownloadButton photo={photo} />
      </div>
    </div>
  )
}

function PlaceholderText({ icon, children }: { icon: ReactNode; children: ReactNode }) {
  return (
    <p className="flex items-center gap-2 [&>svg]:size-5 [&>svg]:shrink-0">
      {icon}
      {children}
    </p>
  )
}

function DownloadButton({ photo, tabIndex }: { photo: Photo; tabIndex?: number }) {
  return (
    <Button size="small" asChild>
      <a href={photo.url} download={photo.originalName} tabIndex={tabIndex} title="Download the original">
        <Download aria-hidden /> Download
      </a>
    </Button>
  )
}
