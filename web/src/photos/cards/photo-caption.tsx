import { MapPin } from 'lucide-react'
import type { Photo } from '../../api/types.ts'
import { Skeleton } from '../../components/ui/skeleton.tsx'
import { formatCameraDate, formatCoordinates, formatPlace } from '../../lib/format.ts'

/** The known facts under a photo's picture, at most three lines. Skeleton lines reserve the space during processing. */
export function PhotoCaption({ photo }: { photo: Photo }) {
  if (photo.status === 'processing') return <PendingLines />
  if (photo.status === 'failed') {
    const message = photo.statusMessage ?? 'This photo could not be processed.'
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
      {(place || coordinates) && (
        <p className="flex items-center gap-1.5">
          <MapPin aria-hidden className="size-3.5 shrink-0" />
          <span className="truncate">{place ?? 'Location name not available'}</span>
        </p>
      )}
      {coordinates && <p className="font-mono text-xs">{coordinates}</p>}
      {!coordinates && <p>No GPS data found in this photo</p>}
      {taken && <p className="truncate text-xs">{taken}</p>}
    </>
  )
}

function PendingLines() {
  return (
    <>
      <Skeleton className="my-1 h-3 w-2/5" />
      <Skeleton className="my-1 h-2.5 w-3/5" />
      <Skeleton className="my-1 h-2.5 w-1/2" />
    </>
  )
}
