import { useQuery } from '@tanstack/react-query'
import { ImagePlus, Upload } from 'lucide-react'
import { Link } from 'react-router-dom'
import { folderPhotosQuery } from '../../api/queries.ts'
import { PhotoGrid, PhotoGridSkeleton } from '../../components/photos/photo-grid.tsx'
import { Button } from '../../components/ui/button.tsx'
import { EmptyState, ErrorState } from '../../components/ui/empty-state.tsx'
import { noticeOf } from '../../lib/http.ts'

const DELETION = {
  title: 'Are you sure?',
  description:
    'This action cannot be undone. This will permanently delete this photo from your account and remove it from all folders.',
  failureTitle: 'Error',
}

export function FolderPhotos({ folderId }: { folderId: number }) {
  const photos = useQuery(folderPhotosQuery(folderId))
  if (photos.isPending) return <PhotoGridSkeleton />
  if (!photos.data) {
    return (
      <ErrorState
        title="Failed to fetch photos"
        description={noticeOf(photos.error)}
        onRetry={() => photos.refetch()}
      />
    )
  }
  if (photos.data.length === 0) {
    return (
      <EmptyState
        icon={<ImagePlus />}
        title="This folder is empty"
        description="Upload photos into it, or choose it as the folder of photos that you have."
        action={
          <Button asChild>
            <Link to={`/upload?folder=${folderId}`}>
              <Upload aria-hidden /> Upload Photos
            </Link>
          </Button>
        }
      />
    )
  }
  return <PhotoGrid photos={photos.data} pageWidth={1180} deletion={DELETION} />
}
