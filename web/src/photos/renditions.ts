import type { PublicPhoto } from '../api/types.ts'

type Dimensions = Pick<PublicPhoto, 'width' | 'height'>
type WithRenditions = Dimensions & Pick<PublicPhoto, 'thumbnailUrl' | 'previewUrl'>

// The bounds of the server's renditions in pixels; none is ever larger than the original.
const THUMBNAIL = { width: 640, height: 1280 }
const PREVIEW = { width: 2048, height: 2048 }

/** The box of a picture. */
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

/** The width of an image scaled to fit into bounds. */
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

/**
 * Sources of a photo that covers a box: a photo wider than the box overflows it, so its rendition has to be wider than
 * the box.
 */
export function sourcesForBox(box: Box, photo: WithRenditions): ImageSources {
  const srcSet = candidates(photo)
  if (!srcSet) return { src: photo.thumbnailUrl }
  const overlap = Math.max(1, aspectRatio(photo) / box.ratio)
  const sizes = box.widths.map(({ when, width }) =>
    [when, overlap > 1 ? `calc(${overlap.toFixed(2)} * ${width})` : width].filter(Boolean).join(' '),
  )
  return { src: photo.thumbnailUrl, srcSet, sizes: sizes.join(', ') }
}

/** Sources of a photo that is shown `width` CSS pixels wide. */
export function sourcesForWidth(width: number, photo: WithRenditions): ImageSources {
  const srcSet = candidates(photo)
  if (!srcSet) return { src: photo.thumbnailUrl }
  return { src: photo.thumbnailUrl, srcSet, sizes: `${Math.ceil(width)}px` }
}

/** Decoding more would take a browser half a gigabyte. */
const MAX_ORIGINAL_PIXELS = 120_000_000

/** True when the original shows more than the largest rendition at this width in device pixels. */
export function needsOriginal(width: number, photo: Dimensions & { filename: string }): boolean {
  if (!photo.width || !photo.height || !/\.(jpg|png|gif|bmp)$/i.test(photo.filename)) return false
  const preview = widthWithinBounds(PREVIEW, photo.width, photo.height)
  return width > preview && photo.width > preview && photo.width * photo.height <= MAX_ORIGINAL_PIXELS
}

function aspectRatio({ width, height }: Dimensions): number {
  return width && height ? width / height : 1
}

/** True for a raw photo, which browsers cannot display. */
export function isDng(photo: { filename: string }): boolean {
  return photo.filename.toLowerCase().endsWith('.dng')
}
