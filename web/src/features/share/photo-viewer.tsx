import { useQuery, useQueryClient } from '@tanstack/react-query'
import { Calendar, HardDrive, MapPin, Maximize2 } from 'lucide-react'
import { Dialog } from 'radix-ui'
import { type ReactNode, useState } from 'react'
import { sharedPhotoQuery } from '../../api/queries.ts'
import type { PublicFolder, PublicPhoto } from '../../api/types.ts'
import { FormatBadges } from '../../components/ui/badge.tsx'
import { useFocusReturn } from '../../components/ui/dialog.tsx'
import { QueryFailure } from '../../components/ui/empty-state.tsx'
import { Skeleton } from '../../components/ui/loading.tsx'
import { TabPanel, Tabs } from '../../components/ui/tabs.tsx'
import { VisibilityBadge } from '../../components/visibility.tsx'
import { cx } from '../../lib/cx.ts'
import { formatBytes, formatCameraDate } from '../../lib/format.ts'
import { badgeFormats, formatOf } from '../../photos/formats.ts'
import { formatDimensions } from '../../photos/photo-facts.ts'
import { useSettings } from '../../photos/use-settings.ts'
import {
  cameraFacts,
  DateTaken,
  Description,
  DronePanel,
  type Fact,
  FactList,
  isKnown,
  MiniMap,
  PairedFiles,
  PhotoLocation,
  PictureNote,
  UploadTime,
} from '../../photos/viewer/facts.tsx'
import { CloseButton, DETAILS, PhotoFrame, useFullScreen } from '../../photos/viewer/photo-frame.tsx'
import { PictureViewer } from '../../photos/viewer/picture-viewer.tsx'
import { downloadSizes } from './link-rules.ts'
import { PhotoDownloads } from './photo-downloads.tsx'

const TABS = [
  { value: 'info', label: 'Info' },
  { value: 'metadata', label: 'Metadata' },
]

interface PhotoViewerProps {
  shareCode: string
  photos: PublicPhoto[]
  photo: PublicPhoto
  folder: PublicFolder
  onShow: (photo: PublicPhoto) => void
  onClose: () => void
  /** The viewer has closed at another photo than it was opened for: moves the focus to its card. */
  onReturn: (photo: PublicPhoto) => void
  onPictureError: () => void
  /** The photo's rank menu, where visitors vote. */
  children?: ReactNode
}

/** The photo viewer of the public screens: one photo in the whole window, with its details. */
export function PhotoViewer(props: PhotoViewerProps) {
  const { shareCode, photos, photo, folder, onShow, onClose, onReturn, onPictureError, children } = props
  const { showPlaces, showCamera } = folder
  const [tab, setTab] = useState('info')
  const index = photos.findIndex(({ id }) => id === photo.id)
  const stepTo = (target: PublicPhoto | undefined) => target && (() => onShow(target))
  const title = photo.title || 'Untitled'
  const returnFocus = useFocusReturn(true)
  const [firstId] = useState(photo.id)
  const screen = useFullScreen(true)
  const client = useQueryClient()
  return (
    <PhotoFrame
      open
      screen={screen}
      onClose={onClose}
      onClosed={(event) => {
        returnFocus(event)
        if (photo.id !== firstId || document.activeElement?.id === 'main') onReturn(photo)
      }}
      className="z-40 beside:flex-row"
    >
      <PictureViewer
        photo={photo}
        neighbours={[photos[index - 1], photos[index + 1]]}
        loadPanorama={async () => (await client.fetchQuery(sharedPhotoQuery(shareCode, photo.id))).metadata?.panorama}
        screen={screen}
        caption={`${index + 1} of ${photos.length} · ${title}`}
        onPrevious={stepTo(photos[index - 1])}
        onNext={stepTo(photos[index + 1])}
        onFirst={index > 0 ? stepTo(photos[0]) : undefined}
        onError={onPictureError}
        onClose={onClose}
        withoutOriginal={!downloadSizes(folder, photo).includes('original')}
        missing={{ text: 'preview not available', downloadLabel: 'Download Original File', downloadName: '' }}
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
            <span>{`${index + 1} of ${photos.length}`}</span>
            <FormatBadges formats={badgeFormats(photo)} />
            {photo.isPublic && <VisibilityBadge isPublic />}
          </p>
          <Dialog.Title className="mt-1 text-xl font-semibold wrap-anywhere">{title}</Dialog.Title>
        </div>
        {photo.description && <Description key={photo.id} text={photo.description} className="text-muted" />}
        {photo.status === 'ready' && <PictureNote message={photo.statusMessage} className="mt-3" />}
        <div className="mt-3 mb-2 flex flex-wrap items-center gap-2">
          {children}
          <PhotoDownloads folder={folder} photo={photo} />
        </div>
        {showPlaces || showCamera ? (
          <Tabs value={tab} onValueChange={setTab} label="About this photo" tabs={TABS}>
            <TabPanel value="info">
              <PhotoInfo {...props} />
            </TabPanel>
            <TabPanel value="metadata">
              <PhotoMetadata shareCode={shareCode} folder={folder} id={photo.id} />
            </TabPanel>
          </Tabs>
        ) : (
          <div className="mt-4">
            <PhotoInfo {...props} />
          </div>
        )}
        <p className="mt-6 text-sm text-muted">
          <UploadTime at={photo.createdAt} />
        </p>
      </div>
    </PhotoFrame>
  )
}

