import { setTimeout as delay } from 'node:timers/promises'
import type { NatsConnection } from '@nats-io/nats-core'
import { AppError, invalidFields, notFound, sendRequest } from '@skyfolio/kit'
import { type PrintImage, PrintImageStatus, printImageCheck, printImagePrepare } from '@skyfolio/proto'
import type { Crop } from './submit-request.ts'

/** Pixels of a print. */
interface PrintSize {
  shortSide: number
  longSide: number
}

const DPI = 300
const INCHES = /^\D{0,3}?(\d{1,3}(?:\.\d{1,3})?)\s*(?:"|”|in\.?)?\s*[x×]\s*(\d{1,3}(?:\.\d{1,3})?)/i
/** The longest side that media renders. */
const LONG_SIDE_MAX = 12_000

interface SizedProduct {
  productSize: string | null
  resWidth: string | null
  resHeight: string | null
}

/**
 * The pixels that a product is rendered with: its inches at 300 dpi, else the partner's own figures, reduced in proportion
 * to the longest side that can be rendered. Null without either.
 */
export function printSizeOf({ productSize, resWidth, resHeight }: SizedProduct): PrintSize | null {
  const [, width, height] = INCHES.exec(productSize?.trim() ?? '') ?? []
  return toSize(Number(width) * DPI, Number(height) * DPI) ?? toSize(Number(resWidth), Number(resHeight))
}

function toSize(width: number, height: number): PrintSize | null {
  const [shortSide = 0, longSide = 0] = [Math.round(width), Math.round(height)].sort((a, b) => a - b)
  if (!(shortSide >= 1 && longSide < Infinity)) return null
  const scale = Math.min(1, LONG_SIDE_MAX / longSide)
  return { shortSide: Math.max(1, Math.round(shortSide * scale)), longSide: Math.round(longSide * scale) }
}

const NATS_TIMEOUT_MS = 3_000
/** What the last response may take after the deadline. */
const LAST_RESPONSE_MS = 1_500
const FIRST_WAIT_MS = 50
const LONGEST_WAIT_MS = 800

const GONE = 'This image is not available any more. Please upload it again.'
const NOT_READY = 'The images of this order are still being prepared. Please try again in a moment.'

export interface PhotoPrint {
  photoId: number
  crop: Crop | null
  /** Null: a proof for the screen. */
  size: PrintSize | null
}

/** Media's print images, over NATS. */
export interface PrintImages {
  /** Has photos of the user rendered; waits until none is rendering, at most until the deadline. In the same order. */
  prepare(userId: number, prints: PhotoPrint[], deadline: number): Promise<PrintImage[]>
  /** The images with these names, not found unless the user may order them. In the same order. */
  check(userId: number, filenames: string[]): Promise<PrintImage[]>
}

export function createPrintImages(nats: NatsConnection): PrintImages {
  const request = async (userId: number, prints: PhotoPrint[], deadline: number) => {
    const timeoutMs = Math.min(NATS_TIMEOUT_MS, Math.max(0, deadline - performance.now()) + LAST_RESPONSE_MS)
    const images = prints.map(({ photoId, crop, size }) => ({ photoId, ...(crop && { crop }), ...size }))
    const response = await sendRequest(nats, printImagePrepare, { userId, images }, { timeoutMs })
    return complete(response.images, prints.length)
  }
  return {
    async prepare(userId, prints, deadline) {
      if (prints.length === 0) return []
      for (let wait = FIRST_WAIT_MS; ; wait = Math.min(wait * 2, LONGEST_WAIT_MS)) {
        const images = await request(userId, prints, deadline)
        const isRendering = images.some(({ status }) => status === PrintImageStatus.RENDERING)
        if (!isRendering || performance.now() + wait >= deadline) return images
        await delay(wait)
      }
    },
    async check(userId, filenames) {
      if (filenames.length === 0) return []
      const response = await sendRequest(nats, printImageCheck, { userId, filenames }, { timeoutMs: NATS_TIMEOUT_MS })
      return complete(response.images, filenames.length)
    },
  }
}

function complete(images: PrintImage[], length: number): PrintImage[] {
  if (images.length !== length) throw new Error(`media returned ${images.length} print images instead of ${length}`)
  return images
}

interface WantedImage {
  /** Name of the field in the request, for errors. */
  field: string
  image: { filename: string } | { photoId: number; crop: Crop | null }
  size: PrintSize | null
}

/**
 * The file names that the partner gets for these images, in the same order.
 * @throws AppError 400 or 404 for images that the user cannot order, 503 when they are not ready before the deadline
 */
export async function readyFilenames(
  images: PrintImages,
  userId: number,
  wanted: WantedImage[],
  deadline: number,
): Promise<string[]> {
  const uploads = wanted.flatMap(({ image }) => ('filename' in image ? image.filename : []))
  const photos = wanted.flatMap(({ image, size }) => ('photoId' in image ? { ...image, size } : []))
  const [checked, prepared] = await Promise.all([
    images.check(userId, uploads),
    images.prepare(userId, photos, deadline),
  ])
  const [nextUpload, nextPhoto] = [checked.values(), prepared.values()]
  return wanted.map(({ field, image }) => {
    const { value } = 'filename' in image ? nextUpload.next() : nextPhoto.next()
    return filenameOf(value as PrintImage, field)
  })
}

function filenameOf({ status, filename, message }: PrintImage, field: string): string {
  const isPhoto = field.endsWith('photoId')
  if (status === PrintImageStatus.READY && filename) return filename
  if (status === PrintImageStatus.FAILED) throw invalidFields({ [field]: message ?? 'This photo cannot be printed.' })
  if (status === PrintImageStatus.RENDERING) throw new AppError(503, 'images_not_ready', NOT_READY, { retryAfter: 2 })
  throw isPhoto ? notFound('Photo not found') : invalidFields({ [field]: GONE })
}
