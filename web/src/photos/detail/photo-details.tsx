import {
  Aperture,
  Calendar,
  Camera,
  CircleDot,
  HardDrive,
  MapPin,
  Maximize2,
  RotateCcw,
  TriangleAlert,
} from 'lucide-react'
import type { Photo } from '../../api/types.ts'
import { Button } from '../../components/ui/button.tsx'
import { formatBytes, formatCameraDate } from '../../lib/format.ts'
import { useUrlSearch } from '../../lib/routing.ts'
import { formatCircle, type Position } from '../../map/geography.ts'
import { MiniMap } from '../../map/lazy-mini-map.tsx'
import { formatCamera, formatDimensions, formatExposure } from '../photo-facts.ts'
import { useReprocess } from '../use-photo-changes.ts'
import { DronePanel, FactList, UploadTime } from '../viewer/facts.tsx'
import { PhotoLocation } from '../viewer/photo-location.tsx'

const NEAR_METRES = 500

interface PhotoDetailsProps {
  photo: Photo
  /** The photo is the user's own. */
  own: boolean
}

/** The known facts about a photo. */
export function PhotoDetails({ photo, own }: PhotoDetailsProps) {
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
      {photo.status === 'failed' && <Failure photo={photo} own={own} />}
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

/** Why processing failed, and the owner's button to retry it. */
function Failure({ photo, own }: PhotoDetailsProps) {
  const reprocess = useReprocess(photo)
  return (
    <div className="mb-4 flex flex-wrap items-center gap-x-3 gap-y-2 rounded-md bg-danger-soft px-3 py-2">
      <TriangleAlert aria-hidden className="size-4 shrink-0 text-danger" />
      <p className="min-w-40 flex-1 text-danger">{photo.statusMessage ?? 'This photo could not be processed.'}</p>
      {own && (
        <Button size="small" busy={reprocess.isPending} onClick={() => reprocess.mutate()}>
          {!reprocess.isPending && <RotateCcw aria-hidden />} Try again
        </Button>
      )}
    </div>
  )
}
