import { useQuery } from '@tanstack/react-query'
import { FileUp, Minus, Plus } from 'lucide-react'
import { type KeyboardEvent, type ReactNode, useId, useMemo, useRef, useState } from 'react'
import type { Photo } from '../../api/types.ts'
import { lazyComponent } from '../../components/lazy.tsx'
import { Button, IconButton } from '../../components/ui/button.tsx'
import { Dialog } from '../../components/ui/dialog.tsx'
import { QueryFailure } from '../../components/ui/empty-state.tsx'
import { AlertText, Field, Input, Radio, Select } from '../../components/ui/field.tsx'
import { Progress, Skeleton } from '../../components/ui/loading.tsx'
import { useFileDrop } from '../../lib/files.ts'
import { countOf, formatCameraDate, formatNumber } from '../../lib/format.ts'
import { positionOf } from '../../lib/geography.ts'
import { usePlacing } from '../browser/use-placing.ts'
import { type Fix, readTracks, TrackError } from './gpx.ts'
import {
  deviceZone,
  formatCorrection,
  formatZone,
  guessZone,
  needsZone,
  parseCorrection,
  placeByTime,
  sortOut,
  ZONES,
} from './place-by-time.ts'

/** Their points are drawn and their positions sent in a moment. */
const MAX_PHOTOS = 2000
const MAP = 'h-64 md:h-full md:min-h-80 rounded-md ring ring-line'
const PlacingMap = lazyComponent(() => import('../../map/placing-map.tsx').then((code) => code.PlacingMap), {
  Loading: () => <Skeleton className={MAP} />,
  failure: 'The map could not be loaded',
})

/** The photos that a track is to place. */
export interface PhotosToPlace {
  count: number
  /** The same in words, as '12 photos'. */
  amount: string
  /** What to do when they are too many. */
  fewer: ReactNode
  read: () => Promise<Photo[]>
}

interface TrackDialogProps {
  photos: PhotosToPlace
  dropped: File[]
  onClose: () => void
}

/** Places photos by the times of a recorded track: says what it would do, and does it when the user confirms. */
export function TrackDialog({ photos: asked, dropped, onClose }: TrackDialogProps) {
  const key = useId()
  const photos = useQuery({
    queryKey: ['photos-to-place', key],
    queryFn: asked.read,
    enabled: asked.count <= MAX_PHOTOS,
    gcTime: 0,
  })
  const isTooMany = (photos.data?.length ?? asked.count) > MAX_PHOTOS
  const { track, files, choose } = useTrack(dropped, !isTooMany)
  const preview = usePreview(photos.data, track.data)
  const { placed } = preview
  const { place, running } = usePlacing()
  const isPlacing = running !== null
  useFileDrop({ target: document, accepts: () => !isPlacing, onDrop: (data) => choose([...data.files]) })
  const isReady = !isTooMany && photos.data !== undefined && track.data !== undefined

  function content() {
    if (isTooMany)
      return (
        <p>
          {`A track places up to ${formatNumber(MAX_PHOTOS)} photos at once. `}
          {asked.fewer}
        </p>
      )
    if (photos.error) return <QueryFailure query={photos} title="The photos could not be read" />
    if (files.length === 0 || track.error) return <TrackChoice error={track.error} onChoose={choose} />
    if (!isReady) return <Skeleton className="h-64 rounded-md" />
    return <Preview {...preview} fixes={track.data} total={photos.data.length} disabled={isPlacing} />
  }

  return (
    <Dialog
      open
      onOpenChange={(open) => !open && !isPlacing && onClose()}
      title={`Place ${asked.amount} with a GPX track`}
      description="The track stays in this browser: only the positions of the photos are stored."
      size="large"
      footer={
        <>
          <Button onClick={onClose} disabled={isPlacing}>
            Cancel
          </Button>
          <Button
            variant="primary"
            busy={isPlacing}
            disabled={!isReady || placed.length === 0}
            onClick={() =>
              place({
                positions: placed.map(({ photo: { id }, from, to }) => ({ id, from, position: to })),
                onPlaced: onClose,
              })
            }
          >
            {isReady ? `Place ${countOf(placed.length, 'photo')}` : 'Place photos'}
          </Button>
        </>
      }
    >
      <div className="grid gap-4">
        {content()}
        <div role="status">
          {running && (
            <div className="grid gap-2">
              <p className="text-sm tabular-nums text-muted">
                {`${formatNumber(running.done)} of ${countOf(running.count, 'photo')}`}
              </p>
              <Progress value={(running.done / running.count) * 100} label="Placing photos" />
            </div>
          )}
          {!isTooMany && files.length > 0 && !isReady && !track.error && !photos.error && (
            <span className="sr-only">Reading the track and the photos</span>
          )}
        </div>
      </div>
    </Dialog>
  )
}

