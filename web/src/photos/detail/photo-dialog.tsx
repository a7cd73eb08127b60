import { useQuery, useQueryClient } from '@tanstack/react-query'
import { Calendar, CloudOff, FileImage, HardDrive, ImageOff, MapPin, Maximize2, TriangleAlert } from 'lucide-react'
import { Dialog } from 'radix-ui'
import { useEffect, useEffectEvent, useId, useRef, useState } from 'react'
import { photoAt, photoQuery } from '../../api/photo-cache.ts'
import { PHOTOS_PER_PAGE, type PhotoList, photoPageQuery } from '../../api/photo-lists.ts'
import { foldersQuery, userQuery } from '../../api/queries.ts'
import type { Folder, Photo } from '../../api/types.ts'
import { lazyComponent } from '../../components/lazy.tsx'
import { isDng } from '../../components/renditions.ts'
import { FormatBadges } from '../../components/ui/badge.tsx'
import { Button } from '../../components/ui/button.tsx'
import { EmptyState } from '../../components/ui/empty-state.tsx'
import { Skeleton, Spinner } from '../../components/ui/loading.tsx'
import { useUnsavedEdits } from '../../components/unsaved-edits.tsx'
import { VisibilitySwitch } from '../../components/visibility.tsx'
import { cx } from '../../lib/cx.ts'
import { formatBytes, formatNumber } from '../../lib/format.ts'
import { formatCircle, type Position } from '../../lib/geography.ts'
import { ApiError, errorMessage } from '../../lib/http.ts'
import { useUrlSearch } from '../../lib/routing.ts'
import { useStore } from '../../lib/store.ts'
import { failureOf, ReprocessButton } from '../cards/photo-card.tsx'
import { badgeFormats, formatOf } from '../formats.ts'
import type { PhotoDialogsState } from '../grid/use-photo-dialogs.ts'
import { usePlaceInList } from '../grid/use-photo-pages.ts'
import { formatDimensions, isPairedRaw } from '../photo-facts.ts'
import { isPrintWizardOpen, usePrinting } from '../printing.ts'
import { usePairing, usePhotoVisibility } from '../use-photo-changes.ts'
import { useSettings } from '../use-settings.ts'
import {
  cameraFacts,
  DateTaken,
  Description,
  DronePanel,
  FactList,
  MiniMap,
  PairedFiles,
  PhotoLocation,
  PictureNote,
  UploadTime,
} from '../viewer/facts.tsx'
import { CloseButton, DETAILS, PhotoFrame, type Stage, useFullScreen } from '../viewer/photo-frame.tsx'
import { PictureViewer } from '../viewer/picture-viewer.tsx'
import { PhotoActions } from './photo-actions.tsx'
import { RankButtons } from './rank-buttons.tsx'

export interface OpenPhotoProps {
  dialogs: PhotoDialogsState
  list: PhotoList
  total: number
  /** The list may be longer. */
  more: boolean
  /** The list index of the photo that is shown. */
  onShown: (index: number) => void
  /** The dialog has closed: the screen moves the focus. */
  onClosed: () => void
}

