import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { ChevronRight, ScanSearch, Trash2 } from 'lucide-react'
import { type ReactNode, useState } from 'react'
import { api } from '../../api/client.ts'
import { isProcessing, metadataPhotosQuery } from '../../api/metadata-photos.ts'
import type { MetadataPhoto } from '../../api/types.ts'
import { PhotoImage } from '../../components/photo-image.tsx'
import { Button } from '../../components/ui/button.tsx'
import { ConfirmDialog } from '../../components/ui/confirm-dialog.tsx'
import { EmptyState, Loaded, LoadingState } from '../../components/ui/empty-state.tsx'
import { Skeleton } from '../../components/ui/loading.tsx'
import { toast } from '../../components/ui/toast.tsx'
import { altText, countOf, formatCameraDate, formatCoordinates, formatPlace } from '../../lib/format.ts'
import { errorMessage } from '../../lib/http.ts'
import { DetailsDialog } from './details-dialog.tsx'

/** The analysed photos, newest first; each opens to its full metadata. */
export function AnalysisList() {
  const query = useQuery(metadataPhotosQuery)
  const photos = query.data
  const waiting = photos?.filter(isProcessing).length ?? 0
  return (
    <section aria-labelledby="analysis" className="min-w-0">
      <div className="mb-2 flex min-h-11 flex-wrap items-center justify-between gap-x-4 gap-y-2 sm:min-h-10">
        <h2 id="analysis" className="text-lg font-semibold sm:text-xl">
          Recent Metadata Analysis
        </h2>
        {photos && photos.length > 0 && <ClearAll count={photos.length} />}
      </div>
      <p role="status" className="sr-only">
        {photos && `${countOf(photos.length, 'photo')}${waiting > 0 ? `, ${waiting} processing` : ''}`}
      </p>
      <Loaded query={query} loading={<ItemsSkeleton />} failure="Photos could not be loaded">
        {(loaded) => <Items photos={loaded} />}
      </Loaded>
    </section>
  )
}

function Items({ photos }: { photos: readonly MetadataPhoto[] }) {
  const [opened, setOpened] = useState<MetadataPhoto | null>(null)
  if (photos.length === 0) {
    const description = 'Upload a photo above to see its metadata analysis'
    return <EmptyState icon={<ScanSearch />} title="No photos uploaded yet" description={description} />
  }
  return (
    <>
      <ul className="grid">
        {photos.map((photo) => (
          <li
            key={photo.id}
            className="border-t border-line [contain-intrinsic-size:auto_160px] [content-visibility:auto]"
          >
            <AnalysisItem photo={photo} onOpen={() => setOpened(photo)} />
          </li>
        ))}
      </ul>
      {opened && <DetailsDialog photo={opened} onClose={() => setOpened(null)} />}
    </>
  )
}

/** A photo with the place and time it was taken; a click anywhere on it opens it. */
function AnalysisItem({ photo, onOpen }: { photo: MetadataPhoto; onOpen: () => void }) {
  const processing = isProcessing(photo)
  return (
    <article className="group relative -mx-2 flex gap-4 rounded-md px-2 py-4 transition hover:bg-sunken/60">
      <PhotoImage
        src={photo.thumbnailUrl}
        alt={altText({ ...photo, title: photo.originalName })}
        thumbhash={null}
        pending={processing ? 'Processing' : undefined}
        className="aspect-3/2 w-24 shrink-0 self-start rounded-md sm:w-44"
      />
      <div className="min-w-0 flex-1">
        <h3 className="font-semibold">
          <button
            type="button"
            aria-haspopup="dialog"
            onClick={onOpen}
            className="text-left wrap-anywhere after:absolute after:inset-0 after:rounded-md focus-visible:outline-none focus-visible:after:outline-2 focus-visible:after:-outline-offset-2 focus-visible:after:outline-accent"
          >
            {photo.originalName}
          </button>
        </h3>
        {photo.status === 'failed' && (
          <p className="text-sm text-danger">{photo.statusMessage ?? 'The photo could not be processed.'}</p>
        )}
        {processing ? <p className="mt-1 text-muted">{'Reading the metadata\u2026'}</p> : <Facts photo={photo} />}
      </div>
      <ChevronRight aria-hidden className="size-5 shrink-0 self-center text-muted" />
    </article>
  )
}

