import { useMutation, useQueryClient } from '@tanstack/react-query'
import { Download, Eye, Folder, ImageOff, MapPin, Printer, RotateCcw, TriangleAlert } from 'lucide-react'
import { type MouseEvent, memo, type ReactNode } from 'react'
import { reprocessPhoto } from '../../api/photo-changes.ts'
import type { Photo } from '../../api/types.ts'
import { PhotoImage } from '../../components/photo-image.tsx'
import { type Box, isDng, sourcesForBox, sourcesForRow } from '../../components/renditions.ts'
import { FormatBadges, SphereBadge } from '../../components/ui/badge.tsx'
import { Button } from '../../components/ui/button.tsx'
import { Skeleton } from '../../components/ui/loading.tsx'
import { toastFailure } from '../../components/ui/toast.tsx'
import { VisibilityBadge, VisibilityIcon } from '../../components/visibility.tsx'
import { cx } from '../../lib/cx.ts'
import { altText, formatCameraDate, formatCoordinates, formatPlace } from '../../lib/format.ts'
import { badgeFormats } from '../formats.ts'
import type { PhotoView } from '../grid/photo-layout.ts'
import { printPhoto } from '../printing.ts'
import { usePhotoVisibility } from '../use-photo-changes.ts'
import { CardActions, type CardActionsProps, CardMenu } from './card-actions.tsx'

export interface PhotoCardProps extends CardActionsProps {
  /** The folder is named. */
  showFolder: boolean
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
  const visibility = usePhotoVisibility(photo, folder)
  const { isShared } = visibility
  if (view === 'dense') return <DenseCard {...props} isShared={isShared} />
  const badges = (
    <>
      <VisibilityBadge isPublic={isShared} overlay={!compact} />
      {photo.projection === 'sphere' && <SphereBadge overlay={!compact} />}
      <span className="flex gap-1.5">
        <FormatBadges formats={badgeFormats(photo)} overlay={!compact} />
      </span>
    </>
  )
  const menu = <CardMenu {...props} visibility={visibility} />
  if (compact) return <CompactCard {...props} folderName={folderName} isShared={isShared} badges={badges} menu={menu} />
  return (
    <article aria-label={altText(photo)} tabIndex={-1} className="group min-w-0 outline-none">
      <div data-ring className="relative rounded-lg">
        <Picture {...props} fallback={isDng(photo) ? <RawPlaceholder {...props} /> : undefined} />
        {isDng(photo) && photo.thumbnailUrl !== null && <RawNote />}
        {photo.status === 'failed' && <FailedPlaceholder photo={photo} />}
        {/* Beside them the mark of a selected photo has room. */}
        <div className="absolute top-2.5 right-12 left-2.5 flex flex-wrap gap-1.5">{badges}</div>
        <CardActions {...props} className="absolute right-2.5 bottom-2.5 pointer-fine:flex" />
      </div>
      <div className="flex items-start gap-1 pt-2 pl-0.5">
        <div className="h-20 min-w-0 flex-1 overflow-hidden text-sm/5 text-muted">
          <h3 className="truncate text-base font-semibold tracking-normal text-text">{photo.title || 'Untitled'}</h3>
          <Caption photo={photo} folder={folderName} />
        </div>
        {menu}
      </div>
    </article>
  )
})