/** The dialog of the open photo: the picture, its facts and actions; arrow keys show its neighbours in the list. */
export function OpenPhoto({ dialogs, list, total, more, onShown, onClosed }: OpenPhotoProps) {
  const { opened } = dialogs
  const client = useQueryClient()
  const [editing, setEditing] = useState<number | null>(null)
  const [edited, setEdited] = useState(false)
  const unsaved = useUnsavedEdits(edited)
  const id = useHeld(opened.id, edited)
  const place = usePlaceInList(list, total, id)
  const listed = place?.photo
  const alone = useQuery({ ...photoQuery(id ?? 0), enabled: id !== null && !listed })
  // Undefined while it is loading, null if it does not exist (any more).
  const photo = listed ?? (id !== null ? alone.data : undefined)
  // A raw file that has become one of a pair is shown as the pair, but no edit of it is lost.
  const jpegId = photo && isPairedRaw(photo) && !edited ? photo.pairedWith : null
  const showPair = useEffectEvent((id: number) => opened.step({ id }))
  useEffect(() => {
    if (jpegId !== null) showPair(jpegId)
  }, [jpegId])
  const isEditing = editing !== null && editing === photo?.id
  const isOpen = useOpenBelowWizard(id !== null)
  const screen = useFullScreen(isOpen)
  const position = place && `${formatNumber(place.index + 1)} of ${formatNumber(place.of)}${more ? '+' : ''}`

  const index = place?.index
  useEffect(() => {
    if (index !== undefined) onShown(index)
  }, [index, onShown])

  const askAfterBack = useEffectEvent(() => {
    if (!photo) return
    opened.open(photo)
    unsaved.mayDrop(close)
  })
  // The browser's Back closes the photo, but not its unsaved edits.
  const isLeft = id !== opened.id
  useEffect(() => {
    if (isLeft) askAfterBack()
  }, [isLeft])

  function close(): void {
    setEdited(false)
    opened.close()
  }

  function leaveForm(): boolean {
    if (isEditing) unsaved.mayDrop(() => setEditing(null))
    return isEditing
  }

  async function stepTo(target: number): Promise<void> {
    if (!photoAt(client, list, target)) {
      const page = photoPageQuery(list, Math.floor(target / PHOTOS_PER_PAGE))
      // The page may be cached without this photo.
      await client.fetchQuery({ ...page, staleTime: 0 }).catch(() => {})
    }
    const next = photoAt(client, list, target)
    if (next) opened.step(next)
  }

  return (
    <>
      {unsaved.question}
      <PhotoFrame
        open={isOpen}
        screen={screen}
        leavePart={leaveForm}
        onClose={() => unsaved.mayDrop(close)}
        onClosed={(event) => {
          event.preventDefault()
          setEditing(null)
          onClosed()
        }}
        className="z-50"
      >
        {photo ? (
          <PhotoPane
            photo={photo}
            neighbours={place ? [photoAt(client, list, place.index - 1), photoAt(client, list, place.next)] : []}
            position={position}
            dialogs={dialogs}
            screen={screen}
            editing={isEditing}
            onEdit={isEditing ? leaveForm : () => setEditing(photo.id)}
            onDone={() => setEditing(null)}
            onEdited={setEdited}
            onClose={() => unsaved.mayDrop(close)}
            onPrevious={place && place.index > 0 && !isEditing ? () => stepTo(place.index - 1) : undefined}
            onNext={place && place.next < total && !isEditing ? () => stepTo(place.next) : undefined}
            onFirst={place && place.index > 0 && !isEditing ? () => stepTo(0) : undefined}
          />
        ) : (
          <NoPhoto isMissing={photo === null} error={alone.error} onRetry={() => alone.refetch()} onClose={close} />
        )}
      </PhotoFrame>
    </>
  )
}

/** It is loading, could not be loaded, or does not exist. */
function NoPhoto(props: { isMissing: boolean; error: unknown; onRetry: () => void; onClose: () => void }) {
  const { error, onRetry, onClose } = props
  const missing = props.isMissing && !error
  return (
    <div className="grid flex-1 place-content-center">
      <CloseButton className="absolute top-3 right-3" />
      <Dialog.Title className="sr-only">{missing ? 'Photo not found' : 'Photo'}</Dialog.Title>
      {error ? (
        <OutageNotice error={error} onRetry={onRetry} />
      ) : (
        !missing && <Spinner label="Loading" className="text-2xl" />
      )}
      {missing && (
        <EmptyState
          icon={<ImageOff />}
          title="Photo not found"
          description="It may have been deleted, or it belongs to somebody else."
          action={<Button onClick={onClose}>Close</Button>}
        />
      )}
    </div>
  )
}

/** The last value from before it was held. */
function useHeld<T>(value: T, held: boolean): T {
  const last = useRef(value)
  if (!held) last.current = value
  return last.current
}

/** A dialog that opens later is on top of the others: below an open print wizard the photo waits until it has closed. */
function useOpenBelowWizard(wanted: boolean): boolean {
  const isCovered = useStore(isPrintWizardOpen)
  const wasOpen = useRef(false)
  wasOpen.current = wanted && (wasOpen.current || !isCovered)
  return wasOpen.current
}

// Loaded on demand with its validation: most users only look at photos.
const EditForm = lazyComponent(() => import('./edit-form.tsx').then((code) => code.EditForm), {
  Loading: () => <Skeleton className="h-96 rounded-md" />,
  failure: 'The form could not be loaded',
})

