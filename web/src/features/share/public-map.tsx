import { type QueryClient, useQueryClient } from '@tanstack/react-query'
import { useMemo, useState } from 'react'
import { MOST_READ } from '../../api/photo-lists.ts'
import { sharedCamerasQuery, sharedPhotoQuery } from '../../api/queries.ts'
import type { PublicPhoto } from '../../api/types.ts'
import { PhotoImage } from '../../components/photo-image.tsx'
import { sourcesForRow } from '../../components/renditions.ts'
import { SphereBadge } from '../../components/ui/badge.tsx'
import { altText } from '../../lib/format.ts'
import { type Area, positionOf } from '../../lib/geography.ts'
import type { CameraPhoto } from '../../map/camera-view.ts'
import type { GroundSource } from '../../map/ground/ground-pictures.tsx'
import { PhotoMap } from '../../map/photo-map.tsx'
import { PlaceSection } from '../../map/point-list.tsx'
import { isWithin, pointsOfPhotos } from '../../map/points.ts'

/** The photos of a public folder on a map. Their positions came with them: nothing is requested for the points. */
export function PublicMap(props: { shareCode: string; photos: PublicPhoto[]; onOpen: (photo: PublicPhoto) => void }) {
  const { shareCode, photos, onOpen } = props
  const client = useQueryClient()
  const source = useMemo(() => pointsOfPhotos(photos), [photos])
  const ground = useMemo(() => readGround(client, shareCode, photos), [client, shareCode, photos])
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
        ground={ground}
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
      {atPlace.length > 0 && (
        <PlaceSection count={atPlace.length} onClose={() => setPlace(null)}>
          <ul className="grid grid-cols-[repeat(auto-fill,minmax(8rem,1fr))] gap-2">
            {atPlace.map((photo) => (
              <li key={photo.id}>
                <button type="button" onClick={() => onOpen(photo)} className="relative block w-full rounded-md">
                  <PhotoImage
                    {...sourcesForRow(150, photo)}
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
        </PlaceSection>
      )}
    </>
  )
}

/** The photos with what the cameras tell, read when they are drawn on the ground, and again when the photos have changed. */
function readGround(client: QueryClient, shareCode: string, photos: PublicPhoto[]): GroundSource {
  let cameras: Promise<Map<number, CameraPhoto['metadata']>> | null = null
  const readCameras = async () =>
    new Map((await client.fetchQuery(sharedCamerasQuery(shareCode))).map(({ id, metadata }) => [id, metadata]))
  return {
    async read(area) {
      cameras ??= readCameras().catch((error) => {
        cameras = null
        throw error
      })
      const known = await cameras
      const found = photos.filter((photo) => isAt(photo, area)).sort(newestFirst)
      return found.slice(0, MOST_READ).map((photo) => ({ ...photo, metadata: known.get(photo.id) ?? null }))
    },
  }
}

function newestFirst(one: PublicPhoto, other: PublicPhoto): number {
  const [at, otherAt] = [one.dateTaken ?? '', other.dateTaken ?? '']
  return Number(at < otherAt) - Number(at > otherAt)
}

function isAt(photo: PublicPhoto, place: Area): boolean {
  const position = positionOf(photo)
  return position !== null && isWithin(position, place)
}
