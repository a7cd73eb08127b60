import type { PublicPhoto } from '../api/types.ts'

type Sides = Pick<PublicPhoto, 'width' | 'height'>
type Pictured = Sides & Pick<PublicPhoto, 'thumbnailUrl' | 'previewUrl'>

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
export interface Picture {
  src: string | null
  srcSet?: string
  sizes?: string
}

/** Width of the picture scaled into bounds. */
export function widthWithin(bounds: { width: number; height: number }, width: number, height: number): number {
  return Math.max(1, Math.round(width * Math.min(1, bounds.width / width, bounds.height / height)))
}

function candidates({ thumbnailUrl, previewUrl, width, height }: Pictured): string | undefined {
  if (thumbnailUrl === null || previewUrl === null || !width || !height) return undefined
  const thumbnail = widthWithin(THUMBNAIL, width, height)
  const preview = widthWithin(PREVIEW, width, height)
  if (preview <= thumbnail) return undefined
  return `${thumbnailUrl} ${thumbnail}w, ${previewUrl} ${preview}w`
}

/** A photo that fills a box: one that is wider than the box overlaps it, so that its picture is wider than the box. */
export function pictureIn(box: Box, photo: Pictured): Picture {
  const srcSet = candidates(photo)
  if (!srcSet) return { src: photo.thumbnailUrl }
  const overlap = Math.max(1, ratioOf(photo) / box.ratio)
  const sizes = box.widths.map(({ when, width }) =>
    [when, overlap > 1 ? `calc(${overlap.toFixed(2)} * ${width})` : width].filter(Boolean).join(' '),
  )
  return { src: photo.thumbnailUrl, srcSet, sizes: sizes.join(', ') }
}

/** A photo that is shown `width` CSS pixels wide. */
export function pictureAt(width: number, photo: Pictured): Picture {
  const srcSet = candidates(photo)
  if (!srcSet) return { src: photo.thumbnailUrl }
  return { src: photo.thumbnailUrl, srcSet, sizes: `${Math.ceil(width)}px` }
}

/** More than this would take a browser half a gigabyte to decode. */
const MOST_ORIGINAL_PIXELS = 120_000_000

/** True when a picture so many pixels of the screen wide shows more by the original than by its largest rendition. */
export function needsOriginal(width: number, photo: Sides & { filename: string }): boolean {
  if (!photo.width || !photo.height || !/\.(jpg|png|gif|bmp)$/i.test(photo.filename)) return false
  const preview = widthWithin(PREVIEW, photo.width, photo.height)
  return width > preview && photo.width > preview && photo.width * photo.height <= MOST_ORIGINAL_PIXELS
}

function ratioOf({ width, height }: Sides): number {
  return width && height ? width / height : 1
}

/** True for a raw photo: no browser shows it. */
export function isDng(photo: { filename: string }): boolean {
  return photo.filename.toLowerCase().endsWith('.dng')
}
