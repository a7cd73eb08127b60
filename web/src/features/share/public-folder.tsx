import { type QueryKey, useQuery, useQueryClient } from '@tanstack/react-query'
import { Eye, ImageOff, Images, Map as MapIcon, Share2 } from 'lucide-react'
import { type ReactNode, type Ref, useImperativeHandle, useLayoutEffect, useRef, useState } from 'react'
import { activeUserQuery } from '../../api/queries.ts'
import type { PublicPhoto, Rank } from '../../api/types.ts'
import { lazyComponent } from '../../components/lazy.tsx'
import { PhotoImage } from '../../components/photo-image.tsx'
import { type ImageSources, isDng, sourcesForBox } from '../../components/renditions.ts'
import { Badge, FormatBadges, RANK_NAMES, RankMark, SphereBadge } from '../../components/ui/badge.tsx'
import { Button } from '../../components/ui/button.tsx'
import { Skeleton } from '../../components/ui/loading.tsx'
import { toast } from '../../components/ui/toast.tsx'
import { cx } from '../../lib/cx.ts'
import { altText, formatDate } from '../../lib/format.ts'
import { UNREACHABLE } from '../../lib/http.ts'
import { prerenderedFolder } from '../../lib/served-page.ts'
import { badgeFormats } from '../../photos/formats.ts'
import { indexesToShow, indexOfItem, useVisibleRows } from '../../photos/grid/use-visible-rows.ts'
import { GAP, PUBLIC_BOX, PUBLIC_PHOTOS, publicColumns, publicLayout } from './public-layout.ts'

const PublicMap = lazyComponent(() => import('./public-map.tsx').then((code) => code.PublicMap), {
  Loading: () => <Skeleton className="h-[62dvh] rounded-lg" />,
  failure: 'The map could not be loaded',
})

/** The photo viewer: a large part of the code, which a first visit does not need. */
export const PhotoViewer = lazyComponent(() => import('./photo-viewer.tsx').then((code) => code.PhotoViewer), {
  onFailure: ({ onClose }) => {
    toast({ title: 'Photo could not be opened', description: UNREACHABLE, tone: 'danger' })
    onClose()
  },
})

// Strangers never need it.
const WayBack = lazyComponent(() => import('./way-back.tsx').then((code) => code.WayBack), { afterFirstScreen: true })

// As high as the line of text that it comes into, and without an icon, whose file a first screen would wait for.
export const DownloadAll = lazyComponent(() => import('./download-all.tsx').then((code) => code.DownloadAll), {
  afterFirstScreen: true,
})

export interface PublicHeaderProps {
  /** Visitors vote; otherwise they only look. */
  voting?: boolean
  name: string
  description: string | null
  /** What the owner wants to be called. */
  photographer: string | null
  /** '24 photos'; undefined until it is known. */
  count: string | undefined
  /** Behind the texts: the photo that the owner has chosen. */
  cover?: ImageSources | null
  /** Offers its owner the way back. */
  id?: number
  /** Beside the count. */
  children?: ReactNode
}

/**
 * Name, photographer, description and size of a public folder. The server renders the same at the same position before this runs
 * (`.prerendered-folder` in styles.css).
 */
export function PublicHeader(props: PublicHeaderProps) {
  const { voting, name, description, photographer, count, cover, id, children } = props
  const { data: user } = useQuery(activeUserQuery)
  const texts = (
    <div>
      <div className="flex items-center justify-between gap-4">
        <Badge
          tone={cover ? 'overlay' : voting ? 'accent' : 'neutral'}
          icon={voting ? <Share2 aria-hidden /> : <Eye aria-hidden />}
        >
          {voting ? 'Shared Folder' : 'View Only'}
        </Badge>
        {user && id !== undefined && <WayBack folderId={id} />}
      </div>
      <h1 className="mt-3 text-3xl font-bold wrap-anywhere roomy:text-[34px]/[42px] short:mt-1 short:text-xl">
        {name}
      </h1>
      {photographer && (
        <p className="mt-1.5 max-w-[62ch] text-pretty wrap-anywhere text-muted short:mt-0.5">{`Photos by ${photographer}`}</p>
      )}
      {description && (
        <p className="mt-1.5 short:mt-0.5 max-w-[62ch] whitespace-pre-line text-pretty wrap-anywhere text-muted">
          {description}
        </p>
      )}
      {count && (
        <div className="mt-1.5 flex items-center gap-3 short:mt-0.5">
          <p className="text-muted">{count}</p>
          {children}
        </div>
      )}
    </div>
  )
  return (
    <div className={cx('min-w-0', cover && 'on-cover')}>
      {/* Seen in the grid too, with its alternative text. Not before the first row, and not where it is not shown. */}
      {cover && <img loading="lazy" {...cover} src={cover.src ?? undefined} alt="" decoding="sync" draggable={false} />}
      {texts}
    </div>
  )
}

