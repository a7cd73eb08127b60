import { useQuery } from '@tanstack/react-query'
import { sharedPhotoQuery } from '../../api/queries.ts'
import type { AccountSettings, PublicPhotoDetails } from '../../api/types.ts'
import { ErrorState } from '../../components/ui/empty-state.tsx'
import { Skeleton } from '../../components/ui/loading.tsx'
import { formatCameraDate, formatNumber } from '../../lib/format.ts'
import { errorMessage } from '../../lib/http.ts'
import { formatExposureTime, formatHeight, type Metadata } from '../../photos/photo-facts.ts'
import { useSettings } from '../../photos/use-settings.ts'
import { DronePanel } from '../../photos/viewer/drone-panel.tsx'

/** The camera metadata of a public photo that visitors may see. */
export function PhotoMetadata({ shareCode, id }: { shareCode: string; id: number }) {
  const { data: photo, error, refetch } = useQuery(sharedPhotoQuery(shareCode, id))
  if (photo) return <MetadataList photo={photo} />
  if (error) {
    const retry = () => void refetch()
    return <ErrorState title="Metadata could not be loaded" description={errorMessage(error)} onRetry={retry} />
  }
  return (
    <div role="status">
      <span className="sr-only">Loading metadata</span>
      <Skeleton className="h-40 rounded-md" />
    </div>
  )
}

function MetadataList({ photo }: { photo: PublicPhotoDetails }) {
  const { units } = useSettings()
  const lines = linesOf(photo.metadata ?? {}, photo.altitude, units)
  const { drone } = photo.metadata ?? {}
  if (lines.length === 0 && !drone) return <p className="py-6 text-center text-muted">No metadata available</p>
  return (
    <div className="grid gap-4">
      <DronePanel drone={drone} />
      <dl className="grid gap-x-4 gap-y-2">
        {lines.map(([name, value]) => (
          <div key={name} className="grid grid-cols-[7.5rem_1fr] gap-x-3 border-b border-line pb-2">
            <dt className="text-sm/6 text-muted">{name}</dt>
            <dd className="min-w-0 wrap-anywhere">{value}</dd>
          </div>
        ))}
      </dl>
    </div>
  )
}

/** Names and values of the known metadata. */
function linesOf(metadata: Metadata, altitude: number | null, units: AccountSettings['units']): [string, string][] {
  const { Make, Model, LensModel, ExposureTime, FNumber, ISO, FocalLength } = metadata
  const lines: [string, string | null | undefined | 0][] = [
    ['Make', Make],
    ['Model', Model],
    ['Lens', LensModel],
    ['Exposure time', ExposureTime && formatExposureTime(ExposureTime)],
    ['Aperture', FNumber && `f/${Number(FNumber.toFixed(1))}`],
    ['ISO', ISO && String(ISO)],
    ['Focal length', FocalLength && `${Number(FocalLength.toFixed(1))} mm`],
    ['Image width', metadata.ExifImageWidth && `${formatNumber(metadata.ExifImageWidth)} pixels`],
    ['Image height', metadata.ExifImageHeight && `${formatNumber(metadata.ExifImageHeight)} pixels`],
    ['Date taken', formatCameraDate(metadata.DateTimeOriginal ?? null)],
    ['Altitude', altitude !== null && Object.keys(metadata).length > 0 ? formatHeight(altitude, units) : null],
  ]
  return lines.filter((line): line is [string, string] => Boolean(line[1]))
}
