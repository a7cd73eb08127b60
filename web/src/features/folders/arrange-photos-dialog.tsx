import { useQuery } from '@tanstack/react-query'
import { ArrowDownToLine, ArrowUpToLine, CalendarArrowDown, Images } from 'lucide-react'
import { type KeyboardEvent, type MouseEvent, useId, useLayoutEffect, useRef, useState } from 'react'
import type { Photo } from '../../api/types.ts'
import { PhotoImage } from '../../components/photo-image.tsx'
import { Button } from '../../components/ui/button.tsx'
import { Dialog } from '../../components/ui/dialog.tsx'
import { EmptyState, Loaded, LoadingState } from '../../components/ui/empty-state.tsx'
import { Skeleton } from '../../components/ui/loading.tsx'
import { Menu, MenuItem } from '../../components/ui/menu.tsx'
import { cx } from '../../lib/cx.ts'
import { altText, formatNumber } from '../../lib/format.ts'
import { rowsAt } from '../../photos/grid/grid-layout.ts'
import { indexesToShow, indexOfItem } from '../../photos/grid/use-visible-rows.ts'
import {
  ARRANGE_GAP,
  type ArrangeLayout,
  arrangeLayout,
  type Gap,
  indexAfterArrow,
  indexInGap,
  moved,
} from './arranging.ts'
import { type Arrangement, MAX_ARRANGED, ownOrderQuery, useArrange } from './own-order.ts'
import { useArrangeDrag } from './use-arrange-drag.ts'

interface ArrangePhotosDialogProps {
  folderId: number
  onClose: () => void
}

/** The owner's order of a folder's photos, by hand. Every change is saved at once. */
export function ArrangePhotosDialog({ folderId, onClose }: ArrangePhotosDialogProps) {
  const order = useQuery(ownOrderQuery(folderId))
  const arrange = useArrange(folderId)
  const [chosen, setChosen] = useState<number | null>(null)
  const photos = order.data?.photos ?? []
  const active = photos.find(({ id }) => id === chosen) ?? photos[0]

  const moveTo = (before: number | null) => active && before !== active.id && arrange({ id: active.id, before })

  return (
    <Dialog
      open
      onOpenChange={(open) => !open && onClose()}
      size="large"
      title="Arrange photos"
      description="Drag photos to where they belong; on a touch screen, hold a photo first. Or choose one and move it with the buttons, or with Space and the arrow keys."
      footer={
        <>
          {photos.length > 1 && (
            <>
              <Menu
                trigger={
                  <Button className="sm:mr-auto">
                    <CalendarArrowDown aria-hidden /> Start again
                  </Button>
                }
              >
                <MenuItem onSelect={() => arrange({ start: 'taken' })}>By date taken</MenuItem>
                <MenuItem onSelect={() => arrange({ start: 'uploaded' })}>By upload</MenuItem>
              </Menu>
              <Button onClick={() => moveTo(photos[0]?.id ?? null)}>
                <ArrowUpToLine aria-hidden /> Move to start
              </Button>
              <Button onClick={() => moveTo(null)}>
                <ArrowDownToLine aria-hidden /> Move to end
              </Button>
            </>
          )}
          <Button variant="primary" onClick={onClose}>
            Done
          </Button>
        </>
      }
    >
      <Loaded query={order} loading={<LoadingPhotos />} failure="Photos could not be loaded">
        {({ total }) =>
          photos.length === 0 || !active ? (
            <NothingToArrange total={total} />
          ) : (
            <ArrangeGrid photos={photos} activeId={active.id} onChoose={setChosen} onArrange={arrange} />
          )
        }
      </Loaded>
    </Dialog>
  )
}

function LoadingPhotos() {
  return (
    <LoadingState label="Loading photos" className="grid grid-cols-3 gap-2 sm:grid-cols-6">
      {Array.from({ length: 12 }, (_, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: the shapes have no identity
        <Skeleton key={index} className="aspect-3/2 rounded-sm" />
      ))}
    </LoadingState>
  )
}

