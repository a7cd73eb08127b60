import { useQuery } from '@tanstack/react-query'
import { Dialog } from 'radix-ui'
import { lazy, Suspense, useEffect, useRef, useState } from 'react'
import { photoQuery } from '../../api/photo-lists.ts'
import { foldersQuery, userQuery } from '../../api/queries.ts'
import type { Photo } from '../../api/types.ts'
import { Badge } from '../../components/ui/badge.tsx'
import { Skeleton } from '../../components/ui/skeleton.tsx'
import { isDng } from '../renditions.ts'
import { Description } from '../viewer/description.tsx'
import { MissingPicture } from '../viewer/missing-picture.tsx'
import { PictureViewer } from '../viewer/picture-viewer.tsx'
import { isOutage, OutageNotice, PrintingNotice } from './outage-notice.tsx'
import { PhotoActions } from './photo-actions.tsx'
import { PhotoDetails } from './photo-details.tsx'
import { RankButtons } from './rank-buttons.tsx'

// Loaded on demand with its validation: most users only look at photos.
const EditForm = lazy(() => import('./edit-form.tsx'))

interface PhotoPaneProps {
  photo: Photo
  position: string | null
  editing: boolean
  onEditing: (on: boolean) => void
  onPrevious?: () => void
  onNext?: () => void
}

/** The two halves of the dialog: the picture and the facts, stacked on narrow screens. */
export function PhotoPane({ photo, position, editing, onEditing, onPrevious, onNext }: PhotoPaneProps) {
  const user = useQuery(userQuery).data
  const folders = useQuery(foldersQuery).data
  const folder = folders?.find(({ id }) => id === photo.folderId) ?? null
  const own = user?.id === photo.userId
  const service = useServiceCheck(photo.id)
  const editButton = useFocusAfter(editing)
  return (
    <div className="flex min-h-0 flex-1 flex-col lg:flex-row">
      <PictureViewer
        key={service.attempts}
        photo={photo}
        onPrevious={onPrevious}
        onNext={onNext}
        onError={service.check}
        placeholder={(embedded) => (
          <MissingPicture
            photo={photo}
            text={isDng(photo) ? 'DNG files cannot be displayed' : 'Image could not be loaded'}
            detail={isDng(photo) ? null : photo.originalName}
            showEmbedded={embedded}
            downloadLabel="Download"
            downloadName={photo.originalName}
          />
        )}
        className="h-[44dvh] shrink-0 lg:h-auto lg:min-w-0 lg:flex-1 lg:shrink"
      />
      <div className="min-h-0 flex-1 overflow-y-auto overscroll-contain px-4 py-4 sm:px-6 sm:py-5 lg:w-[400px] lg:flex-none">
        {service.error !== null && (
          <div className="mb-4 lg:mt-9">
            <OutageNotice error={service.error} onRetry={service.retry} />
          </div>
        )}
        <header aria-live="polite" aria-atomic className="lg:pr-10">
          <p className="flex min-h-6 items-center gap-2 text-sm text-muted">
            {position}
            {isDng(photo) && <Badge>DNG</Badge>}
          </p>
          <Dialog.Title className="mt-1 text-xl font-semibold wrap-anywhere">
            {photo.title || 'Untitled Photo'}
          </Dialog.Title>
        </header>
        {editing ? (
          <div className="mt-4">
            <Suspense fallback={<Skeleton className="h-96 rounded-md" />}>
              <EditForm key={photo.id} photo={photo} onDone={() => onEditing(false)} />
            </Suspense>
          </div>
        ) : (
          <>
            {photo.description && <Description key={photo.id} text={photo.description} />}
            <div className="mt-4 grid gap-4 border-b border-line pb-5">
              <PhotoActions
                photo={photo}
                folder={folder}
                own={own}
                onEdit={() => onEditing(true)}
                editButton={editButton}
              />
              <PrintingNotice />
              {own && photo.folderId !== null && <RankButtons photo={photo} folderId={photo.folderId} />}
            </div>
            <div className="pt-5">
              <PhotoDetails photo={photo} own={own} />
            </div>
          </>
        )}
      </div>
    </div>
  )
}

/** The button that gets the focus back after editing. */
function useFocusAfter(editing: boolean) {
  const button = useRef<HTMLButtonElement>(null)
  const wasEditing = useRef(editing)
  useEffect(() => {
    if (wasEditing.current && !editing) button.current?.focus()
    wasEditing.current = editing
  }, [editing])
  return button
}

/** A photo that was just read is not read again. */
const FRESH_MS = 5_000

/**
 * Checks whether the service is available: for each opened photo, because its picture may come from the browser's
 * cache, and after a picture fails to load, which may also be damaged.
 */
function useServiceCheck(id: number) {
  const { error, refetch } = useQuery({ ...photoQuery(id), staleTime: FRESH_MS })
  const [attempts, setTries] = useState(0)

  async function retry(): Promise<void> {
    const { isSuccess } = await refetch()
    if (isSuccess) setTries((before) => before + 1)
  }

  return {
    error: isOutage(error) ? error : null,
    /** Grows with each attempt to load the picture again. */
    attempts,
    check: () => void refetch(),
    retry,
  }
}
