import { Aperture, Calendar, Camera, CircleDot, HardDrive, MapPin, Maximize2, TriangleAlert } from 'lucide-react'
import type { Photo } from '../../api/types.ts'
import { formatBytes, formatCameraDate } from '../../lib/format.ts'
import { useUrlSearch } from '../../lib/routing.ts'
import { formatCircle, type Position } from '../../map/geography.ts'
import { failureOf, ReprocessButton } from '../cards/photo-card.tsx'
import { formatCamera, formatDimensions, formatExposure } from '../photo-facts.ts'
import { DronePanel, FactList, MiniMap, PhotoLocation, UploadTime } from '../viewer/facts.tsx'

const NEAR_METRES = 500

/** The known facts about a photo. */
export function PhotoDetails({ photo, own }: { photo: Photo; own: boolean }) {
  const metadata = photo.metadata ?? {}
  const [, setSearch] = useUrlSearch()

  /** Closes the photo and shows the list around its position. */
  function showNear(position: Position): void {
    setSearch(
      (now) => {
        now.delete('photo')
        now.delete('area')
        now.set('near', formatCircle({ ...position, metres: NEAR_METRES }))
        return now
      },
      { replace: false },
    )
  }

  return (
    <>
      {photo.status === 'failed' && (
        <div className="mb-4 flex flex-wrap items-center gap-x-3 gap-y-2 rounded-md bg-danger-soft px-3 py-2">
          <TriangleAlert aria-hidden className="size-4 shrink-0 text-danger" />
          <p className="min-w-40 flex-1 text-danger">{failureOf(photo)}</p>
          {own && <ReprocessButton photo={photo} />}
        </div>
      )}
      <FactList
        facts={[
          [Calendar, 'Date Taken', formatCameraDate(photo.dateTaken)],
          [MapPin, 'Location', photo.status === 'processing' ? null : <PhotoLocation key="location" photo={photo} />],
          [Camera, 'Camera', formatCamera(metadata)],
          [CircleDot, 'Lens', metadata.LensModel],
          [Aperture, 'Exposure', formatExposure(metadata)],
          [Maximize2, 'Dimensions', formatDimensions(photo, photo.metadata)],
          [HardDrive, 'File size', formatBytes(photo.filesize)],
        ]}
      />
      <div className="mt-5">
        <DronePanel drone={metadata.drone} />
      </div>
      {photo.latitude !== null && (
        <div className="mt-5">
          <MiniMap photo={photo} onNear={own ? showNear : undefined} />
        </div>
      )}
      <p className="mt-5 text-sm text-muted">
        <UploadTime at={photo.createdAt} />
      </p>
    </>
  )
}