function NothingToArrange({ total }: { total: number }) {
  if (total === 0) return <EmptyState icon={<Images />} title="No photos" description="This folder is empty." />
  return (
    <EmptyState
      icon={<Images />}
      title="Too many photos"
      description={`This folder has ${formatNumber(total)} photos. Up to ${formatNumber(MAX_ARRANGED)} can be arranged by hand.`}
    />
  )
}

interface ArrangeGridProps {
  photos: readonly Photo[]
  /** The one photo in the tab order. */
  activeId: number
  onChoose: (id: number) => void
  onArrange: (arrangement: Arrangement) => void
}

/** The photos as a grid of which only visible rows are rendered. */
function ArrangeGrid({ photos, activeId, onChoose, onArrange }: ArrangeGridProps) {
  const hintId = useId()
  const grid = useRef<HTMLUListElement>(null)
  const scroller = () => grid.current?.parentElement ?? null
  const [view, setView] = useState({ top: 0, width: 0, height: 0 })
  /** The photo that the keyboard has picked up, and where it would be dropped. */
  const [held, setHeld] = useState<{ from: number; to: number } | null>(null)
  const [spoken, setSpoken] = useState('')
  const keepsFocus = useRef(false)
  const total = photos.length
  const layout = arrangeLayout(view.width, total)
  const shown = held ? moved(photos, held.from, held.to) : photos
  const active = shown.findIndex(({ id }) => id === activeId)
  const { drag, ghost, press } = useArrangeDrag({ grid, scroller, layout, total, onDrop: drop })
  const dragged = drag && photos[drag.from]

  useLayoutEffect(() => {
    const [list, scrolled] = [grid.current, grid.current?.parentElement]
    if (!list || !scrolled) return
    const measure = () => {
      const top = scrolled.getBoundingClientRect().top - list.getBoundingClientRect().top
      setView({ top, width: list.clientWidth, height: scrolled.clientHeight })
    }
    measure()
    const observer = new ResizeObserver(measure)
    observer.observe(list)
    observer.observe(scrolled)
    scrolled.addEventListener('scroll', measure, { passive: true })
    return () => {
      observer.disconnect()
      scrolled.removeEventListener('scroll', measure)
    }
  }, [])

  // biome-ignore lint/correctness/useExhaustiveDependencies: after a key the photo may be at another index
  useLayoutEffect(() => {
    if (!keepsFocus.current) return
    keepsFocus.current = false
    const button = grid.current?.querySelector<HTMLElement>(`[data-index="${active}"] button`)
    button?.focus({ preventScroll: true })
    button?.scrollIntoView({ block: 'nearest' })
  }, [active, activeId, held])

  function place(from: number, to: number): void {
    const photo = photos[from]
    if (!photo || from === to) return
    onArrange({ id: photo.id, before: moved(photos, from, to)[to + 1]?.id ?? null })
  }

  function drop(from: number, gap: number): void {
    const photo = photos[from]
    if (photo) onChoose(photo.id)
    place(from, indexInGap(from, gap))
  }

  function choose(event: MouseEvent): void {
    const index = indexOfItem(event.target as Element)
    const photo = index === null ? undefined : shown[index]
    if (!photo) return
    setHeld(null)
    onChoose(photo.id)
  }

  function onKeyDown(event: KeyboardEvent): void {
    const target = indexAfterArrow(event.key, active, total, layout.columns)
    const isSpace = event.key === ' ' || event.key === 'Enter'
    if (target === null && !isSpace && !(event.key === 'Escape' && held)) return
    event.preventDefault()
    keepsFocus.current = true
    if (target !== null && held) {
      setHeld({ ...held, to: target })
      setSpoken(`Position ${target + 1} of ${total}.`)
    } else if (target !== null) {
      const photo = photos[target]
      if (photo) onChoose(photo.id)
    } else if (!held) {
      setHeld({ from: active, to: active })
      setSpoken(`Picked up. Position ${active + 1} of ${total}. Arrow keys move it, Space drops it, Escape cancels.`)
    } else if (isSpace) {
      setHeld(null)
      place(held.from, held.to)
      setSpoken(`Dropped at position ${held.to + 1} of ${total}.`)
    } else {
      setHeld(null)
      setSpoken(`Cancelled. Back at position ${held.from + 1} of ${total}.`)
    }
  }

  const rows = view.width > 0 ? rowsAt(layout, view.top, view.height) : { first: 0, last: -1 }
  const last = Math.min((rows.last + 1) * layout.columns, total) - 1
  return (
    <>
      <ul
        ref={grid}
        onPointerDown={press}
        onClick={choose}
        onKeyDown={onKeyDown}
        // A long press would open the menu of a picture.
        onContextMenu={(event) => event.preventDefault()}
        data-takes-escape={held || drag ? true : undefined}
        aria-label="Photos in their order"
        className="relative select-none [-webkit-touch-callout:none]"
        style={{ height: Math.max(0, layout.rows * layout.rowHeight - ARRANGE_GAP) }}
      >
        {indexesToShow(rows.first * layout.columns, last, active).map((index) => {
          const photo = shown[index]
          return (
            photo && (
              <Cell
                key={photo.id}
                {...{ photo, index, total, layout, hintId }}
                active={index === active}
                held={held !== null && index === held.to}
                dragged={photo === dragged}
              />
            )
          )
        })}
        {drag && <InsertionMark gap={drag.gap} layout={layout} />}
      </ul>
      <p id={hintId} hidden>
        Space picks the photo up.
      </p>
      <p aria-live="assertive" className="sr-only">
        {spoken}
      </p>
      {dragged && (
        <div ref={ghost} aria-hidden className="pointer-events-none fixed top-0 left-0 z-60">
          <div className="w-24 -translate-1/2 rotate-2 opacity-90 shadow-high">
            <Picture photo={dragged} alt="" />
          </div>
        </div>
      )}
    </>
  )
}

