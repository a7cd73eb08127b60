import type { ReactNode } from 'react'
import type { Photo } from '../../api/types.ts'
import { PhotoImage } from '../../components/photo-image.tsx'
import { VisibilityIcon } from '../../components/visibility.tsx'
import { cx } from '../../lib/cx.ts'
import { altText, formatCameraDate, formatCoordinates, formatPlace } from '../../lib/format.ts'
import { isDng, sourcesForRow } from '../renditions.ts'

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

interface CompactCardProps {
  photo: Photo
  title: string
  folderName: string | null
  isPublic: boolean
  badges: ReactNode
  actions: ReactNode
  menu: ReactNode
}

/** A row of the compact view: a small picture, and the facts for which there is room. */
export function CompactCard({ photo, title, folderName, isPublic, badges, actions, menu }: CompactCardProps) {
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
        <h3 className="truncate text-base font-semibold tracking-normal text-text">{title}</h3>
        <p className="truncate">
          {/* Where the badges have no room. */}
          <span className="md:hidden">
            <VisibilityIcon isPublic={isPublic} className="mr-1.5 mb-0.5 inline size-3.5" />
            <span className="sr-only">{isPublic ? 'Public' : 'Private'}</span>
            {isDng(photo) && 'DNG · '}
            {photo.projection === 'sphere' && '360° · '}
          </span>
          {statusLine(photo, folderName)}
        </p>
        <p className="truncate font-mono text-xs max-md:hidden">{formatCoordinates(photo.latitude, photo.longitude)}</p>
        <p className="text-xs md:hidden">{taken}</p>
      </div>
      <p className={cx(DATE, 'text-sm text-muted max-md:hidden')}>{taken}</p>
      <div className={cx(VISIBILITY, 'flex gap-1.5 max-md:hidden')}>{badges}</div>
      <div className={ACTIONS}>
        {actions}
        <div className="mt-1.5">{menu}</div>
      </div>
    </article>
  )
}

function statusLine(photo: Photo, folderName: string | null): string {
  if (photo.status === 'processing') return 'Processing'
  if (photo.status === 'failed') return failureOf(photo)
  return [formatPlace(photo), folderName].filter(Boolean).join(' · ')
}

/** Why the processing of a photo failed. */
export function failureOf({ statusMessage }: Photo): string {
  return statusMessage ?? 'This photo could not be processed.'
}
