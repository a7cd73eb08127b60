import { Aperture, Calendar, Camera, CircleDot, HardDrive, MapPin, Maximize2, TriangleAlert } from 'lucide-react'
import type { Photo } from '../../../api/types.ts'
import { formatBytes, formatCameraDate } from '../../../lib/format.ts'
import { formatCamera, formatDimensions, formatExposure } from '../../../lib/photo-facts.ts'
import { DronePanel } from '../viewing/drone-panel.tsx'
import { Fact, Facts } from '../viewing/facts.tsx'
import { PhotoLocation } from '../viewing/location.tsx'
import { Uploaded } from '../viewing/uploaded.tsx'

/** All that is known of a photo. */
export function PhotoDetails({ photo }: { photo: Photo }) {
  const metadata = photo.metadata ?? {}
  return (
    <>
      {photo.status === 'failed' && (
        <p className="mb-4 flex gap-2 rounded-md bg-danger-soft px-3 py-2 text-danger">
          <TriangleAlert aria-hidden className="mt-1 size-4 shrink-0" />
          {photo.statusMessage ?? 'This photo could not be processed.'}
        </p>
      )}
      <Facts>
        <Fact icon={<Calendar />} label="Date Taken">
          {formatCameraDate(photo.dateTaken)}
        </Fact>
        {photo.status !== 'processing' && (
          <Fact icon={<MapPin />} label="Location">
            <PhotoLocation photo={photo} />
          </Fact>
        )}
        <Fact icon={<Camera />} label="Camera">
          {formatCamera(metadata)}
        </Fact>
        <Fact icon={<CircleDot />} label="Lens">
          {metadata.LensModel}
        </Fact>
        <Fact icon={<Aperture />} label="Exposure">
          {formatExposure(metadata)}
        </Fact>
        <Fact icon={<Maximize2 />} label="Dimensions">
          {formatDimensions(photo, photo.metadata)}
        </Fact>
        <Fact icon={<HardDrive />} label="File size">
          {formatBytes(photo.filesize)}
        </Fact>
      </Facts>
      <div className="mt-5">
        <DronePanel drone={metadata.drone} />
      </div>
      <p className="mt-5 text-sm text-muted">
        <Uploaded at={photo.createdAt} />
      </p>
    </>
  )
}
