import { useQueryClient } from '@tanstack/react-query'
import { Download } from 'lucide-react'
import { Dialog } from 'radix-ui'
import { type ReactNode, useState } from 'react'
import { sharedPhotoQuery } from '../../api/queries.ts'
import type { PublicPhoto } from '../../api/types.ts'
import { Badge } from '../../components/ui/badge.tsx'
import { Button } from '../../components/ui/button.tsx'
import { useFocusReturn } from '../../components/ui/dialog.tsx'
import { TabPanel, Tabs } from '../../components/ui/tabs.tsx'
import { ToastHost } from '../../components/ui/toast.tsx'
import { VisibilityBadge } from '../../components/visibility.tsx'
import { cx } from '../../lib/cx.ts'
import { isDng } from '../../photos/renditions.ts'
import { CloseButton } from '../../photos/viewer/close-button.tsx'
import { Description } from '../../photos/viewer/description.tsx'
import { MissingPicture } from '../../photos/viewer/missing-picture.tsx'
import { PictureViewer } from '../../photos/viewer/picture-viewer.tsx'
import { UploadTime } from '../../photos/viewer/upload-time.tsx'
import { useFullScreen } from '../../photos/viewer/use-full-screen.ts'
import { DETAILS, DIALOG, PICTURE } from '../../photos/viewer/viewer-layout.ts'
import { PhotoInfo } from './photo-info.tsx'
import { PhotoMetadata } from './photo-metadata.tsx'
import { PublicMiniMap } from './public-mini-map.tsx'

const TABS = [
  { value: 'info', label: 'Info' },
  { value: 'metadata', label: 'Metadata' },
]

export interface PhotoViewerProps {
  shareCode: string
  photos: PublicPhoto[]
  photo: PublicPhoto
  /** The owner shows visitors a map. */
  showMap: boolean
  onShow: (photo: PublicPhoto) => void
  onClose: () => void
  /** The viewer has closed at another photo than it was opened for: moves the focus to its card. */
  onReturn: (photo: PublicPhoto) => void
  /** The picture's bytes were rejected. */
  onPictureError: () => void
  /** The photo's rank menu, where visitors vote. */
  children?: ReactNode
}

/** The photo viewer of the public screens: one photo in the whole window, with its details. */
export function PhotoViewer(props: PhotoViewerProps) {
  const { shareCode, photos, photo, showMap, onShow, onClose, onReturn, onPictureError, children } = props
  const [tab, setTab] = useState('info')
  const index = photos.findIndex(({ id }) => id === photo.id)
  const stepTo = (target: PublicPhoto | undefined) => target && (() => onShow(target))
  const title = photo.title || 'Untitled'
  const returnFocus = useFocusReturn(true)
  const [firstId] = useState(photo.id)
  const screen = useFullScreen()
  const client = useQueryClient()
  const leave = () => (screen.full ? screen.leave() : onClose())
  return (
    <Dialog.Root open onOpenChange={(open) => !open && onClose()}>
      <Dialog.Portal>
        <Dialog.Content
          aria-describedby={undefined}
          onOpenAutoFocus={focusViewer}
          onCloseAutoFocus={(event) => {
            returnFocus(event)
            if (photo.id !== firstId || document.activeElement?.id === 'main') onReturn(photo)
          }}
          // A focused toast takes Escape for itself; inside the viewer Escape closes the viewer.
          onKeyDown={(event) => event.key === 'Escape' && !event.defaultPrevented && leave()}
          onEscapeKeyDown={(event) => {
            if (!screen.full) return
            event.preventDefault()
            screen.leave()
          }}
          className={`${DIALOG} z-40 beside:flex-row`}
        >
          <PictureViewer
            photo={photo}
            neighbours={[photos[index - 1], photos[index + 1]]}
            loadPanorama={async () =>
              (await client.fetchQuery(sharedPhotoQuery(shareCode, photo.id))).metadata?.panorama
            }
            screen={screen}
            caption={`${index + 1} of ${photos.length} · ${title}`}
            onPrevious={stepTo(photos[index - 1])}
            onNext={stepTo(photos[index + 1])}
            onError={onPictureError}
            placeholder={(embedded) => (
              <MissingPicture
                photo={photo}
                text="preview not available"
                showEmbedded={embedded}
                downloadLabel="Download Original File"
              />
            )}
            className={PICTURE}
          />
          <div
            className={cx(
              DETAILS,
              'relative overflow-y-auto overscroll-contain px-4 pt-3 pb-[max(16px,env(safe-area-inset-bottom))] sm:px-6',
              screen.full && 'hidden',
            )}
          >
            <div className="absolute top-2 right-3 hidden beside:block">
              <CloseButton className="pointer-coarse:size-11" />
            </div>
            <div aria-live="polite" aria-atomic>
              <p className="flex min-h-6 items-center gap-2 text-sm text-muted beside:pr-10">
                {index + 1} of {photos.length}
                {isDng(photo) && <Badge>DNG</Badge>}
                {photo.isPublic && <VisibilityBadge isPublic />}
              </p>
              <Dialog.Title className="mt-1 text-xl font-semibold wrap-anywhere">{title}</Dialog.Title>
            </div>
            {photo.description && <Description key={photo.id} text={photo.description} className="text-muted" />}
            <div className="mt-3 mb-2 flex flex-wrap items-center gap-2">
              {children}
              <Button asChild size="small">
                <a href={photo.url} download="">
                  <Download aria-hidden /> Download
                </a>
              </Button>
            </div>
            <Tabs value={tab} onValueChange={setTab} label="About this photo" tabs={TABS}>
              <TabPanel value="info">
                <PhotoInfo photo={photo} />
                {showMap && photo.latitude !== null && <PublicMiniMap shareCode={shareCode} id={photo.id} />}
              </TabPanel>
              <TabPanel value="metadata">
                <PhotoMetadata shareCode={shareCode} id={photo.id} />
              </TabPanel>
            </Tabs>
            <p className="mt-6 text-sm text-muted">
              <UploadTime at={photo.createdAt} />
            </p>
          </div>
          <ToastHost />
        </Dialog.Content>
      </Dialog.Portal>
    </Dialog.Root>
  )
}

/** Focuses the viewer itself, so that its keys work at once. */
function focusViewer(event: Event): void {
  event.preventDefault()
  ;(event.currentTarget as HTMLElement).focus()
}
