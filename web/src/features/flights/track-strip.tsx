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
  const chosen = track[selected]
  const [from, to] = visibleRange(view, track.length)

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
    const targets = new Map([
      ['ArrowLeft', selected - 1],
      ['ArrowRight', selected + 1],
      ['Home', 0],
      ['End', track.length - 1],
    ])
    const point = track[targets.get(event.key) ?? -1]
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
          // biome-ignore lint/a11y/useKeyWithClickEvents: the list has the keys
          // biome-ignore lint/a11y/useFocusableInteractive: the list has the focus
          <div
            key={point.photoId}
            role="option"
            id={optionId(point.photoId)}
            aria-selected={point === chosen}
            aria-posinset={from + index + 1}
            aria-setsize={track.length}
            aria-label={`${point.title || 'Untitled'}, ${exactTimeOf(point.at)}`}
            onClick={() => onSelect(point.photoId)}
            className="absolute top-0 cursor-pointer"
            style={{ left: (from + index) * STEP + 4, width: STEP - 10 }}
          >
            <PhotoImage
              src={point.smallUrl ?? point.thumbnailUrl}
              alt=""
              thumbhash={point.thumbhash}
              className={cx('aspect-3/2 rounded-md', point === chosen && 'ring-3 ring-accent')}
            />
            <p
              aria-hidden
              className={cx('pt-1 text-center text-sm', point === chosen ? 'font-semibold' : 'text-muted')}
            >
              {exactTimeOf(point.at)}
            </p>
          </div>
        ))}
      </div>
    </div>
  )
}

const optionId = (photoId: number) => `track-photo-${photoId}`

/** The index of the first photo to render and the one behind the last. */
export function visibleRange({ left, width }: { left: number; width: number }, count: number): [number, number] {
  const from = Math.max(0, Math.floor(left / STEP) - BESIDE)
  const to = Math.min(count, Math.ceil((left + width) / STEP) + BESIDE)
  return [Math.min(from, count), to]
}
