import { useQueryClient } from '@tanstack/react-query'
import { FolderX, Images } from 'lucide-react'
import { useEffect, useRef, useState } from 'react'
import { Link } from 'react-router-dom'
import { publicPhotosQuery } from '../../api/queries.ts'
import type { PublicPhoto } from '../../api/types.ts'
import { later } from '../../components/later.tsx'
import { Button } from '../../components/ui/button.tsx'
import { EmptyState } from '../../components/ui/empty-state.tsx'
import { loadToaster } from '../../components/ui/toast.tsx'
import { whenFirstScreenIsComplete } from '../../lib/first-screen.ts'
import { useOpenPhoto } from '../../photos/use-open-photo.ts'
import { LazyPhotoViewer } from './lazy-photo-viewer.tsx'
import { LazyPublicMap } from './lazy-public-map.tsx'
import { isMapOffered, MapSwitch } from './map-switch.tsx'
import { VIEW_ONLY_CAPTION_HEIGHT, ViewOnlyCard } from './public-cards.tsx'
import { PublicGrid, type PublicGridHandle, PublicGridSkeleton } from './public-grid.tsx'
import { PublicHeader, ViewOnlyBadge } from './public-header.tsx'
import { PUBLIC_PAGE } from './public-layout.ts'

const InlineDetails = later(() => import('./inline-details.tsx').then((code) => code.InlineDetails))

const VIEW_ONLY_GRID = 'mx-auto max-w-[1180px] gutters'

interface ViewOnlyHeaderProps {
  name: string
  description: string | null
  /** '24 photos'; undefined until it is known. */
  count: string | undefined
  /** There are no photos to click on. */
  isEmpty: boolean
}

/** Texts of a view-only folder. */
export function ViewOnlyHeader({ isEmpty, ...head }: ViewOnlyHeaderProps) {
  return (
    <div className={PUBLIC_PAGE}>
      <PublicHeader badge={<ViewOnlyBadge />} {...head} />
      {!isEmpty && (
        <p className="mt-1.5 text-muted">
          Browse the drone photos in this collection. Click on any photo to view more details.
        </p>
      )}
    </div>
  )
}

/** Shown while the photos are loading. */
export function ViewOnlySkeleton() {
  return (
    <div role="status" aria-label="Loading the folder" className={VIEW_ONLY_GRID}>
      <PublicGridSkeleton />
    </div>
  )
}

export function ViewOnlyNotFound() {
  return (
    <EmptyState
      heading="h1"
      icon={<FolderX />}
      title="Folder not found"
      description="The folder you're looking for doesn't exist or is not publicly shared."
      action={
        <Button asChild>
          <Link to="/">Back to Home</Link>
        </Button>
      }
    />
  )
}

interface ViewOnlyFolderProps {
  shareCode: string
  photos: PublicPhoto[]
  /** The owner shows visitors a map. */
  showMap: boolean
  /** Where a clicked photo is shown: in a dialog, or in a card above the others. */
  details: 'dialog' | 'card'
}

/** The photos of a view-only folder. */
export function ViewOnlyFolder({ shareCode, photos, showMap, details }: ViewOnlyFolderProps) {
  const client = useQueryClient()
  const grid = useRef<PublicGridHandle>(null)
  const opened = useOpenPhoto()
  useEffect(() => whenFirstScreenIsComplete(loadToaster), [])
  const open = photos.find(({ id }) => id === opened.id)
  // The card has a flat picture: a panorama opens from it in the dialog.
  const [isAround, setAround] = useState(false)
  const [isMap, setMap] = useState(false)
  const hasMap = isMapOffered(showMap, photos)

  /** A rejected picture may mean a withdrawn link: checks at once. Many rejections cause one request. */
  function revalidate(): void {
    client.invalidateQueries({ queryKey: publicPhotosQuery(shareCode).queryKey }, { cancelRefetch: false })
  }

  /** In the card a click on another photo replaces the open one: Back closes the card. */
  function openPhoto(photo: PublicPhoto): void {
    setAround(false)
    if (open) opened.step(photo)
    else opened.open(photo)
  }

  /** Returns to the card that the photo was opened from. */
  function closeCard(): void {
    opened.close()
    if (open) grid.current?.focusPicture(open.id)
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
    <div className={VIEW_ONLY_GRID}>
      {open && details === 'card' && (
        <InlineDetails
          key={open.id}
          photo={open}
          onClose={closeCard}
          onLookAround={open.projection === null ? undefined : () => setAround(true)}
          onPictureError={revalidate}
        />
      )}
      <h2 className="sr-only">Photos</h2>
      {hasMap && <MapSwitch isMap={isMap} onChange={setMap} />}
      <div className="pt-7">
        {hasMap && isMap ? (
          <LazyPublicMap shareCode={shareCode} photos={photos} onOpen={openPhoto} />
        ) : (
          <PublicGrid ref={grid} photos={photos} captionHeight={VIEW_ONLY_CAPTION_HEIGHT}>
            {(photo, inFirstRow) => (
              <ViewOnlyCard
                photo={photo}
                inFirstRow={inFirstRow}
                onOpen={() => openPhoto(photo)}
                onPictureError={revalidate}
              />
            )}
          </PublicGrid>
        )}
      </div>
      {open && details === 'dialog' && (
        <LazyPhotoViewer
          shareCode={shareCode}
          photos={photos}
          photo={open}
          showMap={showMap}
          onShow={opened.step}
          onClose={opened.close}
          onReturn={({ id }) => grid.current?.focusPicture(id)}
          onPictureError={revalidate}
        />
      )}
      {open && details === 'card' && isAround && (
        <LazyPhotoViewer
          shareCode={shareCode}
          photos={[open]}
          photo={open}
          showMap={showMap}
          onShow={() => {}}
          onClose={() => setAround(false)}
          onReturn={() => {}}
          onPictureError={revalidate}
        />
      )}
    </div>
  )
}