interface CellProps {
  photo: Photo
  index: number
  total: number
  layout: ArrangeLayout
  hintId: string
  active: boolean
  held: boolean
  dragged: boolean
}

function Cell({ photo, index, total, layout, hintId, active, held, dragged }: CellProps) {
  const { columns, cellWidth, rowHeight } = layout
  const [row, column] = [Math.floor(index / columns), index % columns]
  return (
    <li
      data-index={index}
      aria-setsize={total}
      aria-posinset={index + 1}
      className="absolute top-0 left-0"
      style={{
        width: cellWidth - ARRANGE_GAP,
        transform: `translate(${column * cellWidth}px, ${row * rowHeight}px)`,
      }}
    >
      <button
        type="button"
        tabIndex={active ? 0 : -1}
        data-autofocus={active || undefined}
        aria-pressed={held}
        aria-describedby={hintId}
        className={cx(
          'relative block w-full cursor-grab rounded-sm outline-offset-2 transition',
          active && 'outline-2 outline-accent',
          held && 'scale-105 shadow-high',
          dragged && 'opacity-30',
        )}
      >
        <Picture photo={photo} alt={altText(photo)} />
        <span
          aria-hidden
          className="absolute bottom-1 left-1 rounded-sm bg-black/60 px-1 text-xs font-medium text-white tabular-nums"
        >
          {index + 1}
        </span>
      </button>
    </li>
  )
}

function Picture({ photo, alt }: { photo: Photo; alt: string }) {
  return (
    <PhotoImage
      src={photo.smallUrl ?? photo.thumbnailUrl}
      alt={alt}
      thumbhash={photo.thumbhash}
      pending={photo.status === 'processing' ? 'Processing' : undefined}
      className="aspect-3/2 rounded-sm"
    />
  )
}

/** Where the dragged photo would be. */
function InsertionMark({ gap: { row, column }, layout }: { gap: Gap; layout: ArrangeLayout }) {
  const x = column * layout.cellWidth - ARRANGE_GAP / 2
  return (
    <li
      aria-hidden
      className="pointer-events-none absolute top-0 left-0 w-1 rounded-full bg-accent"
      style={{
        height: layout.rowHeight - ARRANGE_GAP,
        transform: `translate(calc(${x}px - 50%), ${row * layout.rowHeight}px)`,
      }}
    />
  )
}
