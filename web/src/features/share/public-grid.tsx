import { type ReactNode, type Ref, useImperativeHandle, useLayoutEffect, useRef, useState } from 'react'
import type { PublicPhoto } from '../../api/types.ts'
import { PhotoImage } from '../../components/photo-image.tsx'
import { Skeleton } from '../../components/ui/loading.tsx'
import { prerenderedFolder } from '../../lib/served-page.ts'
import { indexesToShow, indexOfItem, useVisibleRows } from '../../photos/grid/use-visible-rows.ts'
import { GAP, PUBLIC_GRID, publicColumns, publicLayout } from './public-layout.ts'

/** What a screen can request from its grid. */
export interface PublicGridHandle {
  /** Scrolls to a photo and focuses its picture. */
  focusPicture(photoId: number | null): void
}

interface PublicGridProps {
  photos: PublicPhoto[]
  /** Height of the content under each picture, in pixels. */
  captionHeight: number
  /** Renders one photo's card; the pictures of the first row are the first ones that a visitor sees. */
  children: (photo: PublicPhoto, inFirstRow: boolean) => ReactNode
  ref?: Ref<PublicGridHandle>
}

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
  const focusRequest = useRef<number>(null)

  useLayoutEffect(() => {
    if (focusRequest.current === null) return
    const picture = list.current?.querySelector<HTMLElement>(`[data-index="${focusRequest.current}"] [data-open]`)
    if (!picture) return
    focusRequest.current = null
    picture.focus({ preventScroll: true })
  })

  useImperativeHandle(ref, () => ({
    focusPicture(photoId) {
      const index = photos.findIndex(({ id }) => id === photoId)
      if (index < 0) return
      focusRequest.current = index
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

const CARDS = [0, 1, 2, 3, 4, 5]

/** The skeleton of the photos, with the pictures of the first row that the server rendered. */
export function PublicGridSkeleton() {
  const pictures = prerenderedFolder()?.pictures.slice(0, publicColumns(innerWidth)) ?? []
  return (
    <div data-loads className={`${PUBLIC_GRID} pt-7`}>
      {CARDS.map((card) => {
        const picture = pictures[card]
        return (
          <div key={card}>
            {picture ? (
              <PhotoImage {...picture} thumbhash={null} eager="first" />
            ) : (
              <Skeleton className="aspect-3/2 rounded-lg" />
            )}
            <Skeleton className="mt-3 h-5 w-40" />
          </div>
        )
      })}
    </div>
  )
}
