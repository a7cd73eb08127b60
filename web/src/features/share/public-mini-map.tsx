import { useQuery } from '@tanstack/react-query'
import { sharedPhotoQuery } from '../../api/queries.ts'
import { Skeleton } from '../../components/ui/loading.tsx'
import { MiniMap } from '../../map/lazy-mini-map.tsx'

/** The small map of a public photo, with what its public metadata tells about the camera. */
export function PublicMiniMap({ shareCode, id }: { shareCode: string; id: number }) {
  const { data: photo, isError } = useQuery(sharedPhotoQuery(shareCode, id))
  if (isError || photo?.latitude === null) return null
  return <div className="mt-5">{photo ? <MiniMap photo={photo} /> : <Skeleton className="h-52 rounded-md" />}</div>
}
