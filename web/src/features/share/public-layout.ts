import type { Box } from '../../components/renditions.ts'
import type { Layout } from '../../photos/grid/grid-layout.ts'

/** Between two columns, in pixels. */
export const GAP = 24
const GAP_BELOW = 28

/** The layout of a public folder in 1, 2 or 3 columns, on a list that is `width` pixels wide. */
export function publicLayout(width: number, viewportWidth: number, total: number, captionHeight: number): Layout {
  const columns = publicColumns(viewportWidth)
  const picture = ((width - GAP * (columns - 1)) / columns) * (2 / 3)
  return { columns, rows: Math.ceil(total / columns), rowHeight: Math.round(picture + captionHeight + GAP_BELOW) }
}

export function publicColumns(viewportWidth: number): number {
  if (viewportWidth >= 1024) return 3
  return viewportWidth >= 640 ? 2 : 1
}

/** The width of a picture in these columns; the gateway has the same ones (first-pictures.ts). */
export const PUBLIC_BOX: Box = {
  ratio: 3 / 2,
  widths: [
    { when: '(min-width: 1024px)', width: 'calc((min(100vw, 1180px) - 104px) / 3)' },
    { when: '(min-width: 640px)', width: 'calc((100vw - 80px) / 2)' },
    { width: 'calc(100vw - 32px)' },
  ],
}

/**
 * The cover above the photos; its height is in `on-cover` of styles.css. No rendition of a card is wider than the page, so
 * none is chosen that the page has no room for. The gateway has the same one.
 */
export const COVER_BOX: Box = {
  ratio: 5 / 3,
  widths: [{ width: 'calc(100vw - 32px)' }],
}

/** The room of the voter's ranks above the photos, also in `.prerendered-folder` of styles.css. */
export const RANKS_ROOM = 'hidden roomy:mt-6 roomy:block roomy:h-[136.66px] short:block short:h-[112px]'
/** Around the texts of a folder and the voter's ranks: beside each other on a phone on its side. */
export const SHARE_HEAD = 'contents short:grid short:grid-cols-2 short:items-start short:gap-x-4'
/** The page of a public folder. */
export const PUBLIC_PAGE = 'page pt-6 roomy:pt-8 short:pt-3'
/** Around its photos. */
export const PUBLIC_PHOTOS = 'pt-7 short:pt-4'