/** Reads the chosen files. */
function useTrack(dropped: File[], enabled: boolean) {
  const key = useId()
  const [{ files, version }, setChosen] = useState({ files: dropped, version: 0 })
  const track = useQuery({
    queryKey: ['track', key, version],
    queryFn: () => readTracks(files),
    enabled: enabled && files.length > 0,
    gcTime: 0,
    // Comparing a long track takes longer than reading it.
    structuralSharing: false,
  })
  const choose = (files: File[]) => files.length > 0 && setChosen({ files, version: version + 1 })
  return { track, files, choose }
}

const NO_PHOTOS: Photo[] = []
const NO_FIXES: Fix[] = []

/** What the track would do, with what the user has set. */
function usePreview(photos = NO_PHOTOS, track = NO_FIXES) {
  const without = useMemo(() => photos.filter((photo) => !positionOf(photo)), [photos])
  const [chosenAll, setAll] = useState<boolean | null>(null)
  const isAll = chosenAll ?? without.length === 0
  const chosen = isAll ? photos : without
  const [chosenZone, setZone] = useState<number | null>(null)
  const guessed = useMemo(() => guessZone(chosen, track, deviceZone(chosen)), [chosen, track])
  const zone = chosenZone ?? guessed
  const [correction, setCorrection] = useState(0)
  const sorted = useMemo(
    () => sortOut(placeByTime(chosen, track, { zone, correction })),
    [chosen, track, zone, correction],
  )
  return {
    ...sorted,
    without: without.length,
    ...{ isAll, setAll, setZone, correction, setCorrection },
    /** Null: all photos say theirs. */
    zone: chosen.some(needsZone) ? zone : null,
  }
}

function TrackChoice({ error, onChoose }: { error: unknown; onChoose: (files: File[]) => void }) {
  const input = useRef<HTMLInputElement>(null)
  return (
    <div className="grid justify-items-center gap-3 rounded-md border-2 border-dashed border-line px-4 py-10 text-center">
      {Boolean(error) && (
        <AlertText>
          {error instanceof TrackError ? error.message : 'The file could not be read. Please try again.'}
        </AlertText>
      )}
      <p className="max-w-md text-pretty text-muted">
        A track is a GPX file with times, recorded by a phone, a watch or another drone while the photos were taken.
        Drop it here, or choose it.
      </p>
      <Button data-autofocus onClick={() => input.current?.click()}>
        <FileUp aria-hidden /> Choose a GPX file
      </Button>
      <input
        ref={input}
        type="file"
        multiple
        hidden
        accept=".gpx,application/gpx+xml"
        onChange={({ target }) => {
          onChoose([...(target.files ?? [])])
          target.value = ''
        }}
      />
    </div>
  )
}

interface PreviewProps extends ReturnType<typeof usePreview> {
  fixes: readonly Fix[]
  total: number
  disabled: boolean
}

