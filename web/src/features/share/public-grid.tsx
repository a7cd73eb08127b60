import { type ReactNode, type Ref, useImperativeHandle, useLayoutEffect, useRef, useState } from 'react'
import type { PublicPhoto } from '../../api/types.ts'
import { useVisibleRows } from '../../photos/grid/use-visible-rows.ts'
import { GAP, publicLayout } from './public-layout.ts'

/** What a screen can request from its grid. */
export interface PublicGridHandle {
  /**
   * Scrolls to the first matching photo from the top of the window on, or else from the start, and focuses the control
   * in its card that `selector` matches.
   */
  focusControl(matches: (photo: PublicPhoto) => boolean, selector: string): void
}

interface PublicGridProps {
  photos: PublicPhoto[]
  /** Height of the content under each picture, in pixels. */
  captionHeight: number
  /** Renders one photo's card. */
  children: (photo: PublicPhoto) => ReactNode
  ref?: Ref<PublicGridHandle>
}

/** Covers the top of the window. */
const TOP_BAR_HEIGHT = 60

/**
 * A list of public photos in 1, 2 or 3 columns. Only cards near the viewport are rendered, so that thousands cost
 * nothing.
 */
export function PublicGrid({ photos, captionHeight, children, ref }: PublicGridProps) {
  const list = useRef<HTMLUListElement>(null)
  const { layout, first, last, height, topOf, reveal } = useVisibleRows(list, (width, viewportWidth) =>
    publicLayout(width, viewportWidth, photos.length, captionHeight),
  )
  const { columns } = layout
  // The focused card stays rendered when it is scrolled out of view.
  const [focused, setFocused] = useState<number | null>(null)
  const wanted = useRef<{ place: number; selector: string }>(null)

  useLayoutEffect(() => {
    if (!wanted.current) return
    const { place, selector } = wanted.current
    const control = list.current?.querySelector<HTMLElement>(`[data-place="${place}"] ${selector}`)
    if (!control) return
    wanted.current = null
    control.focus({ preventScroll: true })
    highlight(control)
  })

  useImperativeHandle(ref, () => ({
    focusControl(matches, selector) {
      const cards = [...(list.current?.children ?? [])] as HTMLElement[]
      const atTop = cards.find((card) => card.getBoundingClientRect().top >= TOP_BAR_HEIGHT)
      const start = Number(atTop?.dataset.place ?? 0)
      const onward = photos.findIndex((photo, place) => place >= start && matches(photo))
      const place = onward >= 0 ? onward : photos.findIndex(matches)
      if (place < 0) return
      wanted.current = { place, selector }
      setFocused(place)
      reveal(Math.floor(place / columns))
    },
  }))

  return (
    <ul
      ref={list}
      className="relative"
      style={{ height }}
      onFocus={(event) => setFocused(indexOfCard(event.target))}
      onBlur={() => setFocused(null)}
    >
      {indexesToShow(first * columns, Math.min((last + 1) * columns, photos.length) - 1, focused).map((place) => {
        const photo = photos[place]
        if (!photo) return null
        return (
          <li
            key={photo.id}
            data-place={place}
            aria-setsize={photos.length}
            aria-posinset={place + 1}
            className="absolute top-0"
            style={{
              left: `calc((100% + ${GAP}px) / ${columns} * ${place % columns})`,
              width: `calc((100% + ${GAP}px) / ${columns} - ${GAP}px)`,
              transform: `translateY(${topOf(Math.floor(place / columns))}px)`,
            }}
          >
            {children(photo)}
          </li>
        )
      })}
    </ul>
  )
}

function indexOfCard(target: Element): number | null {
  const card = target.closest<HTMLElement>('[data-place]')
  return card ? Number(card.dataset.place) : null
}

function indexesToShow(first: number, last: number, focused: number | null): number[] {
  const places = Array.from({ length: Math.max(0, last - first + 1) }, (_, index) => first + index)
  if (focused === null || last < first || (focused >= first && focused <= last)) return places
  return focused < first ? [focused, ...places] : [...places, focused]
}

/** Highlights a control: on a phone nothing else shows where the focus is. */
function highlight(control: HTMLElement): void {
  if (matchMedia('(prefers-reduced-motion: reduce)').matches) return
  control.animate({ scale: [1, 1.15, 1] }, { duration: 440, easing: 'ease-out' })
}
