import type { PublicPhoto } from '../api/types.ts'

type Dimensions = Pick<PublicPhoto, 'width' | 'height'>
type WithRenditions = Dimensions & Pick<PublicPhoto, RenditionUrl>
type RenditionUrl = 'smallUrl' | 'thumbnailUrl' | 'mediumUrl' | 'previewUrl'

type Bounds = Record<'width' | 'height', number>

/** The bounds of the server's renditions in pixels, the narrowest first; none is ever larger than the original. */
const RENDITION_BOUNDS: readonly (readonly [RenditionUrl, Bounds])[] = [
  ['smallUrl', { width: 320, height: 640 }],
  ['thumbnailUrl', { width: 640, height: 1280 }],
  ['mediumUrl', { width: 1280, height: 2048 }],
  ['previewUrl', { width: 2048, height: 2048 }],
]
const PREVIEW = { width: 2048, height: 2048 }

/** A wider rendition has more pixels than any card can show, except of a panorama, which overflows its card. */
const MAX_CARD_WIDTH = 1280
const PANORAMA_OVERLAP = 2

/** On a dense screen nobody sees an eighth fewer pixels, and the next rendition would be four times as large. */
export const ENOUGH_PIXELS = 0.88
const DENSE = '(min-resolution: 1.5dppx)'

export interface Box {
  /** CSS widths with their media conditions; the last one has none and applies otherwise. */
  widths: readonly { when?: string; width: string }[]
  /** Width divided by height. */
  ratio: number
}

/** The <img> attributes for choosing a rendition. Without a thumbnail there is no picture. */
export interface ImageSources {
  src: string | null
  srcSet?: string
  sizes?: string
}

export function widthWithinBounds(bounds: Bounds, width: number, height: number): number {
  return Math.max(1, Math.round(width * Math.min(1, bounds.width / width, bounds.height / height)))
}

/** The addresses of the photo's renditions of different widths by these, in pixels; the narrowest first. */
export function renditionsOf(photo: WithRenditions): Map<number, string> {
  const { width, height } = photo
  const urls = new Map<number, string>()
  if (!width || !height) return urls
  for (const [key, bounds] of RENDITION_BOUNDS) {
    const url = photo[key]
    const pixels = widthWithinBounds(bounds, width, height)
    if (url !== null && !urls.has(pixels)) urls.set(pixels, url)
  }
  return urls
}

/** The renditions as a `srcset`. A single one is no choice. */
function candidates(photo: WithRenditions, maxWidth: number): string | undefined {
  const urls = [...renditionsOf(photo)].filter(([pixels]) => pixels <= maxWidth)
  if (urls.length < 2) return undefined
  return urls.map(([pixels, url]) => `${url} ${pixels}w`).join(', ')
}

/**
 * Sources of a photo that covers a box: a photo wider than the box overflows it, so its rendition has to be wider than
 * the box.
 */
export function sourcesForBox(box: Box, photo: WithRenditions): ImageSources {
  const src = photo.thumbnailUrl
  if (src === null) return { src }
  const overlap = Math.max(1, aspectRatio(photo) / box.ratio)
  const srcSet = candidates(photo, overlap < PANORAMA_OVERLAP ? MAX_CARD_WIDTH : PREVIEW.width)
  if (!srcSet) return { src }
  const sizes = box.widths.flatMap(({ when, width }) => [
    `${when ? `${when} and ` : ''}${DENSE} ${times(overlap * ENOUGH_PIXELS, width)}`,
    `${when ? `${when} ` : ''}${times(overlap, width)}`,
  ])
  return { src, srcSet, sizes: sizes.join(', ') }
}

function times(factor: number, width: string): string {
  return factor === 1 ? width : `calc(${factor.toFixed(2)} * ${width})`
}

/** Sources of a photo in a box of a fixed width in CSS pixels, such as the picture of a row. */
export function sourcesForRow(width: number, photo: WithRenditions): ImageSources {
  return sourcesForBox({ ratio: 3 / 2, widths: [{ width: `${width}px` }] }, photo)
}

/** Sources of a photo that is shown whole, `width` CSS pixels wide. */
export function sourcesForWidth(width: number, photo: WithRenditions): ImageSources {
  const src = photo.thumbnailUrl
  const srcSet = src === null ? undefined : candidates(photo, PREVIEW.width)
  if (!srcSet) return { src }
  return { src, srcSet, sizes: `${Math.ceil(width)}px` }
}

/** A rendition that is there at once: one that an image of this page shows already, otherwise the thumbnail. */
export function quickSource(
  photo: WithRenditions,
  images: Iterable<Pick<HTMLImageElement, 'complete' | 'naturalWidth' | 'currentSrc'>>,
): string | null {
  const loaded = [...images].filter(({ complete, naturalWidth }) => complete && naturalWidth > 0)
  const shown = loaded.map(({ currentSrc }) => currentSrc)
  const urls = [photo.previewUrl, photo.mediumUrl, photo.thumbnailUrl, photo.smallUrl]
  return urls.find((url) => url !== null && shown.some((src) => src.endsWith(url))) ?? photo.thumbnailUrl
}

/** Decoding more would take a browser half a gigabyte. */
const MAX_ORIGINAL_PIXELS = 120_000_000

/** True when the original shows more than the largest rendition at this width in device pixels. */
export function needsOriginal(width: number, photo: Dimensions & { filename: string }): boolean {
  if (!photo.width || !photo.height || !canShowOriginal(photo)) return false
  const preview = widthWithinBounds(PREVIEW, photo.width, photo.height)
  return width > preview && photo.width > preview
}

/** True for originals that browsers can display and decode. */
export function canShowOriginal({ width, height, filename }: Dimensions & { filename: string }): boolean {
  const pixels = width && height ? width * height : Number.POSITIVE_INFINITY
  return /\.(jpg|png|gif|bmp)$/i.test(filename) && pixels <= MAX_ORIGINAL_PIXELS
}

function aspectRatio({ width, height }: Dimensions): number {
  return width && height ? width / height : 1
}

/** True for a raw photo, which browsers cannot display. */
export function isDng(photo: { filename: string }): boolean {
  return photo.filename.toLowerCase().endsWith('.dng')
}
