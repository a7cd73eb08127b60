import { useQuery, useQueryClient } from '@tanstack/react-query'
import { CircleCheck, History, MapPin, X } from 'lucide-react'
import { type RefObject, useEffect, useEffectEvent, useId, useMemo, useRef, useState } from 'react'
import { createPortal } from 'react-dom'
import { keyOfList, type PhotoList } from '../../api/photo-lists.ts'
import { MAX_PLACED_BEFORE, type PlacedBefore, placedBeforeQuery } from '../../api/photo-map.ts'
import type { Photo, PhotoPosition } from '../../api/types.ts'
import { PhotoImage } from '../../components/photo-image.tsx'
import { Button, IconButton } from '../../components/ui/button.tsx'
import { toast, toastFailure } from '../../components/ui/toast.tsx'
import { cx } from '../../lib/cx.ts'
import { countOf, formatNumber } from '../../lib/format.ts'
import { type Position, positionOf } from '../../lib/geography.ts'
import type { PositionAt } from '../../map/map-overlays.tsx'
import { isPairedRaw } from '../photo-facts.ts'
import { type FoundPlace, PlaceField } from '../place-field.tsx'
import { useSelection } from './selection.ts'
import { UnplacedStrip } from './unplaced-strip.tsx'
import { type PhotoDrag, usePhotoDrag } from './use-photo-drag.ts'
import { usePlacing } from './use-placing.ts'

/** The photos of a list that have no position, their selection, and where on the map it is to go. */
export function useUnplaced(list: PhotoList, count: number) {
  const unplaced = useMemo(() => ({ ...list, filter: { ...list.filter, position: 'none' } }), [list])
  const selected = useSelection(unplaced, count, null, hasLeft)
  const { place, running } = usePlacing()
  const strip = useRef<HTMLDivElement>(null)
  const target = useRef<PositionAt>(null)
  const [pin, setPin] = useState<FoundPlace | 'center' | null>(null)
  const clear = useEffectEvent(selected.clear)
  // Photos of another list cannot be seen. 'All' of a list that is empty now are not those that come into it later.
  // biome-ignore lint/correctness/useExhaustiveDependencies: only another list, or an empty one, clears it
  useEffect(() => clear(), [keyOfList(list), count === 0])
  const drag = usePhotoDrag(target, (photo, position) => {
    if (selected.has(photo.id)) placeSelected(position)
    else placeAll([{ id: photo.id, position }])
  })

  /** Those that are placed leave the selection. */
  function placeAll(positions: PhotoPosition[]): void {
    place({ positions: positions.map((one) => ({ ...one, from: null })), onPlaced: selected.drop })
  }

  async function placeSelected(position: Position): Promise<void> {
    try {
      placeAll((await selected.readIds()).map((id) => ({ id, position })))
    } catch (error) {
      toastFailure('The photos could not be selected', error, () => placeSelected(position))
    }
  }

  return { list: unplaced, count, selected, placeAll, placeSelected, running, strip, target, drag, pin, setPin }
}

export type Unplaced = ReturnType<typeof useUnplaced>

function hasLeft(photo: Photo): boolean {
  return isPairedRaw(photo) || photo.latitude !== null || photo.status === 'processing'
}

interface UnplacedPanelProps {
  unplaced: Unplaced
  onOpenPhoto: (photo: Photo) => void
  onClose: () => void
}

/** The photos without a position, beside the map: they are dragged onto it, or placed by a name, coordinates, a pin or the photo before. */
export function UnplacedPanel({ unplaced, onOpenPhoto, onClose }: UnplacedPanelProps) {
  const { list, count, selected, running, strip, drag, pin, setPin } = unplaced
  const heading = useRef<HTMLHeadingElement>(null)
  const hint = useId()
  useEffect(() => {
    heading.current?.focus({ preventScroll: true })
    heading.current?.closest('section')?.scrollIntoView({ block: 'nearest' })
    return () => setPin(null)
  }, [setPin])
  // The list goes with its last photo, and what is done with chosen ones goes with them: the focus must not be lost.
  // biome-ignore lint/correctness/useExhaustiveDependencies: another number of chosen photos has other buttons
  useEffect(() => {
    if (document.activeElement === document.body) heading.current?.focus({ preventScroll: true })
  }, [count, selected.count])

  return (
    <section aria-labelledby="unplaced" className="flex min-h-0 flex-1 scroll-mt-32 flex-col gap-3 max-lg:pb-4">
      <div className="flex items-start justify-between gap-2">
        <div className="min-w-0 pl-1">
          <h3 id="unplaced" ref={heading} tabIndex={-1} className="font-semibold outline-none">
            {count === 0 ? 'No photos without a position' : `${countOf(count, 'photo')} without a position`}
          </h3>
          {count > 0 && (
            <p id={hint} className="text-sm text-pretty text-muted">
              Drag photos onto the map, or choose some and say where they were taken.
            </p>
          )}
        </div>
        <IconButton label="Close the photos without a position" icon={<X />} onClick={onClose} className="-mt-1.5" />
      </div>
      {count === 0 ? (
        <div className="grid justify-items-center gap-3 rounded-md bg-sunken/60 px-4 py-10 text-center">
          <CircleCheck aria-hidden className="size-8 text-good" />
          <p className="text-sm text-muted">Nothing is left to place here.</p>
          <Button size="small" onClick={onClose}>
            Done
          </Button>
        </div>
      ) : (
        <>
          <UnplacedStrip
            list={list}
            total={count}
            selected={selected}
            element={strip}
            busy={running !== null}
            onOpen={onOpenPhoto}
            onPress={drag.press}
            endsDrag={drag.endsDrag}
            describedBy={hint}
          />
          <div className="grid gap-2">
            <Chosen unplaced={unplaced} />
            <PlaceField label="Place or coordinates" onFound={setPin} />
            {pin !== null && pin !== 'center' && selected.count === 0 && (
              <p role="status" className="px-1 text-sm text-muted">
                {`Now choose the photos that were taken at ${pin.name}.`}
              </p>
            )}
          </div>
        </>
      )}
      {drag.drag && <Ghost drag={drag.drag} element={drag.ghost} count={draggedCount(unplaced, drag.drag)} />}
    </section>
  )
}

