import sharp, { type OutputInfo } from 'sharp'

/** Pixels, and how many of them. */
export interface RawImage {
  data: Buffer
  info: OutputInfo
}

/** The images between thumbhash and preview. A missing one would be no smaller than the next larger one. */
export interface Sizes<Image> {
  small: Image | null
  thumbnail: Image
  medium: Image | null
}

type Size = { width: number; height: number }

export const PREVIEW: Size = { width: 2048, height: 2048 }
/** Widths for a card on screens of single and double density, and for a phone. The heights bound upright panoramas. */
const SMALL: Size = { width: 320, height: 640 }
const THUMBNAIL: Size = { width: 640, height: 1280 }
const MEDIUM: Size = { width: 1280, height: 2048 }

/** How an image is reduced to fit into `size`. */
export function inside(size: Size) {
  return { ...size, fit: 'inside', withoutEnlargement: true } as const
}

/** Resizes the pixels of a preview, each size from the next larger one: twice as fast as each from the preview. */
export async function resizePreview(preview: RawImage): Promise<Sizes<RawImage>> {
  const sizeOf = (bounds: Size) => fitInto(bounds, preview.info)
  const medium = isLarger(preview, MEDIUM) ? await resize(preview, sizeOf(MEDIUM)) : null
  const thumbnail = await resize(medium ?? preview, sizeOf(THUMBNAIL))
  const small = isLarger(thumbnail, SMALL) ? await resize(thumbnail, sizeOf(SMALL)) : null
  return { small, thumbnail, medium }
}

function isLarger({ info }: RawImage, { width, height }: Size): boolean {
  return info.width > width || info.height > height
}

/** The size of an image in the bounds, never enlarged. Not that of the image in between: it is rounded already. */
function fitInto(bounds: Size, { width, height }: Size): Size {
  const scale = Math.min(1, bounds.width / width, bounds.height / height)
  return { width: Math.max(1, Math.round(width * scale)), height: Math.max(1, Math.round(height * scale)) }
}

function resize(image: RawImage, size: Size): Promise<RawImage> {
  return open(image)
    .resize({ ...size, fit: 'fill' })
    .raw()
    .toBuffer({ resolveWithObject: true })
}

function open({ data, info }: RawImage) {
  return sharp(data, { raw: info })
}

export type Rendition = keyof Sizes<unknown> | 'preview'

/** A small image is shown pixel by pixel, a medium one on screens whose pixels are too fine for its artefacts. */
const QUALITY: Record<Rendition, number> = { small: 80, thumbnail: 75, medium: 65, preview: 80 }

/** Encodes a rendition as WebP. */
export function encode(image: RawImage, rendition: Rendition): Promise<Buffer> {
  return open(image).webp({ quality: QUALITY[rendition] }).toBuffer()
}

/** Encodes a rendition that not every photo has. */
export async function encodeIfAny(image: RawImage | null, rendition: Rendition): Promise<Buffer | null> {
  return image && encode(image, rendition)
}
