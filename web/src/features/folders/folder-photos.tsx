import { ImagePlus, Upload } from 'lucide-react'
import { Link } from 'react-router-dom'
import { folderPhotoList } from '../../api/photo-lists.ts'
import { Button } from '../../components/ui/button.tsx'
import { EmptyState, ErrorState } from '../../components/ui/empty-state.tsx'
import { errorMessage } from '../../lib/http.ts'
import { PhotoGrid } from '../../photos/grid/photo-grid.tsx'
import { PhotoGridSkeleton } from '../../photos/grid/photo-grid-skeleton.tsx'
import { usePhotoList } from '../../photos/grid/use-photo-pages.ts'

const DELETION = {
  title: 'Are you sure?',
  description:
    'This action cannot be undone. This will permanently delete this photo from your account and remove it from all folders.',
  failureTitle: 'Error',
}

export function FolderPhotos({ folderId }: { folderId: number }) {
  const list = folderPhotoList(folderId)
  const { total, error, refetch } = usePhotoList(list)
  if (total === undefined) {
    if (!error) return <PhotoGridSkeleton />
    return <ErrorState title="Failed to fetch photos" description={errorMessage(error)} onRetry={() => refetch()} />
  }
  if (total === 0) {
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
  return <PhotoGrid list={list} total={total} deletionTexts={DELETION} />
}
