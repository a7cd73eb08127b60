import { ChevronRight } from 'lucide-react'
import type { ReactNode } from 'react'
import { isProcessing } from '../../api/metadata-photos.ts'
import type { MetadataPhoto } from '../../api/types.ts'
import { PhotoImage } from '../../components/photo-image.tsx'
import { cx } from '../../lib/cx.ts'
import { altText, formatCoordinates, formatPlace } from '../../lib/format.ts'
import { describeDateTaken } from './date-taken.ts'

interface AnalysisItemProps {
  photo: MetadataPhoto
  onOpen: () => void
}

/** A photo with the place and time it was taken; a click anywhere on it opens it. */
export function AnalysisItem({ photo, onOpen }: AnalysisItemProps) {
  const processing = isProcessing(photo)
  return (
    <article className="group relative -mx-2 flex gap-4 rounded-md px-2 py-4 transition hover:bg-sunken/60">
      <PhotoImage
        src={photo.thumbnailUrl}
        alt={altText({ ...photo, title: photo.originalName })}
        thumbhash={null}
        pending={processing ? 'Processing' : undefined}
        className="aspect-3/2 w-24 shrink-0 self-start rounded-md sm:w-44"
      />
      <div className="min-w-0 flex-1">
        <h3 className="font-semibold">
          <button
            type="button"
            aria-haspopup="dialog"
            onClick={onOpen}
            className="text-left wrap-anywhere after:absolute after:inset-0 after:rounded-md focus-visible:outline-none focus-visible:after:outline-2 focus-visible:after:-outline-offset-2 focus-visible:after:outline-accent"
          >
            {photo.originalName}
          </button>
        </h3>
        {photo.status === 'failed' && (
          <p className="text-sm text-danger">{photo.statusMessage ?? 'The photo could not be processed.'}</p>
        )}
        {processing ? <p className="mt-1 text-muted">{'Reading the metadata\u2026'}</p> : <Facts photo={photo} />}
      </div>
      <ChevronRight aria-hidden className="size-5 shrink-0 self-center text-muted" />
    </article>
  )
}

function Facts({ photo }: { photo: MetadataPhoto }) {
  const coordinates = formatCoordinates(photo.latitude, photo.longitude)
  const place = formatPlace(photo)
  const date = describeDateTaken(photo.dateTaken)
  return (
    <dl className="mt-1.5 grid gap-x-6 gap-y-2 md:grid-cols-2">
      <Fact label="Coordinates" known={coordinates !== null}>
        {coordinates ? <span className="font-mono text-sm">{coordinates}</span> : 'No GPS data'}
      </Fact>
      <Fact label="Location" known={place !== null}>
        {place ?? 'Location unknown'}
      </Fact>
      <Fact label="Date Taken (from camera)" known={date.known} className="md:col-span-2">
        {date.text}
        {date.known && <span className="block text-sm text-muted">Date from camera's EXIF data</span>}
      </Fact>
    </dl>
  )
}

interface FactProps {
  label: string
  known: boolean
  children: ReactNode
  className?: string
}

function Fact({ label, known, children, className }: FactProps) {
  return (
    <div className={cx('min-w-0', className)}>
      <dt className="text-sm text-muted">{label}</dt>
      <dd className={known ? 'wrap-anywhere' : 'text-muted'}>{children}</dd>
    </div>
  )
}
