import { useQueryClient } from '@tanstack/react-query'
import { X } from 'lucide-react'
import { useEffect, useMemo, useRef, useState } from 'react'
import { sharedPhotoQuery } from '../../api/queries.ts'
import type { PublicPhoto } from '../../api/types.ts'
import { PhotoImage } from '../../components/photo-image.tsx'
import { SphereBadge } from '../../components/ui/badge.tsx'
import { IconButton } from '../../components/ui/button.tsx'
import { altText, countOf } from '../../lib/format.ts'
import { type Area, positionOf } from '../../map/mercator.ts'
import { PhotoMap } from '../../map/photo-map.tsx'
import { isWithin, pointsOfPhotos } from '../../map/points.ts'
import { sourcesForRow } from '../../photos/renditions.ts'

/** Pixels. */
const PICTURE_WIDTH = 150

export interface PublicMapProps {
  shareCode: string
  photos: PublicPhoto[]
  onOpen: (photo: PublicPhoto) => void
}

/** The photos of a public folder on a map. Their positions came with them: nothing is requested for the points. */
export function PublicMap({ shareCode, photos, onOpen }: PublicMapProps) {
  const client = useQueryClient()
  const source = useMemo(() => pointsOfPhotos(photos), [photos])
  const [place, setPlace] = useState<Area | null>(null)
  const atPlace = place ? photos.filter((photo) => isAt(photo, place)) : []

  function openPhoto(id: number): void {
    const photo = photos.find((one) => one.id === id)
    if (photo) onOpen(photo)
  }

  return (
    <>
      <PhotoMap
        source={source}
        start={source.extent}
        all={source.extent}
        photosKey={shareCode}
        without={photos.length - source.count}
        onOpenPhoto={openPhoto}
        onOpenPlace={setPlace}
        readCamera={(id) =>
          client.fetchQuery({ ...sharedPhotoQuery(shareCode, id), staleTime: Number.POSITIVE_INFINITY })
        }
      />
      {atPlace.length > 0 && <PlacePhotos photos={atPlace} onOpen={onOpen} onClose={() => setPlace(null)} />}
    </>
  )
}

function isAt(photo: PublicPhoto, place: Area): boolean {
  const position = positionOf(photo)
  return position !== null && isWithin(position, place)
}

interface PlacePhotosProps {
  photos: PublicPhoto[]
  onOpen: (photo: PublicPhoto) => void
  onClose: () => void
}

/** The photos of one place, below the map: those that no zoom can tell apart. */
function PlacePhotos({ photos, onOpen, onClose }: PlacePhotosProps) {
  const heading = useRef<HTMLHeadingElement>(null)
  useEffect(() => {
    heading.current?.focus()
  }, [])
  return (
    <section aria-labelledby="map-place" className="mt-6">
      <div className="mb-3 flex items-center justify-between gap-3">
        <h3 id="map-place" ref={heading} tabIndex={-1} className="scroll-mt-32 text-lg font-semibold outline-none">
          {countOf(photos.length, 'photo')} at this place
        </h3>
        <IconButton label="Close the photos of this place" icon={<X />} onClick={onClose} />
      </div>
      <ul className="grid grid-cols-[repeat(auto-fill,minmax(8rem,1fr))] gap-2">
        {photos.map((photo) => (
          <li key={photo.id}>
            <button type="button" onClick={() => onOpen(photo)} className="relative block w-full rounded-md">
              <PhotoImage
                {...sourcesForRow(PICTURE_WIDTH, photo)}
                alt={altText(photo)}
                thumbhash={photo.thumbhash}
                className="aspect-3/2 rounded-md"
              />
              {photo.projection === 'sphere' && (
                <span className="absolute top-1.5 left-1.5 flex">
                  <SphereBadge overlay />
                </span>
              )}
            </button>
          </li>
        ))}
      </ul>
    </section>
  )
}