interface PhotoPaneProps extends Pick<Stage, 'screen' | 'onPrevious' | 'onNext' | 'onFirst'> {
  photo: Photo
  neighbours: readonly (Photo | undefined)[]
  position: string | null
  dialogs: PhotoDialogsState
  editing: boolean
  /** Opens the form, or leaves it after a question. */
  onEdit: () => void
  onDone: () => void
  onEdited: (edited: boolean) => void
  onClose: () => void
}

/** The two halves of the dialog: the picture and the facts, stacked on narrow screens. */
function PhotoPane(props: PhotoPaneProps) {
  const { photo, position, dialogs, screen, editing, onEdit } = props
  const user = useQuery(userQuery).data
  const folders = useQuery(foldersQuery).data
  const folder = folders?.find(({ id }) => id === photo.folderId) ?? null
  const own = user?.id === photo.userId
  const service = useServiceCheck(photo.id)
  const editButton = useFocusAfter(editing)
  const title = photo.title || 'Untitled Photo'
  return (
    <div className="flex min-h-0 flex-1 flex-col beside:flex-row">
      <PictureViewer
        {...props}
        key={service.attempts}
        loadPanorama={async () => photo.metadata?.panorama}
        caption={position ? `${position} · ${title}` : title}
        onError={service.check}
        missing={{
          text: isDng(photo) ? 'DNG files cannot be displayed' : 'Image could not be loaded',
          detail: isDng(photo) ? null : photo.originalName,
          downloadLabel: 'Download',
          downloadName: photo.originalName,
        }}
      />
      <div className={cx(DETAILS, screen.full && 'hidden')}>
        <div className="flex shrink-0 items-center justify-between gap-1 border-b border-line px-2 py-1 sm:px-4 sm:py-2">
          <PhotoActions
            {...props}
            folder={folder}
            own={own}
            deletable={own || user?.isAdmin === true}
            editButton={editButton}
          />
          <div className="hidden beside:block">
            <CloseButton className="pointer-coarse:size-11" />
          </div>
        </div>
        <div className="min-h-0 flex-1 overflow-y-auto overscroll-contain px-4 pt-3 pb-[max(20px,env(safe-area-inset-bottom))] sm:px-6">
          {service.error !== null && (
            <div className="mb-4">
              <OutageNotice error={service.error} onRetry={service.retry} />
            </div>
          )}
          <header aria-live="polite" aria-atomic>
            <p className="flex min-h-6 items-center gap-2 text-sm text-muted">
              <span>{position}</span>
              <FormatBadges formats={badgeFormats(photo)} />
            </p>
            <Dialog.Title className="mt-1 text-xl font-semibold wrap-anywhere">{title}</Dialog.Title>
          </header>
          {editing ? (
            <div className="mt-4">
              <EditForm {...props} key={photo.id} onCancel={onEdit} />
            </div>
          ) : (
            <>
              {photo.description && <Description key={photo.id} text={photo.description} />}
              <div className="mt-4 grid grid-cols-1 gap-4 border-b border-line pb-5">
                {own && <PhotoPlace photo={photo} folder={folder} onMove={() => dialogs.setMoving(photo)} />}
                {own && <RankButtons photo={photo} />}
                <PrintingNotice />
              </div>
              <div className="pt-5">
                <PhotoDetails photo={photo} own={own} />
              </div>
            </>
          )}
        </div>
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

/** True without a response, and for a response of an unavailable service. */
function isOutage(error: unknown): boolean {
  return error instanceof ApiError && (error.status === 0 || error.status >= 500)
}

function OutageNotice({ error, onRetry }: { error: unknown; onRetry: () => void }) {
  return (
    <div role="alert" className="flex flex-wrap items-center gap-3 rounded-md bg-warn-soft px-4 py-3">
      <CloudOff aria-hidden className="size-5 shrink-0 text-warn" />
      <div className="min-w-40 flex-1">
        <p className="font-semibold text-warn">
          {isOutage(error) ? 'Service unavailable' : 'The photo could not be loaded'}
        </p>
        <p className="text-sm">{errorMessage(error)}</p>
      </div>
      <Button size="small" onClick={onRetry}>
        Try again
      </Button>
    </div>
  )
}

function PrintingNotice() {
  const { reason } = usePrinting()
  if (reason === null) return null
  return (
    <p className="flex items-start gap-3 rounded-md bg-warn-soft px-4 py-3">
      <CloudOff aria-hidden className="mt-0.5 size-5 shrink-0 text-warn" />
      <span>
        <strong className="block font-semibold text-warn">Service unavailable</strong>
        <span className="block text-sm">{reason}</span>
      </span>
    </p>
  )
}

/** Where the user's own photo is, and who sees it: both can be changed. */
function PhotoPlace({ photo, folder, onMove }: { photo: Photo; folder: Folder | null; onMove: () => void }) {
  const id = useId()
  const { isPublic, explanation, setPublic } = usePhotoVisibility(photo, folder)
  return (
    <div className="grid grid-cols-1 gap-3">
      <div className="flex items-center justify-between gap-3">
        <div className="min-w-0">
          <p className="font-semibold">Folder</p>
          <p id={id} className="truncate text-sm text-muted">
            {folder?.name ?? 'In no folder'}
          </p>
        </div>
        <Button size="small" aria-describedby={id} onClick={onMove}>
          Choose folder
        </Button>
      </div>
      <VisibilitySwitch isPublic={isPublic} explanation={explanation} onChange={setPublic} />
    </div>
  )
}

/** The files of a pair, which their owner can separate. */
function OwnFiles(props: { photo: Photo; raw: NonNullable<Photo['raw']>; own: boolean }) {
  const { photo, raw, own } = props
  const { mutate, isPending } = usePairing()
  return (
    <>
      <PairedFiles photo={photo} raw={raw} />
      {own && (
        <Button
          size="small"
          className="mt-2"
          title="Makes the raw file a photo of its own"
          aria-busy={isPending}
          onClick={() => isPending || mutate({ id: photo.id, rawId: raw.id, paired: false })}
        >
          Separate
        </Button>
      )}
    </>
  )
}

const NEAR_METRES = 500

function PhotoDetails({ photo, own }: { photo: Photo; own: boolean }) {
  const { units } = useSettings()
  const [, setSearch] = useUrlSearch()

  /** Closes the photo and shows the list around its position. */
  function showNear(position: Position): void {
    setSearch(
      (now) => {
        now.delete('photo')
        now.delete('area')
        now.set('near', formatCircle({ ...position, metres: NEAR_METRES }))
        return now
      },
      { replace: false },
    )
  }

  return (
    <>
      {photo.status === 'failed' && (
        <div className="mb-4 flex flex-wrap items-center gap-x-3 gap-y-2 rounded-md bg-danger-soft px-3 py-2">
          <TriangleAlert aria-hidden className="size-4 shrink-0 text-danger" />
          <p className="min-w-40 flex-1 text-danger">{failureOf(photo)}</p>
          {own && <ReprocessButton photo={photo} />}
        </div>
      )}
      {photo.status === 'ready' && <PictureNote message={photo.statusMessage} className="mb-4" />}
      <FactList
        facts={[
          [Calendar, 'Date Taken', photo.dateTaken && <DateTaken key="date" {...photo} />],
          [MapPin, 'Location', photo.status === 'processing' ? null : <PhotoLocation key="location" photo={photo} />],
          ...cameraFacts(photo, units),
          [Maximize2, 'Dimensions', photo.raw ? null : formatDimensions(photo, photo.metadata)],
          [FileImage, 'File name', photo.originalName],
          [HardDrive, 'File size', photo.raw ? null : `${formatBytes(photo.filesize)} · ${formatOf(photo)}`],
          [HardDrive, 'Files', photo.raw && <OwnFiles key="files" photo={photo} raw={photo.raw} own={own} />],
        ]}
      />
      <div className="mt-5">
        <DronePanel metadata={photo.metadata} />
      </div>
      {photo.latitude !== null && (
        <div className="mt-5">
          <MiniMap photo={photo} onNear={own ? showNear : undefined} />
        </div>
      )}
      <p className="mt-5 text-sm text-muted">
        <UploadTime at={photo.createdAt} />
      </p>
    </>
  )
}
