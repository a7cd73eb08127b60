import { Check } from 'lucide-react'
import {
  type KeyboardEvent,
  type MouseEvent,
  type PointerEvent,
  type RefObject,
  useId,
  useLayoutEffect,
  useState,
} from 'react'
import type { PhotoList } from '../../api/photo-lists.ts'
import type { Photo } from '../../api/types.ts'
import { PhotoImage } from '../../components/photo-image.tsx'
import { Button } from '../../components/ui/button.tsx'
import { Skeleton } from '../../components/ui/loading.tsx'
import { cx } from '../../lib/cx.ts'
import { formatCameraDate } from '../../lib/format.ts'
import { errorMessage } from '../../lib/http.ts'
import { usePhotoPages } from '../grid/use-photo-pages.ts'
import type { PhotoSelection } from './selection.ts'

/** Of a photo with its name, in pixels, and between two. */
const WIDTH = 96
const HEIGHT = 88
const GAP = 8
/** Room for the ring of the focus around the photos. */
const PADDING = 4
/** A lower box is one row, which scrolls to the side. */
const LOW = 2 * HEIGHT

interface Box {
  width: number
  height: number
  /** What is scrolled out of it, at its top or at its left. */
  scrolled: number
}

/** Where the photos are in a box: in rows that scroll up, or in one row that scrolls to the side. */
export function layoutStrip({ width, height, scrolled }: Box, total: number) {
  const isRow = height < LOW
  const columns = isRow ? 1 : Math.max(1, Math.floor((width - 2 * PADDING + GAP) / (WIDTH + GAP)))
  const tileWidth = isRow ? WIDTH : Math.floor((width - 2 * PADDING + GAP) / columns) - GAP
  const [step, visible] = isRow ? [WIDTH + GAP, width] : [HEIGHT + GAP, height]
  const first = Math.max(0, Math.floor(scrolled / step) - 1) * columns
  const last = Math.min(total, (Math.ceil((scrolled + visible) / step) + 1) * columns) - 1
  /** Pixels from the begin of the strip. */
  const startOf = (index: number) => PADDING + Math.floor(index / columns) * step
  return {
    isRow,
    columns,
    tileWidth,
    first,
    last,
    /** Photos that are visible at once. */
    perPage: Math.max(1, Math.floor(visible / step)) * columns,
    length: startOf(Math.max(0, total - 1)) + step - GAP + PADDING,
    placeOf: (index: number) => ({
      left: isRow ? startOf(index) : PADDING + (index % columns) * (tileWidth + GAP),
      top: isRow ? PADDING : startOf(index),
    }),
    /** Scrolled as little as necessary to show a photo. */
    scrolledTo: (index: number) =>
      Math.min(Math.max(scrolled, startOf(index) + step - GAP + PADDING - visible), startOf(index) - PADDING),
  }
}

type StripLayout = ReturnType<typeof layoutStrip>

/** The index of the photo that a key goes to; null for other keys. */
export function indexAfter(key: string, from: number, total: number, layout: StripLayout): number | null {
  const { isRow, columns, perPage } = layout
  const steps: Record<string, number> = {
    ...{ ArrowLeft: -1, ArrowRight: 1, ArrowUp: isRow ? -1 : -columns, ArrowDown: isRow ? 1 : columns },
    ...{ PageUp: -perPage, PageDown: perPage, Home: -total, End: total },
  }
  const step = steps[key]
  return step === undefined ? null : Math.min(Math.max(from + step, 0), Math.max(total - 1, 0))
}

interface UnplacedStripProps {
  list: PhotoList
  /** Photos of the list. */
  total: number
  selected: PhotoSelection
  /** The list, for the focus. */
  element: RefObject<HTMLDivElement | null>
  /** Is dimmed: these photos are being placed. */
  busy: boolean
  onOpen: (photo: Photo) => void
  /** The pointer was pressed on a photo. */
  onPress: (event: PointerEvent, photo: Photo) => void
  /** Whether a click belongs to a drag. */
  endsDrag: (event: MouseEvent) => boolean
  describedBy: string
}