function Preview(props: PreviewProps) {
  const { placed, others, without, isAll, setAll, zone, setZone, correction, setCorrection, fixes, total, disabled } =
    props
  const name = useId()
  const count = placed.length + others.length
  return (
    <div className="grid gap-4 md:grid-cols-[minmax(0,1fr)_17rem]">
      <PlacingMap
        label={`Track with ${countOf(placed.length, 'photo')}`}
        fixes={fixes}
        placed={placed}
        className={MAP}
      />
      <fieldset disabled={disabled} className="grid content-start gap-4">
        <legend className="sr-only">How the photos are placed</legend>
        <p role="status" className="font-semibold">
          {summaryOf(placed.length, count)}
        </p>
        <div role="radiogroup" aria-label="Photos to place">
          <Radio
            name={name}
            label="Only photos without a position"
            hint={countOf(without, 'photo')}
            checked={!isAll}
            disabled={without === 0}
            onChange={() => setAll(false)}
          />
          <Radio
            name={name}
            label="All these photos"
            hint={`${countOf(total, 'photo')}; positions that they have are replaced`}
            checked={isAll}
            onChange={() => setAll(true)}
          />
        </div>
        {zone !== null && (
          <Field label="Time zone of the camera" hint="For photos without a time zone.">
            {(control) => (
              <Select {...control} value={zone} onChange={({ target }) => setZone(Number(target.value))}>
                {ZONES.map((minutes) => (
                  <option key={minutes} value={minutes}>
                    {formatZone(minutes)}
                  </option>
                ))}
              </Select>
            )}
          </Field>
        )}
        <CorrectionField seconds={correction} onChange={setCorrection} />
      </fieldset>
      {others.length > 0 && <Others others={others} />}
    </div>
  )
}

function summaryOf(placed: number, count: number): string {
  if (count === 0) return 'There are no photos to place.'
  if (count === 1) return `The photo is ${placed === 1 ? '' : 'not '}on the track.`
  if (placed === count) return `All ${countOf(count, 'photo')} are on the track.`
  if (placed === 0) return `None of the ${countOf(count, 'photo')} is on the track.`
  return `${formatNumber(placed)} of ${countOf(count, 'photo')} ${placed === 1 ? 'is' : 'are'} on the track.`
}

const STEPS: Record<string, number> = { ArrowUp: 1, ArrowDown: -1, PageUp: 60, PageDown: -60 }

/** Hours, minutes and seconds that are added to the camera's clock. */
function CorrectionField({ seconds, onChange }: { seconds: number; onChange: (seconds: number) => void }) {
  /** What is being typed; null: the value itself. */
  const [text, setText] = useState<string | null>(null)
  const isValid = text === null || parseCorrection(text) !== null

  function set(value: number): void {
    setText(null)
    onChange(value)
  }

  function step(event: KeyboardEvent): void {
    const by = STEPS[event.key]
    if (by === undefined) return
    event.preventDefault()
    set(seconds + by)
  }

  return (
    <Field
      label="Add to the camera's clock"
      hint="Hours, minutes and seconds: +0:00:30 for a clock that is half a minute slow."
      error={isValid ? undefined : 'Please give hours, minutes and seconds, such as −1:00:00.'}
    >
      {(control) => (
        <div className="flex items-center gap-1">
          <IconButton label="One second less" icon={<Minus />} onClick={() => set(seconds - 1)} />
          <Input
            {...control}
            autoComplete="off"
            className="text-center tabular-nums"
            value={text ?? formatCorrection(seconds)}
            onKeyDown={step}
            onBlur={() => isValid && setText(null)}
            onChange={({ target }) => {
              setText(target.value)
              const value = parseCorrection(target.value)
              if (value !== null) onChange(value)
            }}
          />
          <IconButton label="One second more" icon={<Plus />} onClick={() => set(seconds + 1)} />
        </div>
      )}
    </Field>
  )
}

/** More are counted. */
const SHOWN = 20

function Others({ others }: { others: PreviewProps['others'] }) {
  return (
    <section aria-label="Photos that are not placed" className="text-sm md:col-span-2">
      <h3 className="font-semibold">{`${countOf(others.length, 'photo')} not placed`}</h3>
      <ul className="mt-1 grid gap-1">
        {others.slice(0, SHOWN).map(({ photo, reason }) => (
          <li key={photo.id} className="flex flex-wrap justify-between gap-x-3">
            <span className="wrap-anywhere">{photo.title || photo.originalName}</span>
            <span className="text-muted">
              {[formatCameraDate(photo.dateTaken), reason].filter(Boolean).join(' · ')}
            </span>
          </li>
        ))}
      </ul>
      {others.length > SHOWN && <p className="mt-1 text-muted">{`and ${formatNumber(others.length - SHOWN)} more`}</p>}
    </section>
  )
}