interface PublicGridProps {
  photos: PublicPhoto[]
  /** Height of the content under each picture, in pixels. */
  captionHeight: number
  /** Gets a function that scrolls to a photo and focuses its picture. */
  focusPicture: Ref<(photoId: number) => void>
  /** Renders one photo's card; the pictures of the first row are the first ones that a visitor sees. */
  children: (photo: PublicPhoto, inFirstRow: boolean) => ReactNode
}

interface PublicPhotosProps extends PublicGridProps {
  shareCode: string
  /** The owner allows a map. */
  showMap: boolean
  /** A photo of the map was chosen. */
  onOpen: (photo: PublicPhoto) => void
  className?: string
}

/** The photos of a public folder, as pictures or on a map. */
export function PublicPhotos({ shareCode, showMap, onOpen, className = '', ...grid }: PublicPhotosProps) {
  const [wantsMap, setWantsMap] = useState(false)
  const hasMap = showMap && grid.photos.some(({ latitude }) => latitude !== null)
  const isMap = hasMap && wantsMap
  return (
    <>
      <h2 className="sr-only">Photos</h2>
      {hasMap && (
        <div className="flex justify-end pt-5">
          <Button onClick={() => setWantsMap(!isMap)}>
            {isMap ? <Images aria-hidden /> : <MapIcon aria-hidden />}
            <span>{isMap ? 'Show pictures' : 'Show map'}</span>
          </Button>
        </div>
      )}
      <div className={`${PUBLIC_PHOTOS} ${className}`}>
        {isMap ? <PublicMap shareCode={shareCode} photos={grid.photos} onOpen={onOpen} /> : <PublicGrid {...grid} />}
      </div>
    </>
  )
}

/** In 1, 2 or 3 columns. Only cards near the viewport are rendered, so that thousands cost nothing. */
function PublicGrid({ photos, captionHeight, focusPicture, children }: PublicGridProps) {
  const list = useRef<HTMLUListElement>(null)
  const { layout, first, last, height, topOf, reveal } = useVisibleRows(list, (width, viewportWidth) =>
    publicLayout(width, viewportWidth, photos.length, captionHeight),
  )
  const { columns } = layout
  // The focused card stays rendered when it is scrolled out of view.
  const [focused, setFocused] = useState<number | null>(null)
  const focusRequest = useRef<number>(null)

  useLayoutEffect(() => {
    if (focusRequest.current === null) return
    const picture = list.current?.querySelector<HTMLElement>(`[data-index="${focusRequest.current}"] [data-open]`)
    if (!picture) return
    focusRequest.current = null
    picture.focus({ preventScroll: true })
  })

  useImperativeHandle(focusPicture, () => (photoId) => {
    const index = photos.findIndex(({ id }) => id === photoId)
    if (index < 0) return
    focusRequest.current = index
    setFocused(index)
    reveal(Math.floor(index / columns))
  })

  return (
    <ul
      ref={list}
      className="relative"
      style={{ height }}
      onFocus={(event) => setFocused(indexOfItem(event.target))}
      onBlur={() => setFocused(null)}
    >
      {indexesToShow(first * columns, Math.min((last + 1) * columns, photos.length) - 1, focused).map((index) => {
        const photo = photos[index]
        if (!photo) return null
        return (
          <li
            key={photo.id}
            data-index={index}
            aria-setsize={photos.length}
            aria-posinset={index + 1}
            className="absolute top-0"
            style={{
              left: `calc((100% + ${GAP}px) / ${columns} * ${index % columns})`,
              width: `calc((100% + ${GAP}px) / ${columns} - ${GAP}px)`,
              transform: `translateY(${topOf(Math.floor(index / columns))}px)`,
            }}
          >
            {children(photo, index < columns)}
          </li>
        )
      })}
    </ul>
  )
}

