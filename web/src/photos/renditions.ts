import type { PublicPhoto } from '../api/types.ts'

type Dimensions = Pick<PublicPhoto, 'width' | 'height'>
type WithRenditions = Dimensions & Pick<PublicPhoto, 'thumbnailUrl' | 'previewUrl'>

// The bounds within which the server makes its renditions, in pixels; neither is ever larger than the original.
const THUMBNAIL = { width: 640, height: 1280 }
const PREVIEW = { width: 2048, height: 2048 }

/** Where a picture stands: how wide its box is. */
export interface Box {
  /** CSS widths with the media conditions under which they hold; the last one holds otherwise and has none. */
  widths: readonly { when?: string; width: string }[]
  /** Width by height of the box that the picture fills. */
  ratio: number
}

/** What an <img> needs to choose between the renditions. Without a thumbnail there is no picture to show. */
export interface ImageSources {
  src: string | null
  srcSet?: string
  sizes?: string
}

/** Width of the picture scaled into bounds. */
export function widthWithinBounds(bounds: { width: number; height: number }, width: number, height: number): number {
  return Math.max(1, Math.round(width * Math.min(1, bounds.width / width, bounds.height / height)))
}

function candidates({ thumbnailUrl, previewUrl, width, height }: WithRenditions): string | undefined {
  if (thumbnailUrl === null || previewUrl === null || !width || !height) return undefined
  const thumbnail = widthWithinBounds(THUMBNAIL, width, height)
  const preview = widthWithinBounds(PREVIEW, width, height)
  if (preview <= thumbnail) return undefined
  return `${thumbnailUrl} ${thumbnail}w, ${previewUrl} ${preview}w`
}

/** A photo that fills a box: one that is wider than the box overlaps it, so that its picture is wider than the box. */
export function sourcesForBox(box: Box, photo: WithRenditions): ImageSources {
  const srcSet = candidates(photo)
  if (!srcSet) return { src: photo.thumbnailUrl }
  const overlap = Math.max(1, aspectRatio(photo) / box.ratio)
  const sizes = box.widths.map(({ when, width }) =>
    [when, overlap > 1 ? `calc(${overlap.toFixed(2)} * ${width})` : width].filter(Boolean).join(' '),
  )
  return { src: photo.thumbnailUrl, srcSet, sizes: sizes.join(', ') }
}

/** A photo that is shown `width` CSS pixels wide. */
export function sourcesForWidth(width: number, photo: WithRenditions): ImageSources {
  const srcSet = candidates(photo)
  if (!srcSet) return { src: photo.thumbnailUrl }
  return { src: photo.thumbnailUrl, srcSet, sizes: `${Math.ceil(width)}px` }
}

/** More than this would take a browser half a gigabyte to decode. */
const MAX_ORIGINAL_PIXELS = 120_000_000

/** True when a picture so many pixels of the screen wide shows more by the original than by its largest rendition. */
export function needsOriginal(width: number, photo: Dimensions & { filename: string }): boolean {
  if (!photo.width || !photo.height || !/\.(jpg|png|gif|bmp)$/i.test(photo.filename)) return false
  const preview = widthWithinBounds(PREVIEW, photo.width, photo.height)
  return width > preview && photo.width > preview && photo.width * photo.height <= MAX_ORIGINAL_PIXELS
}

function aspectRatio({ width, height }: Dimensions): number {
  return width && height ? width / height : 1
}

/** True for a raw photo: no browser shows it. */
export function isDng(photo: { filename: string }): boolean {
  return photo.filename.toLowerCase().endsWith('.dng')
}