function draggedCount({ selected }: Unplaced, { photo }: PhotoDrag): number {
  return selected.has(photo.id) ? selected.count : 1
}

/** How many photos are chosen, and what can be done with them. */
function Chosen({ unplaced }: { unplaced: Unplaced }) {
  const { selected, running, setPin, count } = unplaced
  const amount = `${formatNumber(selected.count)} of ${formatNumber(count)} chosen`
  return (
    <>
      <div className="flex min-h-11 items-center gap-1 pl-1 sm:min-h-8">
        <p role="status" className="mr-auto text-sm text-muted tabular-nums">
          {running
            ? `Placing ${running.count > 1 ? `${formatNumber(running.done)} of ${countOf(running.count, 'photo')}` : '1 photo'} …`
            : amount}
        </p>
        {selected.count > 0 ? (
          <>
            <Button size="small" variant="quiet" onClick={selected.clear}>
              Clear
            </Button>
            <Button size="small" onClick={() => setPin('center')}>
              <MapPin aria-hidden /> Place with a pin
            </Button>
          </>
        ) : (
          <Button size="small" variant="quiet" onClick={selected.all}>
            Choose all
          </Button>
        )}
      </div>
      {selected.count > 0 && <AsBefore unplaced={unplaced} />}
    </>
  )
}

/** Gives each chosen photo the position of the one that was taken last before it. */
function AsBefore({ unplaced }: { unplaced: Unplaced }) {
  const { selected, placeAll } = unplaced
  const client = useQueryClient()
  const [reading, setReading] = useState(false)
  const { kind, ids } = selected.selection
  // More are looked up when they are placed.
  const isKnown = kind === 'some' && ids.size <= MAX_PLACED_BEFORE
  const known = useQuery({ ...placedBeforeQuery([...ids].sort((a, b) => a - b)), enabled: isKnown }).data

  async function place(): Promise<void> {
    setReading(true)
    try {
      const all = await selected.readIds()
      const found: PlacedBefore[] = []
      for (let next = 0; next < all.length; next += MAX_PLACED_BEFORE)
        found.push(
          ...(await client.fetchQuery({ ...placedBeforeQuery(all.slice(next, next + MAX_PLACED_BEFORE)), gcTime: 0 })),
        )
      const positions = found.map(({ id, before }) => ({ id, position: positionOf(before) }))
      if (positions.length > 0) placeAll(positions)
      else toast({ title: 'No photo was placed', description: NONE_BEFORE, tone: 'neutral' })
    } catch (error) {
      toastFailure('The photos before could not be found', error, place)
    } finally {
      setReading(false)
    }
  }

  if (isKnown && known?.length === 0) return <p className="px-1 text-sm text-muted">{NONE_BEFORE}</p>
  return (
    <Button
      className="h-auto min-h-11 justify-start py-1.5 text-left whitespace-normal sm:h-auto"
      // Not `disabled`, which would take the focus away.
      aria-disabled={(isKnown && !known) || reading}
      onClick={() => reading || (isKnown && !known) || place()}
    >
      <History aria-hidden className="text-muted" />
      <span className="grid min-w-0">
        <span>Same place as the photo before</span>
        {isKnown && (
          <span className="truncate text-sm font-normal text-muted">
            {known ? describeBefore(known, selected.count) : 'Looking for it …'}
          </span>
        )}
      </span>
    </Button>
  )
}

const NONE_BEFORE = 'No photo with a position was taken in the ten minutes before.'

/** 'DJI_0042, 3 minutes earlier', or how many of `count` chosen photos have one before them. */
export function describeBefore(found: readonly PlacedBefore[], count: number): string {
  const [only] = found
  if (count > 1 || !only) return `Found for ${formatNumber(found.length)} of ${countOf(count, 'photo')}`
  const { title, seconds } = only.before
  const time = seconds < 60 ? countOf(seconds, 'second') : countOf(Math.round(seconds / 60), 'minute')
  return `${title || 'Untitled photo'}, ${seconds === 0 ? 'taken in the same second' : `${time} earlier`}`
}

/** What hangs at the pointer while photos are dragged: its tip is where they are put. */
function Ghost({
  drag,
  element,
  count,
}: {
  drag: PhotoDrag
  element: RefObject<HTMLDivElement | null>
  count: number
}) {
  const { photo, from, over } = drag
  return createPortal(
    <div
      ref={element}
      className="pointer-events-none fixed top-0 left-0 z-50"
      style={{ transform: `translate(${from.x}px, ${from.y}px)` }}
    >
      <div className={cx('photo-ghost absolute bottom-2 -translate-x-1/2', !over && 'opacity-80')}>
        <PhotoImage
          src={photo.smallUrl ?? photo.thumbnailUrl}
          alt=""
          thumbhash={photo.thumbhash}
          className="size-14 rounded-md"
        />
        {count > 1 && (
          <span className="absolute -top-2 -right-2 min-w-6 rounded-full bg-accent px-1.5 text-center text-xs/6 font-semibold text-on-accent tabular-nums">
            {formatNumber(count)}
          </span>
        )}
      </div>
    </div>,
    document.body,
  )
}
