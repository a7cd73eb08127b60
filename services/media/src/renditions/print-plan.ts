import { type ImageSize, turnedSize } from '../formats/image-scanner.ts'

/** Part of an upright image, as fractions of its width and height. */
export interface Crop {
  x: number
  y: number
  width: number
  height: number
}

/** Part of an image in pixels. */
export interface Region extends ImageSize {
  left: number
  top: number
}

/** What is rendered of an image: a print of exactly one aspect ratio, or all of it. */
export type PrintTarget =
  | { kind: 'print'; crop: Crop | null; shortSide: number; longSide: number }
  | { kind: 'whole'; maxSide: number }

export interface PrintPlan {
  /** The part of the upright image. */
  region: Region
  /** Pixels of the result; never more than those of the region. */
  output: ImageSize
}

/** The image cannot be printed as requested; the message is a sentence for the user. */
export class NotPrintableError extends Error {
  override name = 'NotPrintableError'
}

/** Below, rounding to whole pixels would show in the aspect ratio. */
const MIN_SIDE = 32

/** Determines which pixels of an upright image are rendered, and how large. @throws NotPrintableError */
export function planPrint(upright: ImageSize, target: PrintTarget): PrintPlan {
  if (target.kind === 'whole') {
    const bounds = { width: target.maxSide, height: target.maxSide }
    return { region: { left: 0, top: 0, ...upright }, output: fitInto(bounds, upright) }
  }
  const part = target.crop ? toPixels(target.crop, upright) : { left: 0, top: 0, ...upright }
  const { shortSide, longSide } = target
  const isLandscape = part.width >= part.height
  const print = isLandscape ? { width: longSide, height: shortSide } : { width: shortSide, height: longSide }
  const region = centredPart(part, print)
  if (Math.min(region.width, region.height) < MIN_SIDE) {
    throw new NotPrintableError('The chosen part of the photo is too small for a print.')
  }
  const reduces = region.width >= print.width && region.height >= print.height
  return { region, output: reduces ? print : { width: region.width, height: region.height } }
}

/** The size of an image in the bounds, never enlarged. */
export function fitInto(bounds: ImageSize, { width, height }: ImageSize): ImageSize {
  const scale = Math.min(1, bounds.width / width, bounds.height / height)
  return { width: Math.max(1, Math.round(width * scale)), height: Math.max(1, Math.round(height * scale)) }
}

function toPixels(crop: Crop, { width, height }: ImageSize): Region {
  const [left, right] = edges(crop.x, crop.width, width)
  const [top, bottom] = edges(crop.y, crop.height, height)
  return { left, top, width: right - left, height: bottom - top }
}

/** Whole pixels from a start and a length in fractions: at least one, within the image. */
function edges(start: number, length: number, pixels: number): [from: number, to: number] {
  const from = clamp(Math.round(start * pixels), 0, pixels - 1)
  return [from, clamp(Math.round((start + length) * pixels), from + 1, pixels)]
}

/** The largest part in the middle with the aspect ratio of the print, to the nearest pixel. */
function centredPart(part: Region, print: ImageSize): Region {
  const isWider = part.width * print.height > part.height * print.width
  const width = isWider ? clamp(Math.round((part.height * print.width) / print.height), 1, part.width) : part.width
  const height = isWider ? part.height : clamp(Math.round((part.width * print.height) / print.width), 1, part.height)
  return {
    left: part.left + Math.floor((part.width - width) / 2),
    top: part.top + Math.floor((part.height - height) / 2),
    width,
    height,
  }
}

function clamp(value: number, min: number, max: number): number {
  return Math.min(Math.max(value, min), max)
}

/** Where a region of the upright image is in the image as stored, before its EXIF orientation is applied. */
export function toStoredRegion(region: Region, upright: ImageSize, orientation: number): Region {
  const { left, top, width, height } = region
  const x = [2, 3, 6, 7].includes(orientation) ? upright.width - left - width : left
  const y = [3, 4, 7, 8].includes(orientation) ? upright.height - top - height : top
  const [storedLeft, storedTop] = orientation > 4 ? [y, x] : [x, y]
  return { left: storedLeft, top: storedTop, ...turnedSize(region, orientation) }
}
