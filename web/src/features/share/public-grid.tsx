import { type ReactNode, type Ref, useImperativeHandle, useLayoutEffect, useRef, useState } from 'react'
import type { PublicPhoto } from '../../api/types.ts'
import { indexesToShow, indexOfItem } from '../../photos/grid/indexes-to-show.ts'
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
  /** Renders one photo's card; the pictures of the first row are the first ones that a visitor sees. */
  children: (photo: PublicPhoto, inFirstRow: boolean) => ReactNode
  /** All pictures in the window are loaded; called again after each further one. */
  onWindowFilled: () => void
  ref?: Ref<PublicGridHandle>
}

/** Covers the top of the window. */
const TOP_BAR_HEIGHT = 60

/**
 * A list of public photos in 1, 2 or 3 columns. Only cards near the viewport are rendered, so that thousands cost
 * nothing.
 */
export function PublicGrid({ photos, captionHeight, children, onWindowFilled, ref }: PublicGridProps) {
  const list = useRef<HTMLUListElement>(null)
  const { layout, first, last, height, topOf, reveal } = useVisibleRows(list, (width, viewportWidth) =>
    publicLayout(width, viewportWidth, photos.length, captionHeight),
  )
  const { columns } = layout
  // The focused card stays rendered when it is scrolled out of view.
  const [focused, setFocused] = useState<number | null>(null)
  const focusRequest = useRef<{ index: number; selector: string }>(null)

  useLayoutEffect(() => {
    if (!focusRequest.current) return
    const { index, selector } = focusRequest.current
    const control = list.current?.querySelector<HTMLElement>(`[data-index="${index}"] ${selector}`)
    if (!control) return
    focusRequest.current = null
    control.focus({ preventScroll: true })
    highlight(control)
  })

  useImperativeHandle(ref, () => ({
    focusControl(matches, selector) {
      const cards = [...(list.current?.children ?? [])] as HTMLElement[]
      const atTop = cards.find((card) => card.getBoundingClientRect().top >= TOP_BAR_HEIGHT)
      const start = Number(atTop?.dataset.index ?? 0)
      const next = photos.findIndex((photo, at) => at >= start && matches(photo))
      const index = next >= 0 ? next : photos.findIndex(matches)
      if (index < 0) return
      focusRequest.current = { index, selector }
      setFocused(index)
      reveal(Math.floor(index / columns))
    },
  }))

  return (
    <ul
      ref={list}
      className="relative"
      style={{ height }}
      onFocus={(event) => setFocused(indexOfItem(event.target))}
      onBlur={() => setFocused(null)}
      onLoadCapture={({ currentTarget }) => isWindowFilled(currentTarget) && onWindowFilled()}
    >
      {indexesToShow(first * columns, Math.min((last + 1) * columns, photos.length) - 1, focused).map((index) => {
        const photo = photos[index]
        if (!photo) return null
        return (
          <li
            key={photo.id}
            data-index={index}
            aria-setsize={photos.length}
            aria-posinset={index + 1}
            className="absolute top-0"
            style={{
              left: `calc((100% + ${GAP}px) / ${columns} * ${index % columns})`,
              width: `calc((100% + ${GAP}px) / ${columns} - ${GAP}px)`,
              transform: `translateY(${topOf(Math.floor(index / columns))}px)`,
            }}
          >
            {children(photo, index < columns)}
          </li>
        )
      })}
    </ul>
  )
}

function isWindowFilled(list: HTMLElement): boolean {
  const isBelow = (image: HTMLImageElement) => image.getBoundingClientRect().top >= innerHeight
  return [...list.querySelectorAll('img')].every((image) => image.complete || isBelow(image))
}

/** Highlights a control: on a phone nothing else shows where the focus is. */
function highlight(control: HTMLElement): void {
  if (matchMedia('(prefers-reduced-motion: reduce)').matches) return
  control.animate({ scale: [1, 1.15, 1] }, { duration: 440, easing: 'ease-out' })
}
