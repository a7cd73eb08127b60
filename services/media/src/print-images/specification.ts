import type { PreparePrintImagesRequest } from '@skyfolio/proto'
import type { PrintImage } from '../generated/client.ts'
import type { Crop, PrintTarget } from '../renditions/print-plan.ts'

export type RequestedImage = PreparePrintImagesRequest['images'][number]

/** A rendering of a photo as it is stored. Equal ones have the same `specification`. */
export interface Specification {
  specification: string
  photoId: number
  crop?: { [side in keyof Crop]: number }
  shortSide?: number
  longSide?: number
}

/** Long side of a proof for the screen. */
export const MAX_PROOF_SIDE = 2048
/** Long side of an upload: 40 inches at 200 dpi. */
export const MAX_UPLOAD_SIDE = 8_000
/** Long side of a print: 40 inches at 300 dpi. */
const MAX_PRINT_SIDE = 12_000
/** Browsers calculate fractions whose sum may exceed 1 by a rounding error. */
const TOLERANCE = 1e-6
const DIGITS = 6

/** Returns the specification, or why there is no such print: a sentence for the user. */
export function readSpecification(image: RequestedImage): Specification | string {
  const { photoId, shortSide, longSide } = image
  if (shortSide === undefined && longSide === undefined) {
    return { specification: `photo:${photoId}:proof`, photoId }
  }
  if (!isSize(shortSide) || !isSize(longSide) || shortSide > longSide) return 'This print size is not valid.'
  if (image.crop && !isWithinImage(image.crop)) return 'The chosen part of the photo is not valid.'
  const crop = image.crop && rounded(image.crop)
  const part = crop ? `${crop.x},${crop.y},${crop.width},${crop.height}` : 'middle'
  const specification = `photo:${photoId}:${part}:${shortSide}x${longSide}`
  return { specification, photoId, shortSide, longSide, ...(crop && { crop }) }
}

/** What the worker renders for a row. */
export function targetOf({ photoId, crop, shortSide, longSide }: PrintImage): PrintTarget {
  if (photoId === null) return { kind: 'whole', maxSide: MAX_UPLOAD_SIDE }
  if (shortSide === null || longSide === null) return { kind: 'whole', maxSide: MAX_PROOF_SIDE }
  return { kind: 'print', crop: crop as unknown as Crop | null, shortSide, longSide }
}

/** Whether a row is for the screen only. */
export function isProof({ photoId, shortSide }: Partial<Pick<PrintImage, 'photoId' | 'shortSide'>>): boolean {
  return typeof photoId === 'number' && typeof shortSide !== 'number'
}

function isSize(side: number | undefined): side is number {
  return side !== undefined && Number.isInteger(side) && side >= 1 && side <= MAX_PRINT_SIDE
}

function isWithinImage({ x, y, width, height }: Crop): boolean {
  if (![x, y, width, height].every(Number.isFinite)) return false
  const hasArea = width > 0 && height > 0
  return hasArea && x >= 0 && y >= 0 && x + width <= 1 + TOLERANCE && y + height <= 1 + TOLERANCE
}

/** So that the same part has the same key. A millionth is less than a pixel; nothing becomes smaller than that. */
function rounded({ x, y, width, height }: Crop): Crop {
  const round = (value: number, min = 0) => Math.max(min, Number(value.toFixed(DIGITS)))
  return { x: round(x), y: round(y), width: round(width, TOLERANCE), height: round(height, TOLERANCE) }
}
