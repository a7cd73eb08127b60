import { useQuery } from '@tanstack/react-query'
import { lazy, Suspense } from 'react'
import { sharedPhotoQuery } from '../../api/queries.ts'
import { Skeleton } from '../../components/ui/skeleton.tsx'

const PhotoMiniMap = lazy(() => import('../../map/photo-mini-map.tsx'))

/** The small map of a public photo, with what its public metadata tells about the camera. */
export function PublicMiniMap({ shareCode, id }: { shareCode: string; id: number }) {
  const { data: photo, isError } = useQuery(sharedPhotoQuery(shareCode, id))
  if (isError || photo?.latitude === null) return null
  const skeleton = <Skeleton className="h-52 rounded-md" />
  return (
    <div className="mt-5">
      {photo ? (
        <Suspense fallback={skeleton}>
          <PhotoMiniMap photo={photo} />
        </Suspense>
      ) : (
        skeleton
      )}
    </div>
  )
}
