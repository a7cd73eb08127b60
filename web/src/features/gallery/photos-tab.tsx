import { useInfiniteQuery } from '@tanstack/react-query'
import { ImageOff } from 'lucide-react'
import { photoPagesQuery } from '../../api/queries.ts'
import { PhotoGrid, PhotoGridSkeleton } from '../../components/photos/photo-grid.tsx'
import { Button } from '../../components/ui/button.tsx'
import { EmptyState, ErrorState } from '../../components/ui/empty-state.tsx'
import { noticeOf } from '../../lib/http.ts'
import { useNearEnd } from './near-end.ts'

const DELETION = {
  title: 'Delete Photo',
  description: 'Are you sure you want to delete this photo? This action cannot be undone.',
  failureTitle: 'Error deleting photo',
}

/** All photos of the user; the next page is read when the end of the last one comes near. */
export function PhotosTab() {
  const photos = useInfiniteQuery(photoPagesQuery)
  const { hasNextPage, isFetching, isFetchNextPageError, fetchNextPage } = photos
  const end = useNearEnd(() => fetchNextPage(), hasNextPage && !isFetching && !isFetchNextPageError)

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
  const items = photos.data.pages.flatMap((page) => page.items)
  if (items.length === 0) {
    return <EmptyState icon={<ImageOff />} title="No photos found" description="Upload some photos to get started" />
  }
  return (
    <>
      <PhotoGrid photos={items} pageWidth={1320} deletion={DELETION} />
      <div ref={end} />
      {photos.isFetchingNextPage && (
        <div className="pt-7">
          <PhotoGridSkeleton />
        </div>
      )}
      {isFetchNextPageError && (
        <div className="flex flex-wrap items-center justify-center gap-3 pt-8" role="alert">
          <p className="text-muted">{noticeOf(photos.error)}</p>
          <Button onClick={() => fetchNextPage()}>Load more photos</Button>
        </div>
      )}
    </>
  )
}