function PhotoInfo({ shareCode, folder: { showPlaces, showMap }, photo }: PhotoViewerProps) {
  return (
    <>
      <FactList
        facts={[
          [MapPin, 'Location', showPlaces && <PhotoLocation key="location" photo={photo} />],
          [Calendar, 'Date Taken', formatCameraDate(photo.dateTaken)],
          [HardDrive, 'Files', photo.raw && <PairedFiles key="files" photo={photo} raw={photo.raw} />],
          [HardDrive, 'File info', photo.raw ? null : `${formatOf(photo)} · ${formatBytes(photo.filesize)}`],
          [Maximize2, 'Dimensions', photo.raw ? null : formatDimensions(photo, null)],
        ]}
      />
      {showMap && photo.latitude !== null && <PublicMiniMap shareCode={shareCode} id={photo.id} />}
    </>
  )
}

interface PhotoMetadataProps extends Pick<PhotoViewerProps, 'shareCode' | 'folder'> {
  id: number
}

/** The camera metadata of a public photo that visitors may see. */
function PhotoMetadata({ shareCode, folder, id }: PhotoMetadataProps) {
  const { data: photo, error, refetch } = useQuery(sharedPhotoQuery(shareCode, id))
  const { units } = useSettings()
  if (!photo && error) return <QueryFailure query={{ error, refetch }} title="Metadata could not be loaded" />
  if (!photo) {
    return (
      <div role="status">
        <span className="sr-only">Loading metadata</span>
        <Skeleton className="h-40 rounded-md" />
      </div>
    )
  }
  const { metadata, dateTaken, altitude } = photo
  // What was read before the owner hid it is not shown either. Where the drone was and looked tells the place.
  const { showPlaces, showCamera } = folder
  const shown = { metadata: showCamera ? metadata : null, altitude: showPlaces ? altitude : null }
  const flight = showPlaces ? metadata : null
  const date = metadata && dateTaken && <DateTaken key="date" {...photo} />
  const facts: Fact[] = [[Calendar, 'Date Taken', date], ...cameraFacts(shown, units)]
  if (!facts.some(isKnown) && !flight?.drone && flight?.heading === undefined)
    return <p className="py-6 text-center text-muted">No metadata available</p>
  return (
    <div className="grid gap-4">
      <DronePanel metadata={flight} />
      <FactList facts={facts} />
    </div>
  )
}

/** The small map of a public photo, with what its public metadata tells about the camera. */
function PublicMiniMap({ shareCode, id }: { shareCode: string; id: number }) {
  const { data: photo, isError } = useQuery(sharedPhotoQuery(shareCode, id))
  if (isError || photo?.latitude === null) return null
  return <div className="mt-5">{photo ? <MiniMap photo={photo} /> : <Skeleton className="h-52 rounded-md" />}</div>
}
