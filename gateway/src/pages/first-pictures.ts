import { escapeHtml } from './application-page.ts'

// The pictures that a visitor of a public folder sees first: the page preloads them and shows them before the
// application runs. What the application renders in their place must choose the same files, so the rules below are
// those of web/src/photos/renditions.ts and web/src/features/share/public-layout.ts; deploy/test compares them.

/** A photo of a share card, as the share response has it. */
export interface CardPhoto {
  title: string
  city: string | null
  state: string | null
  width: number | null
  height: number | null
  smallUrl: string | null
  thumbnailUrl: string | null
  mediumUrl: string | null
  previewUrl: string | null
}

/** The attributes for choosing a rendition. */
interface PictureSources {
  src: string
  srcset?: string
  sizes?: string
}

/** The columns of a public folder: how wide a picture is, and which ones are in the first row. */
const FIRST_ROW = [null, '(min-width: 640px)', '(min-width: 1024px)']
interface Box {
  ratio: number
  widths: readonly (readonly [when: string, width: string])[]
}
const CARD: Box = {
  ratio: 3 / 2,
  widths: [
    ['(min-width: 1024px)', 'calc((min(100vw, 1180px) - 104px) / 3)'],
    ['(min-width: 640px)', 'calc((100vw - 80px) / 2)'],
    ['', 'calc(100vw - 32px)'],
  ],
}
const COVER: Box = { ratio: 5 / 3, widths: [['', 'calc(100vw - 32px)']] }

const BOUNDS = [
  ['smallUrl', 320, 640],
  ['thumbnailUrl', 640, 1280],
  ['mediumUrl', 1280, 2048],
  ['previewUrl', 2048, 2048],
] as const
const MAX_CARD_WIDTH = 1280
const PANORAMA_OVERLAP = 2
const DENSE = { when: '(min-resolution: 1.5dppx)', factor: 0.88 }

/** A comma or a space would be syntax in a `srcset`. */
const PICTURE_PATH = /^\/api\/uploads\/[\w.-]+$/

/** The renditions among which a card of the grid chooses; null if it has no picture. */
export function cardSources(photo: CardPhoto): PictureSources | null {
  return sourcesFor(CARD, photo)
}

/** The same of the cover above the photos. */
export function coverSources(photo: CardPhoto): PictureSources | null {
  return sourcesFor(COVER, photo)
}

function sourcesFor(box: Box, photo: CardPhoto): PictureSources | null {
  const src = pathOf(photo.thumbnailUrl)
  if (src === null) return null
  const { width, height } = photo
  if (!width || !height) return { src }
  const overlap = Math.max(1, width / height / box.ratio)
  const maxWidth = overlap < PANORAMA_OVERLAP ? MAX_CARD_WIDTH : Number.POSITIVE_INFINITY
  const paths = new Map<number, string>()
  for (const [key, boundWidth, boundHeight] of BOUNDS) {
    const path = pathOf(photo[key])
    const pixels = Math.max(1, Math.round(width * Math.min(1, boundWidth / width, boundHeight / height)))
    if (path !== null && pixels <= maxWidth && !paths.has(pixels)) paths.set(pixels, path)
  }
  if (paths.size < 2) return { src }
  const sizes = box.widths.flatMap(([when, boxWidth]) => [
    `${when ? `${when} and ` : ''}${DENSE.when} ${times(overlap * DENSE.factor, boxWidth)}`,
    `${when ? `${when} ` : ''}${times(overlap, boxWidth)}`,
  ])
  return { src, srcset: [...paths].map(([pixels, path]) => `${path} ${pixels}w`).join(', '), sizes: sizes.join(', ') }
}

function times(factor: number, width: string): string {
  return factor === 1 ? width : `calc(${factor.toFixed(2)} * ${width})`
}

function pathOf(url: string | null | undefined): string | null {
  return url && PICTURE_PATH.test(url) ? url : null
}

/** Lets the browser load the pictures of the first row before it has read the rest of the page. */
export function preloadLinks(photos: CardPhoto[]): string[] {
  return firstRow(photos).flatMap(({ media, sources }) => {
    if (!sources) return []
    const { src, srcset, sizes } = sources
    // A browser that does not know imagesrcset would load the file of href beside the one that the picture chooses.
    const candidates = srcset ? { imagesrcset: srcset, imagesizes: sizes } : { href: src }
    return [`<link rel="preload" as="image"${attributes({ ...candidates, media })} fetchpriority="high" />`]
  })
}

/**
 * The first row as a list. The style sheet shows as many pictures as the window has columns; those that are not shown are
 * not loaded.
 */
export function pictureList(photos: CardPhoto[]): string {
  const items = firstRow(photos).map(({ photo, media, sources }) => {
    if (!sources) return '<li></li>'
    const loading = media ? { loading: 'lazy' } : { fetchpriority: 'high' }
    const { width, height } = photo
    const rest = attributes({ ...sources, width, height, alt: altText(photo), ...loading })
    return `<li><img data-prerendered="picture"${rest} /></li>`
  })
  return items.length === 0 ? '' : `<ul>${items.join('')}</ul>`
}

/** The cover above the photos, which they precede: it is loaded where it is shown, once the style sheet says so. */
export function coverPicture(photo: CardPhoto): string {
  const sources = coverSources(photo)
  if (!sources) return ''
  return `<img data-prerendered="cover"${attributes({ loading: 'lazy', ...sources, alt: '' })} />`
}

function firstRow(photos: CardPhoto[]) {
  return FIRST_ROW.flatMap((media, index) => {
    const photo = photos[index]
    return photo ? [{ photo, media, sources: cardSources(photo) }] : []
  })
}

export function altText({ title, city, state }: Pick<CardPhoto, 'title' | 'city' | 'state'>): string {
  return [title || 'Untitled photo', city, state].filter(Boolean).join(', ')
}

/** The attributes that have a value, each with a space before it. */
function attributes(values: Record<string, string | number | null | undefined>): string {
  return Object.entries(values)
    .flatMap(([name, value]) =>
      value === null || value === undefined ? [] : [` ${name}="${escapeHtml(String(value))}"`],
    )
    .join('')
}