/** The skeleton of the photos, with the pictures of the first row that the server rendered. */
export function PublicGridSkeleton() {
  const pictures = prerenderedFolder()?.pictures.slice(0, publicColumns(innerWidth)) ?? []
  return (
    <div data-loads className={`${PUBLIC_PHOTOS} grid gap-x-6 gap-y-7 sm:grid-cols-2 lg:grid-cols-3`}>
      {[0, 1, 2, 3, 4, 5].map((card) => {
        const picture = pictures[card]
        return (
          <div key={card}>
            {picture ? (
              <PhotoImage {...picture} thumbhash={null} eager="first" />
            ) : (
              <Skeleton className="aspect-3/2 rounded-lg" />
            )}
            <Skeleton className="mt-3 h-5 w-40" />
          </div>
        )
      })}
    </div>
  )
}

/** The photo with this id; for a raw file that is one of a pair, the pair. */
export function photoWithId(photos: readonly PublicPhoto[], id: number | null): PublicPhoto | undefined {
  if (id === null) return undefined
  return photos.find((photo) => photo.id === id || photo.pairedWith === id)
}

/** A rejected picture may mean a withdrawn link: checks at once. Many rejections cause one request. */
export function useRevalidate(queryKey: QueryKey): () => void {
  const client = useQueryClient()
  return () => void client.invalidateQueries({ queryKey }, { cancelRefetch: false })
}

interface PublicCardProps {
  photo: PublicPhoto
  inFirstRow: boolean
  /** The rank that a click on the picture gives; otherwise it opens the photo. */
  armed?: Rank | null
  onClick: () => void
  onPictureError: () => void
  /** Beside the title. */
  menu?: ReactNode
  /** Below the title. */
  children: ReactNode
}

/** One photo of a public folder: its picture, which is a button, and its caption. */
export function PublicCard(props: PublicCardProps) {
  const { photo, inFirstRow, armed, onClick, onPictureError, menu, children } = props
  return (
    <>
      <button type="button" onClick={onClick} data-open className="relative block w-full rounded-lg">
        <PhotoImage
          {...sourcesForBox(PUBLIC_BOX, photo)}
          alt={altText(photo)}
          thumbhash={photo.thumbhash}
          pending={photo.status === 'processing' ? 'Processing' : undefined}
          fallback={isDng(photo) ? <NoPreview /> : undefined}
          eager={inFirstRow && 'first'}
          onError={onPictureError}
        />
        <span className="absolute top-2.5 left-2.5 flex gap-1.5">
          {photo.projection === 'sphere' && <SphereBadge overlay />}
          <FormatBadges formats={badgeFormats(photo)} overlay />
        </span>
        {/* Follows the picture's text in the name of the button. */}
        {armed && (
          <span className="absolute inset-0 flex items-end rounded-lg p-2.5 ring-2 ring-accent">
            <span className="flex items-center gap-2 rounded-full bg-surface py-1.5 pr-3 pl-1.5 text-sm font-semibold shadow-low">
              <RankMark rank={armed} />
              <span>
                Choose<span className="sr-only">{` for ${RANK_NAMES[armed]}`}</span>
              </span>
            </span>
          </span>
        )}
      </button>
      <div className="flex items-start justify-between gap-3 px-0.5 pt-2.5">
        <div className="min-w-0">
          <h3 className="truncate font-semibold">{photo.title || 'Untitled'}</h3>
          {children}
        </div>
        {menu}
      </div>
    </>
  )
}

/** Shown for a photo that browsers cannot display. */
export function NoPreview() {
  return (
    <span className="absolute inset-0 flex flex-col items-center justify-center gap-2 p-3 text-sm text-muted">
      <ImageOff aria-hidden className="size-6" />
      <span className="first-letter:uppercase">preview not available</span>
    </span>
  )
}

/** 'Uploaded June 21, 2025'. */
export function uploadDate({ createdAt }: PublicPhoto): string {
  const date = formatDate(createdAt)
  return date === null ? 'Unknown date' : `Uploaded ${date}`
}
