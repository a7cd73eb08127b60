import { ExternalLink } from 'lucide-react'
import type { PublicPhoto } from '../../api/types.ts'
import { formatCoordinates, formatPlace } from '../../lib/format.ts'
import { mapLink } from '../photo-facts.ts'

type Located = Pick<PublicPhoto, 'latitude' | 'longitude' | 'city' | 'state'>

/** Where a photo was taken: place, coordinates, and a link to a map. */
export function PhotoLocation({ photo }: { photo: Located }) {
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
