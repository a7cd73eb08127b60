import { Folder, MapPin } from 'lucide-react'
import type { ReactNode } from 'react'
import type { Photo } from '../../api/types.ts'
import { Skeleton } from '../../components/ui/loading.tsx'
import { formatCameraDate, formatCoordinates, formatPlace } from '../../lib/format.ts'

/** The known facts under a photo's picture, at most three lines; `folder` is its name, where it is to be shown. Skeleton lines reserve the space during processing. */
export function PhotoCaption({ photo, folder }: { photo: Photo; folder: string | null }) {
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

function PendingLines() {
  return (
    <>
      <Skeleton className="my-1 h-3 w-2/5" />
      <Skeleton className="my-1 h-2.5 w-3/5" />
      <Skeleton className="my-1 h-2.5 w-1/2" />
    </>
  )
}