/** The photos as a list of which many can be chosen: only those in its box are rendered, and only their pages are read. */
export function UnplacedStrip(props: UnplacedStripProps) {
  const { list, total, selected, element, busy, onOpen, onPress, endsDrag, describedBy } = props
  const [box, setBox] = useState<Box>({ width: 0, height: 0, scrolled: 0 })
  const [chosen, setChosen] = useState(0)
  const id = useId()
  const layout = layoutStrip(box, total)
  const active = Math.min(chosen, Math.max(total - 1, 0))
  const photos = usePhotoPages(list, { first: layout.first, last: layout.last })
  const idOf = (index: number) => `${id}-${index}`

  useLayoutEffect(() => {
    const strip = element.current
    if (!strip) return
    const measure = () =>
      setBox((before) => {
        const { clientWidth: width, clientHeight: height } = strip
        return width === before.width && height === before.height ? before : { ...before, width, height }
      })
    measure()
    const observer = new ResizeObserver(measure)
    observer.observe(strip)
    return () => observer.disconnect()
  }, [element])

  function goTo(index: number): void {
    setChosen(index)
    const to = layout.scrolledTo(index)
    element.current?.scrollTo(layout.isRow ? { left: to } : { top: to })
    setBox({ ...box, scrolled: to })
  }

  function toggle(index: number, range: boolean): void {
    const photo = photos.photoAt(index)
    if (range) selected.extendTo(index)
    else if (photo) selected.toggle(photo.id, index)
  }

  function press(event: KeyboardEvent): void {
    if (event.altKey) return
    const target = indexAfter(event.key, active, total, layout)
    const photo = photos.photoAt(active)
    if (event.ctrlKey || event.metaKey) {
      if (event.key.toLowerCase() !== 'a') return
      selected.all()
    } else if (target !== null) {
      if (event.shiftKey) selected.extendTo(target)
      else selected.moveTo(target)
      goTo(target)
    } else if (event.key === ' ') toggle(active, event.shiftKey)
    else if (event.key === 'Enter' && photo) onOpen(photo)
    else if (event.key === 'Escape' && selected.count > 0) selected.clear()
    else return
    event.preventDefault()
    event.stopPropagation()
  }

  /** The photo of an event, with its index. */
  function at({ target }: { target: EventTarget }): { index: number; photo: Photo } | null {
    const index = Number((target as Element).closest<HTMLElement>('[data-index]')?.dataset.index ?? Number.NaN)
    const photo = photos.photoAt(index)
    return photo ? { index, photo } : null
  }

  function click(event: MouseEvent): void {
    const clicked = at(event)
    if (!clicked || endsDrag(event)) return
    setChosen(clicked.index)
    toggle(clicked.index, event.shiftKey)
  }

  const shown = Array.from({ length: Math.max(0, layout.last - layout.first + 1) }, (_, index) => layout.first + index)
  return (
    <>
      {photos.error !== null && (
        <p role="alert" className="flex flex-wrap items-center gap-2 px-1 text-sm">
          <span>{errorMessage(photos.error)}</span>
          <Button size="small" onClick={photos.retry}>
            Try again
          </Button>
        </p>
      )}
      <div
        ref={element}
        role="listbox"
        aria-label="Photos without a position"
        aria-multiselectable
        aria-describedby={describedBy}
        aria-busy={shown.every((index) => !photos.photoAt(index)) || undefined}
        aria-activedescendant={shown.includes(active) ? idOf(active) : undefined}
        tabIndex={0}
        onKeyDown={press}
        onClick={click}
        onDoubleClick={(event) => {
          const clicked = at(event)
          if (clicked) onOpen(clicked.photo)
        }}
        onPointerDown={(event) => {
          const pressed = at(event)
          if (pressed) onPress(event, pressed.photo)
        }}
        onScroll={({ currentTarget: { scrollLeft, scrollTop } }) =>
          setBox({ ...box, scrolled: layout.isRow ? scrollLeft : scrollTop })
        }
        className={cx(
          'group relative h-27 overscroll-contain rounded-md bg-sunken/60 outline-none select-none lg:h-auto lg:min-h-27 lg:flex-1',
          // A finger along the photos scrolls, one towards the map drags.
          layout.isRow
            ? 'touch-pan-x overflow-x-auto overflow-y-hidden'
            : 'touch-pan-y overflow-x-hidden overflow-y-auto',
          busy && 'opacity-60',
        )}
      >
        {/* Its length, for the scroll bar. */}
        <div
          aria-hidden
          className="absolute top-0 left-0"
          style={layout.isRow ? { width: layout.length, height: 1 } : { width: 1, height: layout.length }}
        />
        {shown.map((index) => {
          const photo = photos.photoAt(index)
          return (
            // biome-ignore lint/a11y/useFocusableInteractive: the list has the focus
            <div
              key={index}
              id={idOf(index)}
              role="option"
              aria-selected={photo !== undefined && selected.has(photo.id)}
              aria-setsize={total}
              aria-posinset={index + 1}
              aria-label={photo ? nameOf(photo) : 'Loading'}
              title={photo && nameOf(photo)}
              data-index={photo && index}
              className={cx(
                'absolute rounded-sm',
                photo && 'cursor-grab',
                index === active &&
                  'group-focus-visible:outline-2 group-focus-visible:outline-offset-2 group-focus-visible:outline-accent',
              )}
              style={{ ...layout.placeOf(index), width: layout.tileWidth, height: HEIGHT }}
            >
              {photo ? (
                <Tile photo={photo} selected={selected.has(photo.id)} />
              ) : (
                <Skeleton className="h-16 rounded-sm" />
              )}
            </div>
          )
        })}
      </div>
    </>
  )
}

/** 'DJI_0042, Jun 23, 2016 at 4:31 PM'. */
function nameOf(photo: Photo): string {
  return [photo.title || 'Untitled photo', formatCameraDate(photo.dateTaken)].filter(Boolean).join(', ')
}

function Tile({ photo, selected }: { photo: Photo; selected: boolean }) {
  return (
    <>
      <span className="relative block">
        <PhotoImage
          src={photo.smallUrl ?? photo.thumbnailUrl}
          alt=""
          thumbhash={photo.thumbhash}
          className={cx('pointer-events-none h-16 rounded-sm', selected && 'ring-3 ring-accent')}
        />
        <span
          aria-hidden
          className={cx(
            'absolute top-1 right-1 grid size-5 place-items-center rounded-full ring-2 ring-white',
            selected ? 'bg-accent text-on-accent' : 'bg-black/40 text-transparent',
          )}
        >
          <Check strokeWidth={3} className="size-3" />
        </span>
      </span>
      <span className="mt-1 block truncate text-xs text-muted">{photo.title || 'Untitled'}</span>
    </>
  )
}