function Facts({ photo }: { photo: MetadataPhoto }) {
  const coordinates = formatCoordinates(photo.latitude, photo.longitude)
  const place = formatPlace(photo)
  const date = describeDateTaken(photo.dateTaken)
  return (
    <dl className="mt-1.5 grid gap-x-6 gap-y-2 md:grid-cols-2">
      <Fact label="Coordinates" known={coordinates !== null}>
        {coordinates ? <span className="font-mono text-sm">{coordinates}</span> : 'No GPS data'}
      </Fact>
      <Fact label="Location" known={place !== null}>
        {place ?? 'Location unknown'}
      </Fact>
      <Fact label="Date Taken (from camera)" known={date.known}>
        <span>{date.text}</span>
        {date.known && <span className="block text-sm text-muted">Date from camera's EXIF data</span>}
      </Fact>
    </dl>
  )
}

function Fact({ label, known, children }: { label: string; known: boolean; children: ReactNode }) {
  return (
    <div className="min-w-0 last:md:col-span-2">
      <dt className="text-sm text-muted">{label}</dt>
      <dd className={known ? 'wrap-anywhere' : 'text-muted'}>{children}</dd>
    </div>
  )
}

function ClearAll({ count }: { count: number }) {
  const [confirming, setConfirming] = useState(false)
  const client = useQueryClient()
  const clear = useMutation({
    mutationFn: () => api('delete', '/api/photos/metadata', {}),
    onSuccess: async () => {
      toast({ title: 'Success', description: 'All metadata photos have been cleared' })
      // A photo uploaded meanwhile is not cleared. Cached single photos are removed.
      const { queryKey } = metadataPhotosQuery
      await client.invalidateQueries({ queryKey, exact: true })
      client.removeQueries({ queryKey, predicate: (query) => query.queryKey.length > 1 })
    },
    onError: (error) =>
      toast({
        title: 'Error',
        description: errorMessage(error, 'Failed to clear metadata photos'),
        tone: 'danger',
        action: { label: 'Retry', onSelect: () => clear.mutate() },
      }),
  })
  const photos = count === 1 ? 'this photo' : `these ${countOf(count, 'photo')}`
  return (
    <>
      <Button onClick={() => setConfirming(true)}>
        <Trash2 aria-hidden /> Clear All
      </Button>
      <ConfirmDialog
        open={confirming}
        onOpenChange={setConfirming}
        title="Clear All"
        description={`Are you sure you want to delete ${photos} and the metadata? This action cannot be undone. Your gallery stays as it is.`}
        confirmLabel="Clear All"
        danger
        busy={clear.isPending}
        onConfirm={() => clear.mutate(undefined, { onSettled: () => setConfirming(false) })}
      />
    </>
  )
}

function ItemsSkeleton() {
  return (
    <LoadingState label="Loading photos">
      {[1, 2, 3].map((shape) => (
        <div key={shape} className="flex gap-4 border-t border-line py-4">
          <Skeleton className="aspect-3/2 w-24 shrink-0 rounded-md sm:w-44" />
          <div className="grid flex-1 content-start gap-3">
            <Skeleton className="h-4 w-2/5" />
            <Skeleton className="h-3 w-3/5" />
            <Skeleton className="h-3 w-1/2" />
          </div>
        </div>
      ))}
    </LoadingState>
  )
}

/** 'May 4, 2024 at 3:04 PM', or why there is no date: it is missing, invalid, or not in ISO 8601. */
export function describeDateTaken(iso: string | null): { text: string; known: boolean } {
  if (!iso) return { text: 'No EXIF date', known: false }
  if (Number.isNaN(Date.parse(iso)) || !isOnCalendar(iso)) return { text: 'Invalid date', known: false }
  const text = formatCameraDate(iso)
  return text === null ? { text: 'Date format error', known: false } : { text, known: true }
}

/** Browsers turn February 30 into March 2. */
function isOnCalendar(iso: string): boolean {
  const day = /^\d{4}-\d\d-\d\d/.exec(iso)?.[0]
  return day === undefined || new Date(`${day}T00:00Z`).toISOString().startsWith(day)
}
