import {
  Aperture,
  Camera,
  CircleDot,
  Download,
  ExternalLink,
  Focus,
  type LucideIcon,
  Mountain,
  Navigation2,
  TriangleAlert,
} from 'lucide-react'

import { type ReactNode, useState } from 'react'
import type { AccountSettings, Photo } from '../../api/types.ts'
import { lazyComponent } from '../../components/lazy.tsx'
import { Button } from '../../components/ui/button.tsx'
import { Skeleton } from '../../components/ui/loading.tsx'
import { cx } from '../../lib/cx.ts'
import {
  formatBytes,
  formatCameraDate,
  formatCoordinates,
  formatDate,
  formatPlace,
  formatRelative,
} from '../../lib/format.ts'
import { type Heading, headingFrom } from '../../lib/heading.ts'
import { useNow } from '../../lib/use-now.ts'
import { formatOf } from '../formats.ts'
import {
  formatCamera,
  formatDegrees,
  formatDimensions,
  formatExposure,
  formatFocalLength,
  formatHeight,
  type Metadata,
  mapLink,
} from '../photo-facts.ts'
import { useSettings } from '../use-settings.ts'
import type { ViewedPhoto } from './sphere/sphere.ts'

/** A fact that is null or empty is unknown. */
export type Fact = [icon: LucideIcon, label: string, fact: ReactNode]

/** What the camera wrote, the same for the owner and for visitors. */
export function cameraFacts(
  { metadata, altitude }: Pick<Photo, 'metadata' | 'altitude'>,
  units: AccountSettings['units'],
): Fact[] {
  return [
    [Camera, 'Camera', metadata && formatCamera(metadata)],
    [CircleDot, 'Lens', metadata?.LensModel],
    [Aperture, 'Exposure', metadata && formatExposure(metadata)],
    [Focus, 'Focal length', metadata && formatFocalLength(metadata)],
    [Mountain, 'Altitude', altitude !== null && `${formatHeight(altitude, units)} above sea level`],
  ]
}

export function isKnown([, , fact]: Fact): boolean {
  return Boolean(fact)
}

/** The known facts about a photo. */
export function FactList({ facts }: { facts: Fact[] }) {
  return (
    <dl className="grid gap-4">
      {facts.filter(isKnown).map(([Icon, label, fact]) => (
        <div key={label} className="relative pl-8">
          <dt className="text-sm text-muted">
            <Icon aria-hidden className="absolute top-0.5 left-0 size-[18px]" />
            {label}
          </dt>
          <dd className="min-w-0 wrap-anywhere">{fact}</dd>
        </div>
      ))}
    </dl>
  )
}

/** The date taken; it says where only the date of the file's last change is known. */
export function DateTaken({ dateTaken, metadata }: Pick<Photo, 'dateTaken' | 'metadata'>) {
  const isChange = dateTaken !== null && dateTaken === metadata?.ModifyDate
  return (
    <>
      <span>{formatCameraDate(dateTaken)}</span>
      {isChange && (
        <span className="block text-sm text-muted">The date of the file's last change: it has no other</span>
      )}
    </>
  )
}

/** Both files of a pair with their downloads, which the server names. */
export function PairedFiles({ photo, raw }: { photo: ViewedPhoto; raw: NonNullable<ViewedPhoto['raw']> }) {
  const files = [photo, { ...raw, url: `/api/uploads/${raw.filename}` }]
  return (
    <ul className="grid gap-2">
      {files.map((file) => (
        <li key={file.id} className="flex items-center justify-between gap-3">
          <div className="min-w-0">
            <p>{formatOf(file)}</p>
            <p className="text-sm text-muted">
              {[formatBytes(file.filesize), formatDimensions(file, null)].filter(Boolean).join(' · ')}
            </p>
          </div>
          <Button size="small" asChild>
            <a href={file.url} download="">
              <Download aria-hidden /> Download <span className="sr-only">{formatOf(file)}</span>
            </a>
          </Button>
        </li>
      ))}
    </ul>
  )
}

