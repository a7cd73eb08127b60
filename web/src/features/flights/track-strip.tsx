import { type KeyboardEvent, useEffect, useRef, useState } from 'react'
import type { TrackPoint } from '../../api/types.ts'
import { PhotoImage } from '../../components/photo-image.tsx'
import { cx } from '../../lib/cx.ts'
import { exactTimeOf } from './flight-texts.ts'

/** Pixels of a photo and the gap behind it. */
const STEP = 128
/** Photos beside the window that are rendered, too. */
const BESIDE = 4

interface TrackStripProps {
  track: readonly TrackPoint[]
  selectedId: number
  onSelect: (photoId: number) => void
}

/** The photos of a flight in order, as one control: arrows, Home and End choose. Only those in view are rendered. */
export function TrackStrip({ track, selectedId, onSelect }: TrackStripProps) {
  const strip = useRef<HTMLDivElement>(null)
  const [view, setView] = useState({ left: 0, width: 1400 })
  const selected = track.findIndex(({ photoId }) => photoId === selectedId)
  const [from, to] = visibleRange(view, STEP, track.length, BESIDE)

  useEffect(() => {
    const element = strip.current
    if (!element) return
    const measure = () => setView({ left: element.scrollLeft, width: element.clientWidth })
    measure()
    const observer = new ResizeObserver(measure)
    observer.observe(element)
    return () => observer.disconnect()
  }, [])

  useEffect(() => {
    const element = strip.current
    if (!element) return
    const start = selected * STEP
    const isVisible = start >= element.scrollLeft && start + STEP <= element.scrollLeft + element.clientWidth
    // Not `scrollIntoView`: it would scroll the page, too.
    if (!isVisible) element.scrollLeft = start - (element.clientWidth - STEP) / 2
  }, [selected])

  function step(event: KeyboardEvent): void {
    const targets: Record<string, number> = {
      ArrowLeft: selected - 1,
      ArrowRight: selected + 1,
      Home: 0,
      End: track.length - 1,
    }
    const point = Object.hasOwn(targets, event.key) ? track[targets[event.key] ?? -1] : undefined
    if (!point) return
    event.preventDefault()
    onSelect(point.photoId)
  }

  return (
    <div
      ref={strip}
      role="listbox"
      aria-label="Photos of the flight"
      aria-orientation="horizontal"
      aria-activedescendant={selected >= from && selected < to ? optionId(selectedId) : undefined}
      tabIndex={0}
      onKeyDown={step}
      onScroll={({ currentTarget }) => setView({ left: currentTarget.scrollLeft, width: currentTarget.clientWidth })}
      className="overflow-x-auto rounded-md py-1"
    >
      <div role="presentation" className="relative h-29" style={{ width: track.length * STEP }}>
        {track.slice(from, to).map((point, index) => (
          <Option
            key={point.photoId}
            point={point}
            index={from + index}
            total={track.length}
            isSelected={point.photoId === selectedId}
            onSelect={onSelect}
          />
        ))}
      </div>
    </div>
  )
}

interface OptionProps {
  point: TrackPoint
  index: number
  total: number
  isSelected: boolean
  onSelect: (photoId: number) => void
}

function Option({ point, index, total, isSelected, onSelect }: OptionProps) {
  const { photoId, title, at, thumbnailUrl, smallUrl, thumbhash } = point
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: the list has the keys
    // biome-ignore lint/a11y/useFocusableInteractive: the list has the focus
    <div
      role="option"
      id={optionId(photoId)}
      aria-selected={isSelected}
      aria-posinset={index + 1}
      aria-setsize={total}
      aria-label={`${title || 'Untitled'}, ${exactTimeOf(at)}`}
      onClick={() => onSelect(photoId)}
      className="absolute top-0 cursor-pointer"
      style={{ left: index * STEP + 4, width: STEP - 10 }}
    >
      <PhotoImage
        src={smallUrl ?? thumbnailUrl}
        alt=""
        thumbhash={thumbhash}
        className={cx('aspect-3/2 rounded-md', isSelected && 'ring-3 ring-accent')}
      />
      <p aria-hidden className={cx('pt-1 text-center text-sm', isSelected ? 'font-semibold' : 'text-muted')}>
        {exactTimeOf(at)}
      </p>
    </div>
  )
}

const optionId = (photoId: number) => `track-photo-${photoId}`

/** The first index in view and the one behind the last, of items of the same width in a row, and some beside them. */
export function visibleRange(
  { left, width }: { left: number; width: number },
  step: number,
  count: number,
  beside: number,
): [from: number, to: number] {
  const from = Math.max(0, Math.floor(left / step) - beside)
  const to = Math.min(count, Math.ceil((left + width) / step) + beside)
  return [Math.min(from, count), to]
}