function Picture(props: PhotoCardProps & { fallback?: ReactNode; className?: string }) {
  const { photo, box, inFirstRow, fallback, className } = props
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
function DenseCard({ isShared, ...props }: PhotoCardProps & { isShared: boolean }) {
  const { photo } = props
  return (
    <article
      aria-label={altText(photo)}
      title={photo.title}
      tabIndex={-1}
      data-ring
      className="rounded-sm outline-none"
    >
      <Picture {...props} className="aspect-3/2 rounded-sm" />
      {photo.projection === 'sphere' && (
        <span className="absolute top-1.5 left-1.5 flex">
          <SphereBadge overlay />
        </span>
      )}
      {isShared && (
        <span className="absolute bottom-1.5 left-1.5 grid size-6 place-items-center rounded-full bg-black/65 text-white">
          <VisibilityIcon isPublic className="size-3" />
          <span className="sr-only">Public</span>
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
      {/* There is room for three lines. */}
      {photo.statusMessage && <NoteLine message={photo.statusMessage} />}
      {place && !photo.statusMessage && <Fact icon={<MapPin />}>{place}</Fact>}
      {(coordinates || folder) && (
        <p className="flex items-center gap-x-3 text-xs/5">
          {coordinates && <span className="shrink-0 font-mono">{coordinates}</span>}
          {folder && (
            <Fact icon={<Folder />}>
              <span className="sr-only">Folder </span>
              <span>{folder}</span>
            </Fact>
          )}
        </p>
      )}
      {taken && <p className="truncate text-xs">{taken}</p>}
    </>
  )
}

/** How the picture of a ready photo differs from what the file holds: its dialog has the whole sentence. */
function NoteLine({ message }: { message: string }) {
  return (
    <p title={message} className="flex min-w-0 items-center gap-1.5 text-warn">
      <TriangleAlert aria-hidden className="size-3.5 shrink-0" />
      <span className="truncate">{message}</span>
    </p>
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

const RAW_TEXT = 'DNG files cannot be displayed'

/** On the camera's preview of a raw file; the buttons on the card replace it. */
function RawNote() {
  return (
    <p className="pointer-events-none absolute inset-x-0 bottom-0 rounded-b-lg bg-black/65 px-2.5 py-1.5 text-xs text-white transition-opacity pointer-fine:group-hover:opacity-0 pointer-fine:group-focus-within:opacity-0">
      <span>{RAW_TEXT}</span>
      <span> · Camera preview</span>
    </p>
  )
}

function RawPlaceholder({ photo, inTabOrder, handlers, printingReason }: CardActionsProps) {
  const button = { size: 'small', tabIndex: inTabOrder ? undefined : -1 } as const
  return (
    <div className={`${PLACEHOLDER} text-muted`}>
      <PlaceholderText icon={<ImageOff aria-hidden />}>{RAW_TEXT}</PlaceholderText>
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
  return (
    <div className={`${PLACEHOLDER} rounded-lg bg-danger-soft font-semibold text-danger`}>
      <PlaceholderText icon={<TriangleAlert aria-hidden />}>Processing failed</PlaceholderText>
      <div className="flex gap-2">
        <ReprocessButton photo={photo} />
        <DownloadButton photo={photo} />
      </div>
    </div>
  )
}

/** Processes a photo again; its card shows at once that it is being processed. */
export function ReprocessButton({ photo: { id } }: { photo: Photo }) {
  const client = useQueryClient()
  const { mutate, isPending } = useMutation({
    mutationFn: () => reprocessPhoto(client, id),
    onError: (error) => toastFailure('Error', error, () => mutate()),
  })

  function retry(event: MouseEvent<HTMLElement>): void {
    // The button disappears while the photo is processed: the focus stays on the card.
    event.currentTarget.closest('article')?.focus({ preventScroll: true })
    mutate()
  }

  return (
    <Button size="small" busy={isPending} onClick={retry}>
      {!isPending && <RotateCcw aria-hidden />}
      <span>Try again</span>
    </Button>
  )
}

function PlaceholderText({ icon, children }: { icon: ReactNode; children: ReactNode }) {
  return (
    <p className="flex items-center gap-2 [&>svg]:size-5 [&>svg]:shrink-0">
      {icon}
      <span>{children}</span>
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

/** The columns beside picture and title. */
const DATE = 'w-44 shrink-0 xl:w-72'
const VISIBILITY = 'w-36 shrink-0'
/** Room for the buttons of mouse users and the menu. */
const ACTIONS = 'flex shrink-0 items-center justify-end gap-2 md:w-11 lg:pointer-fine:w-68'
const ROW = 'flex items-center gap-4 pr-3 max-sm:gap-3 max-sm:pr-1'

/** The heads of the columns, where there are columns. Each row is one cell, so that they are for the eye only. */
export function CompactHeader() {
  return (
    <div aria-hidden className={cx(ROW, 'h-9 border-b border-line text-sm font-semibold text-muted max-md:hidden')}>
      <span className="min-w-0 flex-1">Photo</span>
      <span className={DATE}>Date taken</span>
      <span className={VISIBILITY}>Visibility</span>
      <span className={ACTIONS}>Actions</span>
    </div>
  )
}

interface CompactCardProps extends PhotoCardProps, Record<'badges' | 'menu', ReactNode> {
  folderName: string | null
  isShared: boolean
}

/** A row of the compact view: a small picture, and the facts for which there is room. */
function CompactCard({ folderName, isShared, badges, menu, ...props }: CompactCardProps) {
  const { photo } = props
  const taken = formatCameraDate(photo.dateTaken)
  return (
    <article
      aria-label={altText(photo)}
      tabIndex={-1}
      data-ring
      className={cx(ROW, 'group h-[84px] border-b border-line outline-none hover:bg-sunken/60')}
    >
      <PhotoImage
        {...sourcesForRow(102, photo)}
        alt=""
        thumbhash={photo.thumbhash}
        pending={photo.status === 'processing' ? 'Processing' : undefined}
        className="h-[68px] w-[102px] shrink-0 rounded-md"
      />
      <div className="min-w-0 flex-1 text-sm/5 text-muted">
        <h3 className="truncate text-base font-semibold tracking-normal text-text">{photo.title || 'Untitled'}</h3>
        <p className="truncate">
          {/* Where the badges have no room. */}
          <span className="md:hidden">
            <VisibilityIcon isPublic={isShared} className="mr-1.5 mb-0.5 inline size-3.5" />
            <span className="sr-only">{isShared ? 'Public' : 'Private'}</span>
            <span>{kindsOf(photo)}</span>
          </span>
          <span>{statusLine(photo, folderName)}</span>
        </p>
        <p className="truncate font-mono text-xs max-md:hidden">{formatCoordinates(photo.latitude, photo.longitude)}</p>
        <p className="text-xs md:hidden">{taken}</p>
      </div>
      <p className={cx(DATE, 'text-sm text-muted max-md:hidden')}>{taken}</p>
      <div className={cx(VISIBILITY, 'flex flex-wrap gap-1.5 max-md:hidden')}>{badges}</div>
      <div className={ACTIONS}>
        <CardActions {...props} className="lg:pointer-fine:flex" />
        <div className="mt-1.5">{menu}</div>
      </div>
    </article>
  )
}

/** What the other badges say, before the status: 'JPEG · DNG · '. */
function kindsOf(photo: Photo): string {
  const kinds = [photo.projection === 'sphere' && '360°', ...badgeFormats(photo)]
  return kinds.map((kind) => (kind ? `${kind} · ` : '')).join('')
}

function statusLine(photo: Photo, folderName: string | null): string {
  if (photo.status === 'processing') return 'Processing'
  if (photo.status === 'failed') return failureOf(photo)
  return [photo.statusMessage, formatPlace(photo), folderName].filter(Boolean).join(' · ')
}

export function failureOf({ statusMessage }: Photo): string {
  return statusMessage ?? 'This photo could not be processed.'
}