/** Where the camera was above take-off and where it looked; nothing where that is not known. */
export function DronePanel({ metadata }: { metadata: Metadata | null }) {
  const { units } = useSettings()
  const { drone, heading: yaw } = metadata ?? {}
  const { RelativeAltitude: height, GimbalPitchDegree: pitch } = drone ?? {}
  const heading = yaw === undefined ? null : headingFrom(yaw)
  if (height === undefined && pitch === undefined && !heading) return null
  const title = drone ? 'Drone' : 'Direction'
  return (
    <section aria-label={title} className="rounded-md bg-sunken px-4 py-3">
      <h3 className="text-sm font-semibold">{title}</h3>
      <dl className="mt-2 flex flex-wrap gap-x-6 gap-y-3">
        {height !== undefined && <Reading label="Height above take-off">{formatHeight(height, units)}</Reading>}
        {pitch !== undefined && <Reading label="Gimbal pitch">{formatDegrees(pitch)}</Reading>}
        {heading && (
          <Reading label="Heading">
            <Compass heading={heading} />
            <span>{`${heading.direction}, ${heading.degrees}°`}</span>
          </Reading>
        )}
      </dl>
    </section>
  )
}

function Reading({ label, children }: { label: string; children: ReactNode }) {
  return (
    <div>
      <dt className="text-sm text-muted">{label}</dt>
      <dd className="flex min-h-7 items-center gap-2 font-semibold">{children}</dd>
    </div>
  )
}

/** A dial with north at the top; the text beside it says the same. */
function Compass({ heading }: { heading: Heading }) {
  return (
    <span
      aria-hidden
      className="relative grid size-7 place-items-center rounded-full bg-surface inset-ring inset-ring-line"
    >
      <span className="absolute top-0 h-1.5 w-px bg-danger" />
      <Navigation2 className="size-4 fill-accent text-accent" style={{ transform: `rotate(${heading.degrees}deg)` }} />
    </span>
  )
}

/** How the picture of a ready photo differs from what the file holds, if it does. */
export function PictureNote({ message, className }: { message: string | null; className: string }) {
  if (message === null) return null
  return (
    <p className={cx('flex items-start gap-3 rounded-md bg-warn-soft px-3 py-2', className)}>
      <TriangleAlert aria-hidden className="mt-1 size-4 shrink-0 text-warn" />
      <span className="min-w-0 wrap-anywhere">{message}</span>
    </p>
  )
}

/** About as much as five lines contain. */
const SHORT_LETTERS = 220
const SHORT_LINES = 5

/** A photo's description; a long one is collapsed, so that the actions stay in reach. */
export function Description({ text, className }: { text: string; className?: string }) {
  const [whole, setWhole] = useState(false)
  const long = text.length > SHORT_LETTERS || text.split('\n').length > SHORT_LINES
  return (
    <div className={cx('mt-1', className)}>
      <p className={cx('whitespace-pre-line wrap-anywhere', long && !whole && 'line-clamp-4')}>{text}</p>
      {long && (
        <button
          type="button"
          aria-expanded={whole}
          onClick={() => setWhole(!whole)}
          className="min-h-11 font-semibold text-accent hover:underline sm:min-h-7"
        >
          {whole ? 'Show less' : 'Show more'}
        </button>
      )}
    </div>
  )
}

/** 'Uploaded 5 minutes ago', updated while it is shown. */
export function UploadTime({ at }: { at: string }) {
  const now = useNow()
  return (
    <time dateTime={at} title={formatDate(at) ?? undefined}>
      {`Uploaded ${formatRelative(at, Math.max(now, Date.parse(at)))}`}
    </time>
  )
}

/** Where a photo was taken: place, coordinates, and a link to a map. */
export function PhotoLocation({ photo }: { photo: ViewedPhoto }) {
  const { latitude, longitude } = photo
  const place = formatPlace(photo)
  if (latitude === null || longitude === null) {
    return (
      <>
        {place && <span className="block">{place}</span>}
        <span className="text-muted">No GPS data found in this photo</span>
      </>
    )
  }
  return (
    <>
      <span className={place ? 'block' : 'block text-muted'}>{place ?? 'Location name not available'}</span>
      <span className="block font-mono text-sm text-muted">{formatCoordinates(latitude, longitude)}</span>
      <MapLink latitude={latitude} longitude={longitude} />
    </>
  )
}

/** Opens coordinates in an external maps service, without a referrer. */
export function MapLink({ latitude, longitude }: { latitude: string; longitude: string }) {
  return (
    <a
      href={mapLink(latitude, longitude)}
      target="_blank"
      rel="noreferrer"
      className="inline-flex min-h-11 items-center gap-1.5 font-semibold text-accent hover:underline sm:min-h-7"
    >
      View on Map <ExternalLink aria-hidden className="size-4" />
      <span className="sr-only">(opens in a new tab)</span>
    </a>
  )
}

/** The small map of a photo. Without it the photo's facts are enough. */
export const MiniMap = lazyComponent(() => import('../../map/photo-mini-map.tsx').then((code) => code.PhotoMiniMap), {
  Loading: () => <Skeleton className="h-52 rounded-md" />,
  onFailure: () => {},
})
