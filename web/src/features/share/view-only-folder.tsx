import { Images } from 'lucide-react'
import { useEffect, useRef, useState } from 'react'
import { publicPhotosQuery } from '../../api/queries.ts'
import type { PublicFolder, PublicPhoto } from '../../api/types.ts'
import { lazyComponent } from '../../components/lazy.tsx'
import { EmptyState } from '../../components/ui/empty-state.tsx'
import { loadToaster } from '../../components/ui/toast.tsx'
import { whenFirstScreenIsComplete } from '../../lib/first-screen.ts'
import { useOpenPhoto } from '../../photos/use-open-photo.ts'
import {
  PhotoViewer,
  PublicCard,
  PublicGridSkeleton,
  PublicHeader,
  type PublicHeaderProps,
  PublicPhotos,
  photoWithId,
  uploadDate,
  useRevalidate,
} from './public-folder.tsx'
import { PUBLIC_PAGE } from './public-layout.ts'

const InlineDetails = lazyComponent(() => import('./inline-details.tsx').then((code) => code.InlineDetails), {
  afterFirstScreen: true,
})

/** Of three lines of text under a picture, in pixels. */
const CAPTION_HEIGHT = 74

/** Texts of a view-only folder; in an empty one there is no photo to click on. */
export function ViewOnlyHeader({ isEmpty, ...head }: PublicHeaderProps & { isEmpty: boolean }) {
  return (
    <div className={PUBLIC_PAGE}>
      <PublicHeader {...head} />
      {!isEmpty && (
        <p className="mt-1.5 text-muted short:mt-0.5">
          Browse the drone photos in this collection. Click on any photo to view more details.
        </p>
      )}
    </div>
  )
}

export function ViewOnlySkeleton() {
  return (
    <div role="status" aria-label="Loading the folder" className="page">
      <PublicGridSkeleton />
    </div>
  )
}

interface ViewOnlyFolderProps {
  shareCode: string
  folder: PublicFolder
  photos: PublicPhoto[]
  /** Where a clicked photo is shown: in a dialog, or in a card above the others. */
  details: 'dialog' | 'card'
}

export function ViewOnlyFolder({ shareCode, folder, photos, details }: ViewOnlyFolderProps) {
  const focusPicture = useRef<(photoId: number) => void>(null)
  const opened = useOpenPhoto()
  useEffect(() => whenFirstScreenIsComplete(loadToaster), [])
  const open = photoWithId(photos, opened.id)
  // The card has a flat picture: a panorama opens from it in the dialog.
  const [isAround, setAround] = useState(false)
  // Counts the photos that were chosen below the card: the card scrolls into view for each.
  const [chosen, setChosen] = useState(0)
  const index = open ? photos.indexOf(open) : -1
  const inDialog = details === 'dialog'
  const revalidate = useRevalidate(publicPhotosQuery(shareCode).queryKey)

  /** In the card a click on another photo replaces the open one: Back closes the card. */
  function openPhoto(photo: PublicPhoto): void {
    setAround(false)
    setChosen(chosen + 1)
    if (open) opened.step(photo)
    else opened.open(photo)
  }

  function stepTo(photo: PublicPhoto | undefined): (() => void) | undefined {
    return photo && (() => opened.step(photo))
  }

  /** Returns to the card that the photo was opened from. */
  function closeCard(): void {
    opened.close()
    if (open) focusPicture.current?.(open.id)
  }

  if (photos.length === 0) {
    return (
      <EmptyState
        icon={<Images />}
        title="No photos available"
        description="There are no photos in this collection yet."
      />
    )
  }
  return (
    <div className="page">
      {open && !inDialog && (
        <InlineDetails
          key={chosen}
          folder={folder}
          photo={open}
          position={`${index + 1} of ${photos.length}`}
          onPrevious={stepTo(photos[index - 1])}
          onNext={stepTo(photos[index + 1])}
          onClose={closeCard}
          onLookAround={open.projection === null ? undefined : () => setAround(true)}
          onPictureError={revalidate}
        />
      )}
      <PublicPhotos
        shareCode={shareCode}
        photos={photos}
        showMap={folder.showMap}
        captionHeight={CAPTION_HEIGHT}
        focusPicture={focusPicture}
        onOpen={openPhoto}
      >
        {(photo, inFirstRow) => (
          <PublicCard
            photo={photo}
            inFirstRow={inFirstRow}
            onClick={() => openPhoto(photo)}
            onPictureError={revalidate}
          >
            {photo.city && photo.state && (
              <p className="truncate text-sm text-muted">{`${photo.city}, ${photo.state}`}</p>
            )}
            <p className="text-sm text-muted">{uploadDate(photo)}</p>
          </PublicCard>
        )}
      </PublicPhotos>
      {open && (inDialog || isAround) && (
        <PhotoViewer
          shareCode={shareCode}
          photos={inDialog ? photos : [open]}
          photo={open}
          folder={folder}
          onShow={opened.step}
          onClose={inDialog ? opened.close : () => setAround(false)}
          onReturn={({ id }) => inDialog && focusPicture.current?.(id)}
          onPictureError={revalidate}
        />
      )}
    </div>
  )
}
