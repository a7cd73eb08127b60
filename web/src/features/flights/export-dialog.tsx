import { useMutation, useQuery } from '@tanstack/react-query'
import { useEffect, useId, useMemo, useRef, useState } from 'react'
import { readFlightPhotos } from '../../api/flights.ts'
import type { Flight } from '../../api/types.ts'
import { Button } from '../../components/ui/button.tsx'
import { Dialog } from '../../components/ui/dialog.tsx'
import { QueryFailure } from '../../components/ui/empty-state.tsx'
import { AlertText } from '../../components/ui/field.tsx'
import { Progress, Skeleton } from '../../components/ui/loading.tsx'
import { saveFile } from '../../lib/files.ts'
import { countOf, formatNumber } from '../../lib/format.ts'
import { errorMessage } from '../../lib/http.ts'
import { type ExportPlan, exportPictures, type PictureFormat, planExport } from './export-pictures.ts'
import { folderNameOf } from './flight-texts.ts'

const TEXTS: Record<PictureFormat, { title: string; description: string; extension: string }> = {
  kmz: {
    title: 'KMZ with pictures',
    description: 'One file for Google Earth, with the photos on the ground.',
    extension: 'kmz',
  },
  'world-files': {
    title: 'JPEG with world files',
    description:
      'One ZIP archive with the photos that look straight down, each with its place and size on the ground (EPSG:3857).',
    extension: 'zip',
  },
}

interface ExportDialogProps {
  flight: Flight
  format: PictureFormat
  onClose: () => void
}

/** Says what a file with the pictures of a flight will have, and makes it. */
export function ExportDialog({ flight, format, onClose }: ExportDialogProps) {
  const { title, description } = TEXTS[format]
  const key = useId()
  const photos = useQuery({
    queryKey: ['flight-export', key],
    queryFn: ({ signal }) => readFlightPhotos(flight.id, signal),
    gcTime: 0,
  })
  const plan = useMemo(() => photos.data && planExport(format, photos.data), [format, photos.data])
  const { start, done, missing, error, isStarted, isRunning } = useExport(flight, plan)
  const count = plan?.photos.length ?? 0
  return (
    <Dialog
      open
      onOpenChange={(open) => !open && onClose()}
      title={title}
      description={description}
      footer={
        missing ? (
          <Button variant="primary" onClick={onClose}>
            Close
          </Button>
        ) : (
          <>
            <Button onClick={onClose}>Cancel</Button>
            <Button variant="primary" busy={isRunning} disabled={count === 0} onClick={start}>
              {error ? 'Try again' : 'Export'}
            </Button>
          </>
        )
      }
    >
      <div className="grid gap-4">
        {photos.isPending && <Skeleton className="h-6 rounded-md" />}
        {photos.error && <QueryFailure query={photos} title="The photos could not be read" />}
        {plan && <PlanText plan={plan} total={flight.photoCount} />}
        <div role="status" className="empty:hidden">
          {isStarted && (
            <div className="grid gap-2">
              <p className="text-sm tabular-nums text-muted">{`${formatNumber(done)} of ${countOf(count, 'picture')}`}</p>
              <Progress value={(done / count) * 100} label="Making the pictures" />
            </div>
          )}
          {missing && <p className="font-semibold">Your browser saves the file.</p>}
        </div>
        {missing && missing.length > 0 && (
          <AlertText>{`Left out, because they could not be loaded: ${missing.join(', ')}`}</AlertText>
        )}
        {Boolean(error) && <AlertText>{errorMessage(error)}</AlertText>}
      </div>
    </Dialog>
  )
}

function PlanText({ plan: { photos, leftOut, isReduced }, total }: { plan: ExportPlan; total: number }) {
  return (
    <div className="grid gap-2">
      <p className="font-semibold">
        {photos.length === 0
          ? 'No photo of this flight can be exported in this format.'
          : `${formatNumber(photos.length)} of ${countOf(total, 'photo')}`}
      </p>
      {leftOut.size > 0 && (
        <ul aria-label="Left out" className="grid gap-1 text-sm text-muted">
          {[...leftOut].map(([reason, count]) => (
            <li key={reason}>{`${countOf(count, 'photo is', 'photos are')} left out: ${reason}.`}</li>
          ))}
        </ul>
      )}
      {isReduced && (
        <p className="text-sm text-muted">
          The originals are too large for one file: the pictures have up to 2,048 pixels.
        </p>
      )}
    </div>
  )
}

/** Makes the file and saves it; returns the titles of photos whose pictures could not be loaded. */
function useExport(flight: Flight, plan: ExportPlan | undefined) {
  const [done, setDone] = useState(0)
  const [failure, setFailure] = useState<{ error: unknown; retry: () => void } | null>(null)
  const running = useRef<AbortController>(undefined)
  useEffect(() => () => running.current?.abort(), [])
  const make = useMutation({
    mutationFn: async (plan: ExportPlan) => {
      running.current = new AbortController()
      const { signal } = running.current
      const title = folderNameOf(flight)
      const missing: string[] = []
      setDone(0)
      const file = await exportPictures({
        ...{ plan, title, signal },
        onMade: () => setDone((count) => count + 1),
        onMissing: (photo) => missing.push(photo.title || 'Untitled'),
        onFailure: (error) => new Promise<void>((retry) => setFailure({ error, retry })),
      })
      signal.throwIfAborted()
      saveFile(file, `${title}.${TEXTS[plan.format].extension}`)
      return missing
    },
  })

  /** Goes on where a picture could not be loaded. */
  function start(): void {
    setFailure(null)
    if (failure) failure.retry()
    else if (plan) make.mutate(plan)
  }

  return {
    start,
    done,
    missing: make.data,
    error: failure?.error ?? make.error,
    isStarted: make.isPending,
    isRunning: make.isPending && !failure,
  }
}
